// What a whole run makes of files that failed.
import { expect } from 'chai'
import { settle, UNSTABLE_LIMIT } from './again.js'
import type { Run } from './process.js'
import type { Task } from './tasks.js'

const task = (name: string, startsPrograms = true): Task => ({
  ...{ name, files: [`dist/spec/${name}.spec.js`], expectedMs: 1, cores: 1, startsPrograms },
})

const ran = (of: Task, failure?: string): Run => ({
  task: of,
  report: {
    ...{ passed: 2, failed: failure === undefined ? 0 : 1, skips: [], files: {}, cpuMs: 0 },
    failures: failure === undefined ? [] : [failure],
  },
  tookMs: 1_000,
  output: '',
})

/** Runs again as the list says, by file; notes what was run. */
function machine(outcomes: Readonly<Record<string, readonly (string | undefined)[]>>) {
  const asked: string[] = []
  const run = async (of: Task): Promise<Run> => {
    asked.push(of.name)
    const before = asked.filter((name) => name === of.name).length - 1
    return ran(of, outcomes[of.name]?.[before])
  }
  return { asked, run, now: () => 0 }
}

describe('settle', () => {
  const story = task('live/a')

  it('runs nothing again when nothing failed', async () => {
    const { asked, ...again } = machine({})
    const settled = await settle([ran(story)], again)
    expect(asked).to.deep.equal([])
    expect(settled.unstable).to.deep.equal([])
  })

  for (const [failures, outcomes] of [
    [1, [undefined]],
    [2, ['another reason', undefined]],
  ] as const)
    it(`calls a file unstable that failed ${failures} times before it passed, and counts its last run`, async () => {
      const { asked, ...again } = machine({ 'live/a': outcomes })
      const { runs, unstable } = await settle([ran(story, 'the first reason')], again)
      expect(unstable).to.deep.equal([{ name: 'live/a', failed: failures, failure: 'the first reason' }])
      expect(runs.map(({ report }) => report.failed)).to.deep.equal([0])
      expect(asked).to.have.length(failures)
    })

  it('leaves a file failed that fails three times', async () => {
    const { asked, ...again } = machine({ 'live/a': ['second', 'third', undefined] })
    const { runs, unstable } = await settle([ran(story, 'first')], again)
    expect(unstable).to.deep.equal([])
    expect(runs.map(({ report }) => report.failures)).to.deep.equal([['first']])
    expect(asked).to.have.length(2)
  })

  it('never runs a file again that starts no program', async () => {
    const { asked, ...again } = machine({})
    const { runs } = await settle([ran(task('units 1 of 8', false), 'wrong'), ran(story, 'late')], again)
    expect(asked).to.deep.equal(['live/a'])
    expect(runs.map(({ report }) => report.failed)).to.deep.equal([1, 0])
  })

  it('runs none again when more files failed than may be unstable', async () => {
    const many = Array.from({ length: UNSTABLE_LIMIT + 1 }, (_, index) => ran(task(`live/${index}`), 'late'))
    const { asked, ...again } = machine({})
    const { runs, refusal } = await settle(many, again)
    expect(asked).to.deep.equal([])
    expect(runs).to.deep.equal(many)
    expect(refusal).to.include('13 files')
  })

  it('ends in time where files hang', async () => {
    let clock = 0
    const run = async (of: Task) => {
      clock += 12 * 60_000
      return ran(of, 'hung')
    }
    await settle([ran(story, 'hung'), ran(task('live/b'), 'hung')], { run, now: () => clock })
    expect(clock).to.equal(24 * 60_000)
  })
})
