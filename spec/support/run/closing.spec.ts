// What a run ends with.
import { expect } from 'chai'
import { renderClosing } from './closing.js'
import type { Run } from './process.js'
import type { RunReport } from './reporter.js'

const EXPECTED = 'the lists of known options match mariadb-11.8'

const ran = (name: string, report: Partial<RunReport> = {}): Run => ({
  task: { name, files: [`dist/spec/${name}.spec.js`], expectedMs: 1, cores: 1, startsPrograms: true },
  report: { passed: 2, failed: 0, skips: [], failures: [], files: {}, cpuMs: 0, ...report },
  tookMs: 1_000,
  output: '',
})

const closing = (runs: readonly Run[], isStrict = false, tasks = runs.map(({ task }) => task)) =>
  renderClosing({
    ...{ tasks, settled: { runs, unstable: [] } },
    ...{ checks: [], usual: { 'live/a': { seconds: 10, cores: 1 } }, tookMs: 61_000, isWhole: true, isStrict },
  })

describe('renderClosing', () => {
  it('ends with the sums, and the number of unstable files in the line before', () => {
    const { text, failed } = closing([ran('live/a'), ran('live/b', { failed: 1, failures: ['b\n  broke\n'] })])
    expect(text.split('\n').slice(-2)).to.deep.equal([
      'Took 1 min 1 s, 0 unstable files of at most 12',
      '4 passed, 1 failed, 0 skipped',
    ])
    expect(failed).to.equal(1)
  })

  it('counts what was to run and did not as a failure', () => {
    const [one, other] = [ran('live/a'), ran('live/b')]
    const { text, failed } = closing([one], false, [one.task, other.task])
    expect(failed).to.equal(1)
    expect(text).to.contain('Failed:\nlive/b\n  did not run\n')
    expect(text).to.match(/2 passed, 1 failed, 0 skipped$/)
  })

  it('counts a skip that nothing explains as a failure where it is strict, and marks it elsewhere', () => {
    const runs = [ran('live/a', { skips: [EXPECTED, 'a story needs a network'] })]
    const strict = closing(runs, true)
    expect(strict.failed).to.equal(1)
    expect(strict.text).to.contain('Failed:\na story needs a network\n  was skipped, which is not expected here\n')
    expect(strict.text).to.match(/2 passed, 1 failed, 2 skipped$/)
    const mild = closing(runs)
    expect(mild.failed).to.equal(0)
    expect(mild.text).to.contain(`Skipped:\n  ${EXPECTED}\n  a story needs a network (not expected)\n`)
  })

  it('names a file that took more than five times its usual time, and none that was never measured', () => {
    const took = (ms: number) => closing([ran('live/a', { files: { 'dist/spec/live/a.spec.js': ms } })]).text
    expect(took(51_000)).to.contain('Much slower than usual:\n  live/a: 51 s, usually 10 s\n')
    expect(took(49_000)).not.to.contain('slower')
    expect(closing([ran('live/b', { files: { 'dist/spec/live/b.spec.js': 900_000 } })]).text).not.to.contain('slower')
  })
})
