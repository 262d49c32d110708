import { expect } from 'chai'
import { routes } from '../../../../../http/api/index.js'
import { completePlan } from '../../../../../http/api/kit/plan/complete-plan.js'
import { consequenceOf } from '../../../../../http/api/kit/plan/consequences.js'
import type { Preview } from '../../../../../lib/model/operation/preview.js'

const recovery: Preview = { kind: 'pitr', possible: true, steps: [], risks: [] }
const subject = { route: { id: 'recovery.all' }, params: { cluster: 'shop' }, query: {}, body: {}, server: undefined }

describe('completePlan', () => {
  it('names what takes it back, and what is lost', () => {
    expect(completePlan(subject, recovery)).to.deep.include({ loss: { kind: 'none', text: 'Nothing is lost.' } })
    expect(completePlan(subject, recovery).undo).to.include('dumped to a file first')
  })

  it('names neither a loss nor a way back for a plan that is refused', () => {
    const refused = completePlan(subject, { ...recovery, possible: false, refusal: 'No backup is old enough' })
    expect(refused).to.deep.include({ undo: null, lossy: false, loss: { kind: 'none', text: 'Nothing is done.' } })
  })

  it('says that a plan is possible, refused or unchecked; one that is unchecked is as complete as a possible one', () => {
    const unchecked = 'It was not checked whether the replication account can log in on db2'
    const open = completePlan(subject, { ...recovery, possible: false, unchecked, refusal: unchecked })
    expect(open).to.deep.include({
      possible: false,
      judgement: 'unchecked',
      loss: { kind: 'none', text: 'Nothing is lost.' },
    })
    const checked = completePlan(subject, recovery)
    expect(checked.judgement).to.equal('possible')
    expect([open.undo, open.id]).to.deep.equal([checked.undo, checked.id])
    const refused = completePlan(subject, { ...recovery, possible: false, refusal: 'No backup is old enough' })
    expect(refused.judgement).to.equal('refused')
    expect(refused.id).to.not.equal(checked.id)
  })

  it('keeps the loss that the decision itself forecasts', () => {
    const loss = { kind: 'at-least', text: 'At least 3 transactions.' } as const
    expect(completePlan(subject, { ...recovery, possible: false, loss }).loss).to.deep.equal(loss)
  })
})

describe('consequenceOf', () => {
  it('says what takes an action back in words, without an address of the interface', () => {
    const undos = routes.flatMap(({ id }) => {
      const undo = consequenceOf(id)?.undo
      return typeof undo === 'string' ? [undo] : []
    })
    expect(undos.length).to.be.above(30)
    expect(undos.filter((undo) => /\b[CS]\/|master|slave|\{/.test(undo))).to.deep.equal([])
  })
})
