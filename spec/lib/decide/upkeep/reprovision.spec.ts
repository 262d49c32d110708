// A replica is emptied only when nothing can be lost by it; a filled one is brought to where the primary is, or given up.
import { expect } from 'chai'
import { type CatchUp, judgeReprovision, stepCatchUp } from '../../../../lib/decide/upkeep/reprovision.js'
import { noteTurn, planRoll, stepRoll } from '../../../../lib/decide/upkeep/rolling.js'
import type { Roll } from '../../../../lib/model/operation/roll.js'
import { parseVersion } from '../../../../lib/model/server/version.js'
import {
  gtid,
  NOW,
  primary,
  refused,
  replica,
  running,
  server,
  situation,
} from '../../../support/simulator/situation.js'

const judge = (servers: Parameters<typeof situation>[0], force = false) =>
  judgeReprovision(situation(servers), { server: 'db2', force })
const three = [primary(), replica(2), replica(3)]

describe('judgeReprovision', () => {
  it('copies from another healthy replica, one that is no candidate first', () => {
    expect(judge(three)).to.deep.equal({ ok: true, value: { donor: 'db3' } })
    const ignored = [...three, replica(4, { server: { rating: 'ignored' } })]
    expect(judge(ignored)).to.deep.equal({ ok: true, value: { donor: 'db4' } })
  })

  it('excludes donors that are in maintenance, delayed, or log nothing, and reports when the primary is the donor', () => {
    const silent = [primary(), replica(2), replica(3, { state: { logReplicaUpdates: false } })]
    const judged = judge(silent)
    expect(judged.ok && judged.value.donor).to.equal('db1')
    expect(judged.ok && judged.value.note).to.match(/^the primary db1 is the donor: no replica logs what it applies/)
  })

  for (const [why, servers, words] of [
    ['the primary is down', [primary(1, {}, refused), replica(2), replica(3)], 'is read-only'],
    ['it does not replicate', [primary(), replica(2, { sql: 'stopped' }), replica(3)], 'db2 does not replicate'],
    ['it does not answer', [primary(), replica(2, { server: refused }), replica(3)], 'db2 does not answer'],
    [
      'it holds transactions that no other server has',
      [primary(), replica(2, { state: { executed: '0-1-100,0-2-101' } }), replica(3)],
      'that the primary is missing: ',
    ],
    ['only the primary holds the data besides', [primary(), replica(2)], 'use force=true to accept that'],
    [
      'the only other replica is in maintenance',
      [primary(), replica(2), replica(3, { server: { maintenance: true } })],
      'use force=true',
    ],
  ] as const)
    it(`refuses because ${why}`, () => {
      const judged = judge(servers)
      expect(judged.ok).to.equal(false)
      expect(!judged.ok && judged.failure.message).to.contain(words)
    })

  it('copies from the primary of a pair when that is meant, never over transactions of its own', () => {
    const judged = judge([primary(), replica(2)], true)
    expect(judged.ok && judged.value.donor).to.equal('db1')
    const errant = [primary(), replica(2, { state: { executed: '0-1-100,0-2-101' } })]
    expect(judge(errant, true).ok).to.equal(false)
  })

  it('counts of what it wrote alone only what is certain', () => {
    const errant = [primary(), replica(2, { state: { executed: '0-1-100,0-2-103' } })]
    const judged = judge(errant, true)
    expect(!judged.ok && judged.failure.message).to.include(
      'it has at least 3 transactions that the primary is missing: 0-2:101-103',
    )
  })
})

describe('judgeReprovision of a replica with more of the writing of the primary than the primary shows', () => {
  const ahead = (memory: Parameters<typeof situation>[1] = {}) =>
    judgeReprovision(
      situation([primary(), replica(2, { state: { executed: '0-1-105' }, received: '0-1-105' }), replica(3)], memory),
      { server: 'db2', force: false },
    )

  it('allows it where the readings are of about the same time: the primary writes', () => {
    expect(ahead()).to.deep.equal({ ok: true, value: { donor: 'db3' } })
  })

  it('refuses it where the primary was seen without them', () => {
    const judged = ahead({ memory: { held: { primary: 'db1', set: { '0-1': [[1, 105]] }, at: NOW - 10_000 } } })
    expect(!judged.ok && judged.failure.message).to.contain(
      'it has 5 transactions that the primary is missing: 0-1:101-105',
    )
  })
})

describe('judgeReprovision of MySQL', () => {
  const of = (versionText: string, enabled: boolean) => ({
    identity: { flavour: 'mysql' as const, version: parseVersion(versionText), versionText },
    gtid: { ...gtid('0-1-100'), enabled },
  })
  const judgeOf = (first: string, second = first, enabled = true) => {
    const [one, two] = [of(first, enabled), of(second, enabled)]
    return judge([primary(1, one), replica(2, { state: two }), replica(3, { state: one })])
  }

  it('copies between servers that the clone plugin takes', () => {
    expect(judgeOf('9.7.4')).to.deep.equal({ ok: true, value: { donor: 'db3' } })
    expect(judgeOf('8.4.2', '8.4.6').ok).to.equal(true)
  })

  for (const [why, judged, words] of [
    ['it is too old', judgeOf('8.0.15'), 'exists since 8.0.17'],
    ['the series differ', judgeOf('8.4.2', '9.7.4'), 'db2 is MySQL 9.7.4, db1 8.4.2'],
    ['it has no position', judgeOf('9.7.4', '9.7.4', false), 'runs without gtid_mode'],
  ] as const)
    it(`refuses because ${why}`, () => {
      expect(!judged.ok && judged.failure.message).to.contain(words)
    })
})

describe('stepCatchUp', () => {
  const step = (servers: Parameters<typeof situation>[0], state: CatchUp = {}, draft = {}) =>
    stepCatchUp(state, 'db2', situation(servers, draft))

  it('repoints a server without a source to the present primary', () => {
    const filled = server(2, { role: 'standalone', stateName: 'maintenance', maintenance: true })
    expect(step([primary(), filled, replica(3)])).to.deep.include({ type: 'follow', primary: 'db1' })
  })

  it('is done when it has applied what the primary had, and waits for the rest until it gets no nearer', () => {
    expect(step(three).type).to.equal('done')
    const behind = [primary(1, { executed: '0-1-150' }), replica(2, { received: '0-1-120' }), replica(3)]
    const waiting = step(behind)
    expect(waiting).to.have.nested.property('state.waiting.left', 50 - 20)
    const state = waiting.type === 'wait' ? waiting.state : {}
    expect(stepCatchUp(state, 'db2', { ...situation(behind), now: NOW + 119_000 }).type).to.equal('wait')
    expect(stepCatchUp(state, 'db2', { ...situation(behind), now: NOW + 121_000 }).type).to.equal('give-up')
  })

  it('gives up with the error when replication breaks', () => {
    const broken = replica(2, { sql: 'stopped', sqlError: { code: 1062, message: 'Duplicate entry' } })
    expect(step([primary(), broken, replica(3)])).to.deep.equal({
      ...{ type: 'give-up', reason: 'its replication stopped: error 1062: Duplicate entry' },
    })
  })

  it('waits while an operation runs and while there is no writer', () => {
    expect(step(three, {}, { operation: running() }).type).to.equal('wait')
    expect(step([primary(1, {}, refused), replica(2), replica(3)]).type).to.equal('wait')
  })
})

describe('planRoll of a reprovision', () => {
  const request = { id: 'r', user: 'ann', kind: 'reprov' } as const
  const plan = (servers: Parameters<typeof situation>[0], more: object = {}) =>
    planRoll(situation(servers), { ...request, ...more })

  it('is refused as long as one server could not be filled without a risk', () => {
    const judged = plan([primary(), replica(2)])
    expect(!judged.ok && judged.failure.message).to.contain('force=true')
    expect(plan([primary(), replica(2)], { force: true }).ok).to.equal(true)
  })

  it('gives one replica alone its turn, and leaves the role where it is', () => {
    const planned = plan(three, { only: 'db2' })
    const roll = planned.ok ? planned.value : undefined
    expect(roll?.servers.map(({ server: id, state }) => `${id} ${state}`)).to.have.members([
      ...['db2 waiting', 'db3 skipped', 'db1 skipped'],
    ])
    expect(roll).to.include({ home: 'db1', only: 'db2' })
    const refusal = plan(three, { only: 'db1' })
    expect(!refusal.ok && refusal.failure.code).to.equal('is-primary')
    expect(plan(three, { only: 'db9' }).ok).to.equal(false)
  })

  it('takes an interrupted turn up again whatever the server shows: only its host knows how far it is', () => {
    const acting = (): Roll => ({
      ...{
        id: 'r',
        kind: 'reprov',
        owner: 'ann',
        startedAt: NOW - 60_000,
        home: 'db1',
        primary: 'db1',
        phase: 'running',
      },
      servers: [{ server: 'db2', state: 'acting', maintained: true, actedAt: NOW - 50_000 }],
    })
    for (const state of [{}, { uptimeSeconds: 1 }]) {
      const { command } = stepRoll(acting(), situation([primary(), replica(2, { state }), replica(3)]))
      expect(command).to.deep.equal({ type: 'act', server: 'db2', kind: 'reprov', again: true })
    }
    // Refused before it began, since the role is being moved: what becomes of the run is decided after that.
    const waiting = noteTurn(acting(), { server: 'db2', gaveWay: true }, NOW)
    expect(waiting).to.include({ phase: 'running' })
    expect(waiting.servers).to.deep.equal([{ server: 'db2', state: 'waiting' }])
    const moved = situation([primary(), replica(2), replica(3)], { memory: { lastFailoverAt: NOW } })
    expect(stepRoll(waiting, moved).roll).to.include({ phase: 'stopped', message: 'a failover took precedence' })
    const cancelled = noteTurn({ ...acting(), cancelledBy: 'bob' }, { server: 'db2', failure: 'on its old data' }, NOW)
    expect(cancelled).to.include({ phase: 'cancelled', message: 'cancelled by bob' })
    expect(noteTurn(acting(), { server: 'db2', failure: 'the disk is full' }, NOW)).to.include({
      ...{ phase: 'stopped', message: 'the disk is full' },
    })
  })
})
