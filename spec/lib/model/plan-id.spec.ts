// Ids of plans: what changes them, what does not, and what a refusal names.
import { expect } from 'chai'
import type { Preview } from '../../../lib/model/operation/preview.js'
import { changesSince, markIn, markOf, type PlanRequest, planId } from '../../../lib/model/plan-id.js'

const request: PlanRequest = { kind: 'switchover', cluster: 'shop', wish: { action: 'cluster.switchover' } }

const preview: Preview = {
  ...{ kind: 'switchover', possible: true, oldPrimary: 'db1', newPrimary: 'db2' },
  steps: [
    { text: 'Freeze db1: read-only, then a global read lock', blocksWrites: true, expectedMs: 10 },
    { text: 'Repoint db3 to db2', blocksWrites: false },
  ],
  risks: ['db4 does not answer; it will rejoin when it returns.', 'db2 has a delay of 5 s.'],
}

const idOf = (changed: Partial<Preview> = {}, asked: Partial<PlanRequest> = {}): string =>
  planId({ ...request, ...asked }, { ...preview, ...changed })

const same: readonly (readonly [string, string])[] = [
  ['another expected duration', idOf({ steps: preview.steps.map((step) => ({ ...step, expectedMs: 99 })) })],
  ['another pause of the past', idOf({ pauseMs: 12, expectedBlockedMs: 31 })],
  ['another lag in a risk', idOf({ risks: [preview.risks[0] ?? '', 'db2 has a delay of 7.5 s.'] })],
  [
    'a report that names another person',
    idOf({
      steps: [...preview.steps, { command: { type: 'report', text: 'by ann' }, text: 'by ann', blocksWrites: false }],
    }),
  ],
  ['fields in another order', idOf({}, { wish: { ...{ b: undefined }, action: 'cluster.switchover' } })],
]

const other: readonly (readonly [string, string, RegExp])[] = [
  ['another new primary', idOf({ newPrimary: 'db3' }), /^it is possible by now, with db2 as the new primary$/],
  ['a step less', idOf({ steps: preview.steps.slice(1) }), /^its steps are by now: Freeze db1.*, Repoint db3 to db2$/],
  ['a step that blocks', idOf({ steps: preview.steps.map((step) => ({ ...step, blocksWrites: true })) }), /^its steps/],
  ['a risk less', idOf({ risks: [] }), /^its risks are by now: db4 does not answer/],
  ['the risk of another server', idOf({ risks: ['db5 does not answer; it will rejoin when it returns.'] }), /risks/],
  ['a refusal', idOf({ possible: false, refusal: 'no candidate' }), /^it is possible by now/],
  ['a loss', idOf({ loss: { kind: 'at-most', text: 'at most 3' } }), /^it is possible by now/],
  [
    'another value',
    idOf({ changes: [{ what: 'failover-limit', before: '5', after: '3' }] }),
    /^it changes no value by now$/,
  ],
  ['another consequence', idOf({ follows: ['db1 needs a restart.'] }), /^it changes no value by now$/],
  ['another wish', idOf({}, { wish: { action: 'cluster.switchover', prefmaster: 'db3' } }), /plan of another request$/],
  ['another cluster', idOf({}, { cluster: 'bank' }), /plan of another request$/],
  ['something else', 'yes', /^yes is the plan of another request$/],
]

describe('planId', () => {
  it('is readable, short, and made of a digest for each part', () => {
    expect(idOf()).to.match(/^switchover\/shop\/[0-9a-f]{10}(\.[0-9a-f]{10}){4}$/)
    expect(planId({ ...request, cluster: null }, preview)).to.match(/^switchover\/manager\//)
  })

  for (const [title, id] of same)
    it(`is the same after ${title}`, () => {
      expect(id).to.equal(idOf())
    })

  for (const [title, id, named] of other)
    it(`is another one after ${title}, which the refusal names`, () => {
      expect(id).not.to.equal(idOf())
      expect(changesSince(id, { id: idOf(), preview })).to.match(named)
    })

  it('carries the mark of its situation', () => {
    expect(markIn(idOf())).to.equal(markOf(preview))
    expect([markIn(undefined), markIn('pitr/shop/1795246812/0-1-93/db1')]).to.deep.equal([undefined, undefined])
  })

  it('names each part that changed', () => {
    const given = idOf({ risks: [], steps: [] })
    expect(changesSince(given, { id: idOf(), preview })).to.match(/^its steps are by now: .*; its risks are by now: /)
  })
})
