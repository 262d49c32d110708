// Whether the manager would fail over, rule by rule, each with its inputs.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { judgeFailover } from '../../../../lib/decide/failover/failover.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import type { Standing } from '../../../../lib/model/tenure.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  alone,
  cutOff,
  member,
  NOW,
  primary,
  type ReplicaDraft,
  refused,
  replica,
  running,
  type SituationDraft,
  silent,
  situation,
  synced,
} from '../../../support/simulator/situation.js'

const dead = primary(1, {}, refused)
const lost = (number: number, draft: ReplicaDraft = {}) => replica(number, { ...cutOff, ...draft })
const usual = [dead, lost(2), lost(3)]

describe('judgeFailover', () => {
  const rowOf = (rule: string, servers: readonly ServerSnapshot[], draft: SituationDraft = {}) =>
    judgeFailover(situation(servers, draft)).rows.find((row) => row.rule === rule)?.state

  it('would act on a dead primary', () => {
    expect(judgeFailover(situation(usual))).to.include({
      wouldFailOver: true,
      primaryDead: true,
      evidence: 'conclusive',
      candidate: 'db2',
    })
  })

  it('answers with a healthy primary too: not now, and who would take over', () => {
    const verdict = judgeFailover(situation([primary(), replica(2)]))
    expect(verdict).to.include({ wouldFailOver: false, primaryDead: false, candidate: 'db2' })
    expect(verdict.rows.filter(({ state }) => state === 'closed').map(({ rule }) => rule)).to.deep.equal([
      'failover-falsepositive-heartbeat',
    ])
  })

  it('waits where an arbitrator decides, until it is known that no other instance sees the primary since it fails', () => {
    const given = situation(usual)
    const since = given.snapshot.servers[0]?.failingSince ?? Number.NaN
    const judge = (more: { readonly tenure?: Standing; readonly confirmed?: number }) =>
      judgeFailover({ ...given, snapshot: { ...given.snapshot, ...more } })
    for (const [more, state] of [
      [{}, 'clear'],
      [{ tenure: 'owner' }, 'clear'],
      [{ tenure: 'standby' }, 'closed'],
      [{ tenure: 'unproven' }, 'closed'],
      [{ tenure: 'owner', confirmed: 0 }, 'waiting'],
      [{ tenure: 'owner', confirmed: since - 1 }, 'waiting'],
      [{ tenure: 'owner', confirmed: since }, 'clear'],
      [{ tenure: 'standby', confirmed: since }, 'closed'],
    ] as const) {
      const { rows, wouldFailOver } = judge(more)
      expect(rows.find(({ rule }) => rule === 'ownership')?.state, JSON.stringify(more)).to.equal(state)
      expect(wouldFailOver).to.equal(state === 'clear')
    }
    const well = situation([primary(), replica(2)])
    const { rows } = judgeFailover({ ...well, snapshot: { ...well.snapshot, tenure: 'owner', confirmed: 0 } })
    expect(rows.find(({ rule }) => rule === 'ownership')?.state).to.equal('clear')
  })

  for (const [rule, state, servers, draft] of [
    ['failover-mode', 'closed', usual, { settings: { 'failover-mode': 'manual' } }],
    ['failover-mode', 'clear', usual, {}],
    ['failover-limit', 'closed', usual, { memory: { failoverCount: 5 } }],
    ['failover-limit', 'closed', usual, { memory: { failoverCount: 6 } }],
    ['failover-limit', 'clear', usual, { memory: { failoverCount: 4 } }],
    ['failover-limit', 'off', usual, { memory: { failoverCount: 400 }, settings: { 'failover-limit': 0 } }],
    [
      'failover-time-limit',
      'closed',
      usual,
      { memory: { lastFailoverAt: NOW - 59 * SECOND }, settings: { 'failover-time-limit': 60 } },
    ],
    [
      'failover-time-limit',
      'clear',
      usual,
      { memory: { lastFailoverAt: NOW - 60 * SECOND }, settings: { 'failover-time-limit': 60 } },
    ],
    ['failover-falsepositive-ping-counter', 'waiting', [primary(1, {}, silent(200)), lost(2)], {}],
    [
      'failover-falsepositive-heartbeat',
      'waiting',
      [primary(1, {}, silent(900)), replica(2, { server: { arrivals: { '': { at: NOW - 2000 } } } })],
      {},
    ],
    ['failover-falsepositive-heartbeat', 'closed', [primary(1, {}, silent()), replica(2)], {}],
    ['failover-falsepositive-external', 'off', usual, {}],
    ['failover-falsepositive-external', 'waiting', usual, { settings: { 'failover-falsepositive-external': true } }],
    [
      'failover-falsepositive-external',
      'closed',
      usual,
      {
        settings: { 'failover-falsepositive-external': true },
        memory: { externalCheck: { at: NOW, alive: true, detail: '200' } },
      },
    ],
    [
      'failover-falsepositive-external',
      'clear',
      usual,
      {
        settings: { 'failover-falsepositive-external': true },
        memory: { externalCheck: { at: NOW, alive: false, detail: 'no answer' } },
      },
    ],
    [
      'failover-falsepositive-external',
      'waiting',
      usual,
      {
        settings: { 'failover-falsepositive-external': true },
        memory: { externalCheck: { at: NOW - SECOND, alive: false, detail: 'older than the failure' } },
      },
    ],
    ['topology', 'closed', [member(1, synced, refused), member(2, alone)], {}],
    ['topology', 'clear', usual, {}],
    ['primary-known', 'closed', usual, { memory: { primary: 'db9' } }],
    [
      'total-outage',
      'closed',
      [dead, lost(2, { state: { uptimeSeconds: 3 } })],
      { memory: { totalOutage: true, outageSince: NOW - 9 * SECOND } },
    ],
    ['servers-seen', 'waiting', [dead, lost(2), lost(3, { server: { observation: 'unseen' } })], {}],
    ['servers-seen', 'waiting', [dead, lost(2), lost(3, { server: silent(200) })], {}],
    ['servers-seen', 'clear', [dead, lost(2), lost(3, { server: silent() })], {}],
    ['candidate', 'closed', [dead, lost(2, { sql: 'stopped' })], {}],
    [
      'failover-max-slave-delay',
      'waiting',
      [dead, lost(2, { received: '0-1-500', applied: '0-1-100', lagSeconds: 60 })],
      {},
    ],
    ['failover-max-slave-delay', 'clear', [dead, lost(2, { received: '0-1-500', lagSeconds: 60 })], {}],
    [
      'failover-max-slave-delay',
      'clear',
      [dead, lost(2, { received: '0-1-500', applied: '0-1-100', lagSeconds: 20 })],
      {},
    ],
    [
      'failover-max-slave-delay',
      'off',
      [dead, lost(2, { received: '0-1-500', applied: '0-1-100', lagSeconds: 60 })],
      { settings: { 'failover-max-slave-delay': -1 } },
    ],
    ['failover-at-sync', 'closed', usual, { settings: { 'failover-at-sync': true } }],
    [
      'failover-at-sync',
      'clear',
      [primary(1, { semiSync: acknowledgedSource() }, refused), lost(2, { state: { semiSync: acknowledgingReplica } })],
      { settings: { 'failover-at-sync': true } },
    ],
    ['errant-transactions', 'closed', [dead, lost(2, { state: { executed: '0-1-100,0-2-101' } })], {}],
    ['errant-transactions', 'clear', [dead, lost(2, { state: { executed: '0-1-100,0-2-101' } }), lost(3)], {}],
    [
      'received-elsewhere',
      'closed',
      [
        primary(1, { semiSync: acknowledgedSource() }, refused),
        lost(2),
        lost(3, { sql: 'stopped', received: '0-1-120' }),
      ],
      {},
    ],
    ['received-elsewhere', 'clear', [dead, lost(2), lost(3, { sql: 'stopped', received: '0-1-120' })], {}],
    ['maintenance', 'closed', [primary(1, {}, { ...refused, maintenance: true }), lost(2)], {}],
    ['operation', 'closed', usual, { operation: running() }],
  ] as readonly (readonly [string, string, readonly ServerSnapshot[], SituationDraft])[])
    it(`${rule} is ${state}: ${JSON.stringify(draft)}`, () => {
      expect(rowOf(rule, servers, draft)).to.equal(state)
    })

  it('names a server with errant transactions also where it is excluded for another reason, or could be elected', () => {
    const said = (...servers: readonly ServerSnapshot[]) => {
      const found = judgeFailover(situation([primary(1, { executed: '0-1-200' }), ...servers])).rows
      return found.find(({ rule }) => rule === 'errant-transactions')
    }
    const stopped = replica(2, { sql: 'stopped', state: { executed: '0-1-100,0-2-101' } })
    const overtaken = replica(3, { received: '0-1-200', state: { executed: '0-1-200,0-3-101' } })
    const { sentence, value } = said(stopped, overtaken) ?? {}
    expect(value).to.equal('db2, db3')
    expect(sentence).to.equal(
      'db2 has errant transactions: at least 1 transaction, 0-2:101. db3 has errant transactions: at least 1 transaction, 0-3:101.',
    )
    expect(said(replica(2))).to.include({ value: 'none', sentence: 'No replica has errant transactions.' })
  })

  it('gives every row its value, limit and sentence', () => {
    for (const row of judgeFailover(situation(usual)).rows) {
      expect(row.value).to.not.equal('')
      expect(row.limit).to.not.equal('')
      expect(row.sentence).to.match(/^\S.*\.$/)
    }
  })

  it('keeps the last reported delay, though the database forgets it with its source', () => {
    const frozen = lost(2, {
      received: '0-1-500',
      applied: '0-1-100',
      server: { arrivals: { '': { at: NOW, lagSeconds: 60 } } },
    })
    const { lagSeconds: _, ...silentChannel } = frozen.state?.channels[0] ?? ({} as never)
    const state = frozen.state && { ...frozen.state, channels: [silentChannel] }
    expect(rowOf('failover-max-slave-delay', [dead, { ...frozen, ...(state ? { state } : {}) }])).to.equal('waiting')
  })
})
