// Who is elected, who is not and why, and what happens to transactions that only others have.
import { expect } from 'chai'
import { SECOND } from '../../../../../lib/base/time.js'
import { elect } from '../../../../../lib/decide/failover/election/elect.js'
import { parseState } from '../../../../../lib/model/server/gtid.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import {
  acknowledgedSource,
  crash,
  cutOff,
  NOW,
  primary,
  type ReplicaDraft,
  refused,
  replica,
  type SituationDraft,
  server,
  silent,
  situation,
  stateOf,
} from '../../../../support/simulator/situation.js'

const dead = primary(1, {}, refused)
const run = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) =>
  elect(situation(servers, draft), { kind: 'failover' })
const lost = (number: number, draft: ReplicaDraft = {}) => replica(number, { ...cutOff, ...draft })

describe('elect', () => {
  for (const [claim, winner, servers] of [
    ['takes who received the most', 'db3', [lost(2), lost(3, { received: '0-1-105' })]],
    [
      'takes who received the most though it applied less',
      'db3',
      [lost(2), lost(3, { received: '0-1-105', applied: '0-1-20' })],
    ],
    ['prefers among those who received the same', 'db3', [lost(2), lost(3, { server: { rating: 'preferred' } })]],
    [
      'does not prefer who received less',
      'db2',
      [lost(2), lost(3, { received: '0-1-99', server: { rating: 'preferred' } })],
    ],
    ['takes who applied more of the same', 'db3', [lost(2, { applied: '0-1-50' }), lost(3)]],
    ['takes the first by id when all is the same', 'db2', [lost(3), lost(2)]],
    ['excludes an ignored server', 'db3', [lost(2, { server: { rating: 'ignored' } }), lost(3)]],
  ] as const)
    it(claim, () => expect(run([dead, ...servers]).candidate).to.equal(winner))

  for (const [code, draft, given] of [
    ['ERR00047', { server: { maintenance: true } }, {}],
    ['ERR00040', { server: silent() }, {}],
    ['ERR00040', { state: { binlog: false } }, {}],
    ['ERR00040', { state: { logReplicaUpdates: false } }, {}],
    ['ERR00033', { usesGtid: false }, {}],
    ['ERR00037', { server: { rating: 'ignored' } }, {}],
    ['ERR00042', { sql: 'stopped', sqlError: { code: 1062, message: 'duplicate entry' } }, {}],
    [
      'ERR00042',
      {},
      {
        settings: { 'failover-divergent-data': false },
        memory: { differing: { db2: { since: NOW, error: 'row not found' } } },
      },
    ],
    ['ERR00041', { delaySeconds: 3600 }, {}],
    ['ERR00041', { received: '0-1-50', server: { arrivals: { '': { at: NOW - 60 * SECOND } } } }, {}],
    ['ERR00043', {}, { settings: { 'failover-at-sync': true } }],
    ['ERR00087', { io: 'stopped', received: '0-1-50' }, {}],
    ['WARN0087', { state: { serverNumber: 3 } }, {}],
    ['WARN0091', { state: { executed: '0-1-100,0-2-101' } }, {}],
  ] as const satisfies readonly (readonly [string, ReplicaDraft, SituationDraft])[])
    it(`excludes a server by ${code}: ${JSON.stringify(draft)}`, () => {
      const { ranking } = run([dead, lost(2, draft), lost(3)], given)
      expect(ranking.find(({ server: id }) => id === 'db2')).to.include({ eligible: false, code })
    })

  it('takes a server whose data differ by default, and on request', () => {
    const memory = { differing: { db2: { since: NOW, error: 'row not found' } } }
    expect(run([dead, lost(2)], { memory }).candidate).to.equal('db2')
    const off = situation([dead, lost(2)], { memory, settings: { 'failover-divergent-data': false } })
    expect(elect(off, { kind: 'failover' })).to.not.have.property('candidate')
    expect(elect(off, { kind: 'failover', forced: true }).candidate).to.equal('db2')
  })

  it('excludes a server that started after a total outage, unless configured otherwise', () => {
    const outage = { memory: { totalOutage: true, outageSince: NOW - 20 * SECOND } }
    const young = lost(2, { state: { uptimeSeconds: 5 } })
    expect(run([dead, young], outage).ranking[0]).to.include({ eligible: false, code: 'ERR00084' })
    expect(run([dead, young], { ...outage, settings: { 'failover-restart-unsafe': true } }).candidate).to.equal('db2')
  })

  it('takes a server that ran through what only seemed a total outage', () => {
    expect(run([dead, lost(2)], { memory: { totalOutage: true, outageSince: NOW - 20 * SECOND } }).candidate).to.equal(
      'db2',
    )
  })

  it('elects none among servers whose received sets have diverged', () => {
    const one = lost(2, { received: '0-1-100,1-1-5', applied: '0-1-100' })
    const other = lost(3, { received: '0-1-101', applied: '0-1-100' })
    const election = run([dead, one, other])
    expect(election).to.not.have.property('candidate')
    expect(election.diverged).to.deep.equal(['db2', 'db3'])
  })

  it('lets the candidate fetch what only an ignored server received', () => {
    const ignored = lost(3, { received: '0-1-120', server: { rating: 'ignored' } })
    expect(run([dead, lost(2), ignored])).to.include({ candidate: 'db2', donor: 'db3' })
  })

  it('lets it fetch what only a server in maintenance received', () => {
    const away = lost(3, { received: '0-1-120', server: { maintenance: true } })
    expect(run([dead, lost(2), away])).to.deep.include({ candidate: 'db2', donor: 'db3', heldElsewhere: [] })
  })

  for (const [why, draft] of [
    ['delayed on purpose', { delaySeconds: 600 }],
    ['not logging what it replicates', { state: { logReplicaUpdates: false } }],
    ['not applying', { sql: 'stopped', applied: '0-1-80' }],
  ] as const)
    it(`fetches nothing from a server in maintenance that is ${why}`, () => {
      const away = lost(3, { received: '0-1-120', ...draft, server: { maintenance: true } })
      const election = run([dead, lost(2), away])
      expect(election).to.not.have.property('donor')
      expect(election.heldElsewhere).to.deep.equal([{ server: 'db3', transactions: 20 }])
    })

  it('names servers with transactions that the candidate cannot get', () => {
    const broken = lost(3, { sql: 'stopped', received: '0-1-120', applied: '0-1-80' })
    expect(run([dead, lost(2), broken])).to.deep.include({
      candidate: 'db2',
      heldElsewhere: [{ server: 'db3', transactions: 20 }],
    })
  })

  it('compares by origin, so a stale last probe of the primary makes no replica errant', () => {
    const late = primary(1, { executed: '0-1-40' }, refused)
    expect(run([late, lost(2)]).candidate).to.equal('db2')
  })

  it('does not mistake a former primary for errant when the new one died before it was read again', () => {
    const old = lost(2, { received: '0-2-90', state: { executed: '0-2-90', replicaPosition: '' } })
    const stale = primary(1, { executed: '0-2-80' }, refused)
    const took = crash({ oldPrimary: 'db2', newPrimary: 'db1', byOrigin: parseState('0-2-90') })
    expect(run([stale, old], { memory: { history: [took] } }).candidate).to.equal('db2')
    expect(run([stale, old]).candidate).to.equal(undefined)
  })

  it('forgives on MariaDB what later transactions of the domain have overtaken', () => {
    const local = lost(2, { state: { executed: '0-2-3,0-1-100' } })
    expect(run([dead, local]).candidate).to.equal('db2')
    expect(run([dead, local, lost(3)]).candidate).to.equal('db3')
  })

  it('takes a read-only server that an interrupted promotion left without a source', () => {
    const left = server(2, { state: stateOf(2, { executed: '0-1-105' }) })
    expect(run([dead, left, lost(3)]).candidate).to.equal('db2')
  })

  it('never takes a former primary without a source', () => {
    const former = server(2, { state: stateOf(2, { executed: '0-1-105' }) })
    expect(
      run([dead, former, lost(3)], { memory: { crashes: [crash({ oldPrimary: 'db2', newPrimary: 'db1' })] } })
        .candidate,
    ).to.equal('db3')
  })

  it('gives for each the reason why it ranks below the one before it', () => {
    const reasons = run([
      dead,
      lost(2, { received: '0-1-110' }),
      lost(3, { server: { rating: 'preferred' } }),
      lost(4),
      lost(5, { applied: '0-1-90' }),
      lost(6, { sql: 'stopped' }),
    ]).ranking.map(({ reason }) => reason)
    expect(reasons).to.deep.equal([
      'db2 ranks first.',
      'db3 received 10 transactions less than db2.',
      'db4 received as much as db3, which is preferred.',
      'db5 received as much as db4 but has 10 transactions to apply, db4 0.',
      'db6 is not applying: its SQL thread is stopped.',
    ])
  })

  it('takes the preferred one at once in a switchover, since it will catch up', () => {
    const servers = [primary(), replica(2), replica(3, { received: '0-1-90', server: { rating: 'preferred' } })]
    expect(elect(situation(servers), { kind: 'switchover' }).candidate).to.equal('db3')
  })

  it('takes the requested one in a switchover, or none', () => {
    const one = situation([primary(), replica(2), replica(3, { sql: 'stopped' })])
    expect(elect(one, { kind: 'switchover', wanted: 'db2' }).candidate).to.equal('db2')
    expect(elect(one, { kind: 'switchover', wanted: 'db3' }).candidate).to.equal(undefined)
  })

  it('demands the same release and the settings of a switchover', () => {
    const older = {
      identity: { flavour: 'mariadb', version: { major: 10, minor: 6, patch: 1 }, versionText: '10.6.1' },
    } as const
    const codeOf = (draft: ReplicaDraft, given: SituationDraft = {}) =>
      elect(
        situation([primary(1, { executed: '0-1-200', semiSync: acknowledgedSource() }), replica(2, draft)], given),
        { kind: 'switchover' },
      ).ranking[0]?.code
    expect(codeOf({ state: older })).to.equal('ERR00034')
    expect(codeOf({ state: older }, { settings: { 'switchover-lower-release': true } })).to.equal(undefined)
    expect(codeOf({}, { settings: { 'switchover-at-equal-gtid': true } })).to.equal('ERR00034')
    expect(codeOf({}, { settings: { 'switchover-at-sync': true } })).to.equal('ERR00043')
    expect(codeOf({ io: 'connecting' })).to.equal('ERR00087')
    expect(codeOf({ lagSeconds: 31 })).to.equal('ERR00041')
  })
})
