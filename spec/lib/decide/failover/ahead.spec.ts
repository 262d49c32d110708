// What is started at the first refusal: only what can be undone, and nothing without the replicas' confirmation.
import { expect } from 'chai'
import { planAhead } from '../../../../lib/decide/failover/ahead.js'
import { planFailover } from '../../../../lib/decide/failover/failover.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  cutOff,
  heardNothingFor,
  NOW,
  primary,
  refused,
  replica,
  type SituationDraft,
  settings,
  silent,
  situation,
} from '../../../support/simulator/situation.js'

const refusedOnce = primary(1, {}, { ...refused, failures: 1, refusals: 1, refusedSince: NOW - 10 })
const lost = (number: number) => replica(number, { ...cutOff })
const ahead = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) => planAhead(situation(servers, draft))

describe('planAhead', () => {
  it('stops the replicas, and continues when the second probe has proven the death', () => {
    const plan = ahead([refusedOnce, lost(2), lost(3)])
    const types = plan?.commands.map(({ type }) => type) ?? []
    expect(types.slice(0, types.indexOf('make-writable') + 1)).to.deep.equal([
      'stop-receiving',
      'stop-receiving',
      'reprobe',
      'fence',
      'route-writes',
      'apply-received',
      'promote',
      'make-writable',
    ])
    expect(plan?.commands[2]).to.deep.equal({ type: 'reprobe', candidate: 'db2', frozen: true, proof: true })
  })

  it('undoes its first steps', () => {
    const undone = ahead([refusedOnce, lost(2), lost(3)])?.undo.flatMap((command) =>
      command.type === 'start-replication' ? command.server : [],
    )
    expect(undone).to.deep.equal(['db2', 'db3'])
  })

  it('starts while the failover itself still waits for the proof', () => {
    expect(planFailover(situation([refusedOnce, lost(2), lost(3)])).ok).to.equal(false)
  })

  const manual = { settings: { ...settings, 'failover-mode': 'manual' } } as const
  const ignored = { ...replica(3, { ...cutOff, received: '0-1-120' }), rating: 'ignored' } as const
  for (const [why, servers, draft] of [
    ['a replica still receives', [refusedOnce, lost(2), replica(3)], {}],
    ['the primary answers', [primary(), lost(2), lost(3)], {}],
    ['the primary is silent', [primary(1, {}, silent()), replica(2, { server: heardNothingFor(4_000) })], {}],
    ['the death is proven already', [primary(1, {}, refused), lost(2), lost(3)], {}],
    ['the cluster is in manual mode', [refusedOnce, lost(2), lost(3)], manual],
    ['what an ignored server holds must be fetched first', [refusedOnce, lost(2), ignored], {}],
  ] as const)
    it(`starts nothing when ${why}`, () => {
      expect(ahead(servers, draft)).to.equal(undefined)
    })
})
