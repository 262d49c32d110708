// Servers are made to be what the settings force-… say, one at a time, and only where they are not.
import { expect } from 'chai'
import { planRepair } from '../../../../lib/decide/repair/repair.js'
import type { DecideSettings } from '../../../../lib/decide/situation/situation.js'
import { named } from '../../../../lib/model/server/named.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  NOW,
  primary,
  replica,
  semiSyncOff,
  situation,
} from '../../../support/simulator/situation.js'

const slow = (number: number, variables: Readonly<Record<string, string>>): { readonly slow: SlowReading } => ({
  slow: {
    ...{ server: `db${number}`, at: NOW, tookMs: 0, status: named({}), plugins: [], dumpThreads: 0 },
    ...{ binlogFile: '', binlogPosition: 0, binlogDoDb: '', binlogIgnoreDb: '', statementHistory: false },
    binlogs: { count: 0, oldest: '', files: [] },
    variables: named(variables),
  },
})

const sound = {
  sync_binlog: '1',
  innodb_flush_log_at_trx_commit: '1',
  binlog_format: 'ROW',
  binlog_annotate_row_events: 'ON',
  log_bin_compress: 'ON',
  log_slow_slave_statements: 'ON',
  binlog_checksum: 'CRC32',
  gtid_strict_mode: 'ON',
  slave_exec_mode: 'STRICT',
  slave_parallel_mode: 'optimistic',
}

/** The plan for a primary and a replica with these variables. */
const planFor = (settings: Partial<DecideSettings>, one: object = {}, two: object = {}) =>
  planRepair(
    situation([primary(1, {}, slow(1, { ...sound, ...one })), replica(2, { server: slow(2, { ...sound, ...two }) })], {
      settings,
    }),
  )

const brief = (plan: ReturnType<typeof planRepair>) =>
  plan?.commands.map((command) => ('values' in command ? { on: command.server, ...command.values } : command.type))

describe('what the settings force-… enforce', () => {
  for (const [setting, name, wrong, right] of [
    ['force-sync-binlog', 'sync_binlog', '0', '1'],
    ['force-sync-innodb', 'innodb_flush_log_at_trx_commit', '2', '1'],
    ['force-binlog-row', 'binlog_format', 'MIXED', 'ROW'],
    ['force-binlog-annotate', 'binlog_annotate_row_events', 'OFF', 'ON'],
    ['force-binlog-compress', 'log_bin_compress', 'OFF', 'ON'],
    ['force-binlog-slowqueries', 'log_slow_slave_statements', 'OFF', 'ON'],
    ['force-binlog-checksum', 'binlog_checksum', 'NONE', 'CRC32'],
    ['force-slave-gtid-mode-strict', 'gtid_strict_mode', 'OFF', 'ON'],
  ] as const)
    it(`sets ${name} on the primary and the replicas with ${setting}, and leaves it alone without`, () => {
      expect(brief(planFor({ [setting]: true }, { [name]: wrong }))).to.deep.equal([{ on: 'db1', [name]: right }])
      expect(brief(planFor({ [setting]: true }, {}, { [name]: wrong }))).to.deep.equal([{ on: 'db2', [name]: right }])
      expect(planFor({}, { [name]: wrong }, { [name]: wrong })).to.equal(undefined)
      expect(planFor({ [setting]: true })).to.equal(undefined)
    })

  it('sets all differing variables of one server at once', () => {
    const wanted = { 'force-sync-binlog': true, 'force-binlog-row': true }
    const wrong = { sync_binlog: '0', binlog_format: 'MIXED' }
    expect(brief(planFor(wanted, {}, wrong))).to.deep.equal([{ on: 'db2', sync_binlog: '1', binlog_format: 'ROW' }])
  })

  it('ignores variables that a server does not have, or that were not read', () => {
    const servers = [primary(), replica(2)]
    expect(planRepair(situation(servers, { settings: { 'force-sync-binlog': true } }))).to.equal(undefined)
  })

  it('sets how replicas apply, the strict mode before the idempotent one, and never on the primary', () => {
    const loose = { slave_exec_mode: 'STRICT' }
    expect(brief(planFor({ 'force-slave-idempotent': true }, loose, loose))).to.deep.equal([
      { on: 'db2', slave_exec_mode: 'IDEMPOTENT' },
    ])
    const both = { 'force-slave-idempotent': true, 'force-slave-strict': true }
    expect(planFor(both, loose, loose)).to.equal(undefined)
    expect(brief(planFor(both, {}, { slave_exec_mode: 'IDEMPOTENT' }))).to.deep.equal([
      { on: 'db2', slave_exec_mode: 'STRICT' },
    ])
  })

  it('sets the parallel mode while replication is stopped, and starts it again also when that fails', () => {
    const plan = planFor({ 'force-slave-parallel-mode': 'conservative' })
    expect(brief(plan)).to.deep.equal([
      'stop-replication',
      { on: 'db2', slave_parallel_mode: 'conservative' },
      'start-replication',
    ])
    expect(plan?.undo).to.deep.equal([{ type: 'start-replication', server: 'db2' }])
  })

  it('makes a replica acknowledge, then the primary wait', () => {
    const settings = { 'force-slave-semisync': true }
    const first = planRepair(situation([primary(1, { semiSync: semiSyncOff }), replica(2)], { settings }))
    expect(brief(first)).to.deep.equal(['set-semi-sync', 'stop-receiving', 'start-replication'])
    const acknowledging = replica(2, { state: { semiSync: acknowledgingReplica } })
    const second = planRepair(situation([primary(1, { semiSync: semiSyncOff }), acknowledging], { settings }))
    expect(second?.commands).to.deep.equal([{ type: 'set-semi-sync', server: 'db1', source: true, replica: false }])
    const waiting = primary(1, { semiSync: acknowledgedSource() })
    expect(planRepair(situation([waiting, acknowledging], { settings }))).to.equal(undefined)
  })

  it('gives a replica another heartbeat, or GTID, without losing what it received', () => {
    const settings = { 'force-slave-heartbeat': true, 'force-slave-gtid-mode': true, 'force-slave-heartbeat-time': 2 }
    const renewed = { type: 'repoint', server: 'db2', source: 'db1', renew: true, patient: true, timeoutMs: 25_000 }
    const check = { type: 'check-login', server: 'db1' }
    const slowBeat = replica(2, { heartbeatPeriodSeconds: 30 })
    const byPosition = replica(2, { heartbeatPeriodSeconds: 2, usesGtid: false })
    for (const server of [slowBeat, byPosition]) {
      expect(planRepair(situation([primary(), server], { settings }))?.commands).to.deep.equal([check, renewed])
      expect(planRepair(situation([primary(), server]))).to.equal(undefined)
      const refusing = primary(1, {}, { login: { at: 1, user: 'repl', state: 'unknown', message: 'error 1184' } })
      expect(planRepair(situation([refusing, server], { settings }))).to.equal(undefined)
    }
    const asWanted = replica(2, { heartbeatPeriodSeconds: 2 })
    expect(planRepair(situation([primary(), asWanted], { settings }))).to.equal(undefined)
  })

  it('leaves servers alone that are in maintenance or do not replicate', () => {
    const settings = { 'force-sync-binlog': true }
    const wrong = slow(2, { ...sound, sync_binlog: '0' })
    const spared = replica(2, { server: { ...wrong, maintenance: true } })
    expect(planRepair(situation([primary(1, {}, slow(1, sound)), spared], { settings }))).to.equal(undefined)
  })

  it('sets the delay of listed replicas that run without it, and leaves one alone that was set on the server', () => {
    const asked = (setting: number, set: number) =>
      planRepair(situation([primary(), replica(2, { delaySeconds: set, server: { delaySeconds: setting } })]))
        ?.commands[1]
    expect(asked(600, 0)).to.include({ type: 'repoint', server: 'db2', source: 'db1', renew: true, delaySeconds: 600 })
    expect(asked(600, 600)).to.equal(undefined)
    expect(asked(0, 600)).to.equal(undefined)
  })
})
