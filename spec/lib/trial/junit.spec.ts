import { expect } from 'chai'
import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import type { TrialRun } from '../../../lib/model/trial/trial.js'
import { latestRuns, renderJunit } from '../../../lib/trial/junit.js'

const run = (parts: Partial<TrialRun>): TrialRun => ({
  ...{ id: 1, name: 'testOne', user: 'admin', job: 1, startedAt: 1_000, endedAt: 3_500, phase: 'ended' },
  ...{ home: 'db1', replicas: ['db2'], begun: 0, undo: [], timeline: [], result: 'PASS' },
  ...parts,
})

const parse = (xml: string) => new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(xml)

describe('renderJunit', () => {
  it('counts what failed and what was skipped, and says how long each took', () => {
    const runs = [
      run({}),
      run({ name: 'testTwo', result: 'FAIL', message: 'db2 does not replicate' }),
      run({ name: 'testThree', result: 'SKIP', message: 'it has no replica' }),
    ]
    const { testsuite } = parse(renderJunit('shop', runs)).testsuites
    expect(testsuite).to.include({ name: 'shop', tests: '3', failures: '1', errors: '0', skipped: '1', time: '7.500' })
    expect(testsuite.testcase[1]).to.deep.include({ name: 'testTwo', failure: { message: 'db2 does not replicate' } })
    expect(testsuite.testcase[2]).to.deep.include({ name: 'testThree', skipped: { message: 'it has no replica' } })
    expect(testsuite.testcase[0]).not.to.have.any.keys('failure', 'skipped')
  })

  it('is well formed whatever messages and timelines hold', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(text, text, (message, detail) => {
        const timeline = [{ text: detail, startedAt: 1, outcome: 'failed' as const, detail: message }]
        const xml = renderJunit(message, [run({ result: 'FAIL', message, timeline })])
        expect(XMLValidator.validate(Buffer.from(xml).toString()), xml).to.equal(true)
      }),
    )
  })

  it('without a run is an empty suite', () => {
    expect(parse(renderJunit('shop', [])).testsuites.testsuite).to.include({ tests: '0', failures: '0' })
  })

  it('shows of each name the latest run', () => {
    const runs = [run({ id: 1 }), run({ id: 2, name: 'testTwo' }), run({ id: 3, result: 'FAIL' })]
    expect(latestRuns(runs).map(({ id }) => id)).to.deep.equal([2, 3])
  })
})
