// The plan of a failover, in its order.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { planFailover } from '../../../../lib/decide/failover/failover.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  cutOff,
  NOW,
  primary,
  type ReplicaDraft,
  refused,
  replica,
  running,
  type SituationDraft,
  silent,
  situation,
} from '../../../support/simulator/situation.js'

const dead = primary(1, {}, refused)
const lost = (number: number, draft: ReplicaDraft = {}) => replica(number, { ...cutOff, ...draft })
const usual = [dead, lost(2), lost(3)]
const forced = { user: 'ann', forced: true }

/** `stop-receiving db2`: a plan in a few words. */
const inWords = (commands: readonly Command[]): readonly string[] =>
  commands.map((command) =>
    [
      command.type,
      'server' in command ? command.server : undefined,
      'source' in command && typeof command.source === 'string' ? command.source : undefined,
      command.type === 'route-writes' ? (command.primary ?? 'nowhere') : undefined,
      command.type === 'reprobe' && command.frozen ? 'frozen' : undefined,
    ]
      .filter(Boolean)
      .join(' '),
  )

const plan = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) => {
  const found = planFailover(situation(servers, draft))
  if (!found.ok) throw new Error(found.failure.message)
  return found.value
}

/** What it reports about a primary in that semi-sync state. */
const reportFor = (server: ReturnType<typeof silent>, timeoutMs: number): string => {
  const semiSync = { ...acknowledgedSource(2), timeoutMs }
  const follower = { state: { semiSync: acknowledgingReplica } }
  const { commands } = plan([primary(1, { semiSync }, server), lost(2, follower), lost(3, follower)])
  const report = commands.find(({ type }) => type === 'report')
  return report?.type === 'report' ? report.text : ''
}

describe('planFailover', () => {
  it('stops receiving everywhere, elects again, applies, promotes, opens, and repoints', () => {
    expect(inWords(plan(usual).commands)).to.deep.equal([
      'reprobe',
      'fence db1',
      'route-writes nowhere',
      'stop-receiving db2',
      'stop-receiving db3',
      'reprobe frozen',
      'apply-received db2',
      'promote db2',
      'make-writable db2',
      'route-writes db2',
      'repoint db3 db2',
      'record-crash',
      'mark-primary db2',
      'report',
    ])
  })

  it('never repoints the candidate when undone: its relay log may be the only copy', () => {
    expect(inWords(plan(usual).undo)).to.deep.equal([
      'start-replication db2',
      'start-replication db3',
      'route-writes db1',
    ])
  })

  it('switches the source side on before opening when a replica is about to acknowledge', () => {
    const servers = [
      primary(1, { semiSync: acknowledgedSource(2) }, refused),
      lost(2, { state: { semiSync: acknowledgingReplica } }),
      lost(3, { state: { semiSync: acknowledgingReplica } }),
    ]
    const words = inWords(plan(servers).commands)
    expect(words.slice(words.indexOf('promote db2'), words.indexOf('route-writes db2'))).to.deep.equal(
      ['promote db2', 'set-semi-sync db2 ', 'make-writable db2'].map((word) => word.trim()),
    )
  })

  it('leaves the source side off when no replica could acknowledge: the first commit would wait in vain', () => {
    const servers = [
      primary(1, { semiSync: acknowledgedSource(1) }, refused),
      lost(2, { state: { semiSync: acknowledgingReplica } }),
    ]
    expect(inWords(plan(servers).commands)).to.not.include('set-semi-sync db2')
  })

  for (const [which, draft, counts] of [
    ['missed the latest probes', silent(), true],
    ['has been silent since long before', { ...silent(), stateAt: NOW - 11 * SECOND }, false],
    ['is down', { ...refused, stateAt: NOW - 300 }, false],
    ['is in maintenance', { ...silent(), maintenance: true }, false],
  ] as const)
    it(`${counts ? 'counts on' : 'does not wait for'} an acknowledging replica that ${which}`, () => {
      const servers = [
        primary(1, { semiSync: acknowledgedSource(2) }, refused),
        lost(2, { state: { semiSync: acknowledgingReplica } }),
        lost(3, { state: { semiSync: acknowledgingReplica }, server: draft }),
      ]
      const words = inWords(plan(servers).commands)
      expect(words.includes('set-semi-sync db2')).to.equal(counts)
      expect(words).to.not.include('repoint db3 db2')
      const mark = plan(servers).commands.find(({ type }) => type === 'mark-primary')
      expect(mark?.timeoutMs).to.equal(counts ? 250 : 5_000)
    })

  it('disables a source side that no replica acknowledges', () => {
    const both = { ...acknowledgingReplica, sourceEnabled: true }
    const servers = [primary(1, { semiSync: acknowledgedSource(1) }, refused), lost(2, { state: { semiSync: both } })]
    expect(plan(servers).commands).to.deep.include({
      type: 'set-semi-sync',
      server: 'db2',
      source: false,
      replica: true,
      bestEffort: true,
      concurrent: true,
      after: 'neighbour',
    })
  })

  it('lets the candidate follow an ignored server first that alone holds more', () => {
    const words = inWords(
      plan([dead, lost(2), lost(3, { received: '0-1-120', server: { rating: 'ignored' } })]).commands,
    )
    expect(words.slice(words.indexOf('reprobe frozen') + 1, words.indexOf('promote db2'))).to.deep.equal([
      'apply-received db3',
      'apply-received db2',
      'repoint db2 db3',
      'catch-up db2 db3',
      'apply-received db2',
    ])
  })

  it('lets it follow a server in maintenance as well, of which it changes nothing else', () => {
    const away = lost(3, { received: '0-1-120', server: { maintenance: true } })
    const { commands, undo } = plan([dead, lost(2), away, lost(4)])
    expect(inWords(commands).filter((word) => word.includes('db3'))).to.deep.equal([
      'stop-receiving db3',
      'apply-received db3',
      'repoint db2 db3',
      'catch-up db2 db3',
    ])
    expect(inWords(undo).filter((word) => word.includes('db3'))).to.deep.equal(['start-replication db3'])
  })

  it('runs the scripts of the operator around it', () => {
    const { commands } = plan(usual, { settings: { 'failover-pre-script': '/pre', 'failover-post-script': '/post' } })
    expect(
      commands.flatMap((command) => (command.type === 'run-script' ? [[command.script, ...command.args]] : [])),
    ).to.deep.equal([
      ['/pre', 'db1', 'db2', '3306', '3306', 'db1', 'db2', 'failover'],
      ['/post', 'db1', 'db2', '3306', '3306', 'db1', 'db2', 'failover'],
    ])
  })

  it('keeps replicas of a living relay where they are', () => {
    const relayed = lost(4, { source: 3, io: 'running' })
    const words = inWords(plan([...usual, relayed], { settings: { 'replication-multi-tier-slave': true } }).commands)
    expect(words.filter((word) => word.includes('db4'))).to.deep.equal([])
  })

  it('keeps the delay of a delayed replica', () => {
    const delayed = lost(3, { delaySeconds: 600, server: { delaySeconds: 600 } })
    expect(plan([dead, lost(2), delayed]).commands).to.deep.include({
      type: 'repoint',
      server: 'db3',
      source: 'db2',
      delaySeconds: 600,
      bestEffort: true,
      concurrent: true,
      timeoutMs: 5 * SECOND,
    })
  })

  for (const [code, servers, draft] of [
    ['primary-alive', [primary(), replica(2)], {}],
    ['primary-alive', [primary(1, {}, silent()), replica(2)], {}],
    ['primary-alive', [primary(1, {}, { observation: 'rejected' }), lost(2)], {}],
    ['no-candidate', [dead, lost(2, { sql: 'stopped' })], {}],
    ['operation-running', usual, { operation: running() }],
  ] as const satisfies readonly (readonly [string, readonly ServerSnapshot[], SituationDraft])[])
    it(`is refused to a person with ${code}`, () => {
      const found = planFailover(situation(servers, draft), forced)
      expect(found).to.have.property('ok', false)
      expect(found).to.have.nested.property('failure.code', code)
    })

  it('is refused to a person without a primary', () => {
    const found = planFailover(
      situation(
        [replica(2), replica(3)].map((one) => ({ ...one, observation: 'unseen' as const })),
        { memory: { primary: 'gone' } },
      ),
      forced,
    )
    expect(found).to.have.nested.property('failure.code', 'no-primary')
  })

  it('is granted to a person whatever guards against haste', () => {
    const draft = {
      settings: { 'failover-mode': 'manual' as const, 'failover-limit': 1, 'failover-time-limit': 600 },
      memory: { failoverCount: 3, lastFailoverAt: NOW - SECOND },
    }
    const once = primary(1, {}, { ...refused, refusals: 1, failures: 1 })
    expect(planFailover(situation([once, lost(2)], draft), forced).ok).to.equal(true)
    expect(planFailover(situation([once, lost(2)], draft)).ok).to.equal(false)
  })

  it('says of a silent primary that it acknowledges alone after its semi-sync timeout, where it has one', () => {
    const reservation = 'it acknowledges alone after its semi-sync timeout (10000 ms)'
    expect(reportFor(silent(), 10_000)).to.include('No acknowledged transaction is lost').and.include(reservation)
    expect(reportFor(silent(), 4_294_967_295)).to.not.include('alone')
    expect(reportFor(refused, 10_000)).to.not.include('alone')
  })
})
