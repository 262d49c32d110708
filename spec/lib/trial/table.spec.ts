import { expect } from 'chai'
import { absentTrials } from '../../../lib/trial/absent.js'
import { describeStep, undoOf } from '../../../lib/trial/step.js'
import { findTrial, trialNames } from '../../../lib/trial/table.js'

const before = { home: 'db1', replicas: ['db2'] }

describe('the table of named tests', () => {
  it('a name is offered or not, never both', () => {
    const both = trialNames.filter((name) => absentTrials.has(name))
    expect(both).to.deep.equal([])
  })

  it('all 44 names of the existing system answer', () => {
    const own = ['testSwitchoverAllReplicasInMaintenance', 'testSwitchoverAtSyncWithoutSemiSync']
    const names = [...trialNames, ...absentTrials.keys()].filter((name) => !own.includes(name))
    expect(names).to.have.length(44)
  })

  it('names of the prototype of objects are no tests', () => {
    for (const name of ['constructor', 'toString', '__proto__']) expect(findTrial(name)).to.equal(undefined)
  })

  for (const name of trialNames) {
    const steps = findTrial(name)?.steps ?? []
    it(`${name} says what it proves, and expects something after its last change`, () => {
      expect(findTrial(name)?.proves).to.match(/\.$/)
      const changes = steps.flatMap((step, index) => (undoOf(step, before) && step.do !== 'write' ? [index] : []))
      const proofs = steps.flatMap((step, index) =>
        step.do === 'expect' || step.do === 'expect-rows' || (step.do === 'switchover' && step.refused) ? [index] : [],
      )
      expect(proofs.at(-1)).to.be.at.least(changes.at(-1) ?? 0)
    })

    it(`${name}: a refusal is asked for only once what refuses it is seen or set`, () => {
      const refused = steps.findIndex((step) => step.do === 'switchover' && step.refused)
      if (refused < 0) return
      const causes = steps.slice(0, refused).filter(({ do: deed }) => deed !== 'write' && deed !== 'expect-rows')
      expect(causes.map(describeStep)).not.to.deep.equal([])
    })
  }
})
