// MySQL's fast probe: variables, every replication channel and its heartbeats in one round trip.
import { type GtidSet, isEmpty, parseGtidSet } from '../../model/server/gtid.js'
import type { ServerState } from '../../model/server/reading.js'
import type { ServerIdentity } from '../../model/server/server.js'
import type { Capabilities, KnownState, SemiSyncStatus } from '../shared/dialect/dialect.js'
import { noStatus, parseSemiSync } from '../shared/probe/semi-sync.js'
import { flagIn, numberIn, pairs, textIn } from '../statement/rows.js'
import type { Rows } from '../statement/statement.js'
import { parseChannel } from './channel.js'
import { command, semiSync } from './names.js'

/** Column in the answer → variable. */
const columns = {
  server_id: 'server_id',
  uuid: 'server_uuid',
  read_only: 'read_only',
  super_read_only: 'super_read_only',
  event_scheduler: 'event_scheduler',
  log_bin: 'log_bin',
  gtid_mode: 'gtid_mode',
  strict: 'enforce_gtid_consistency',
  // Before `executed`: what commits between the two is in one of them.
  owned: 'gtid_owned',
  executed: 'gtid_executed',
}
const sourceVariables = {
  semi_source: 'rpl_semi_sync_source_enabled',
  semi_point: 'rpl_semi_sync_source_wait_point',
  semi_timeout: 'rpl_semi_sync_source_timeout',
  semi_alone: 'rpl_semi_sync_source_wait_no_replica',
}
const replicaVariables = { semi_replica: 'rpl_semi_sync_replica_enabled' }

/** Counters of the receiving threads are in memory tables; reading them takes no lock. */
const heartbeats =
  'SELECT s.CHANNEL_NAME AS channel, s.COUNT_RECEIVED_HEARTBEATS AS heartbeats, c.HEARTBEAT_INTERVAL AS period ' +
  'FROM performance_schema.replication_connection_status s ' +
  'JOIN performance_schema.replication_connection_configuration c USING (CHANNEL_NAME)'

/** Only variables that exist: naming another would fail the whole probe. */
export function fastProbe(capabilities: Capabilities): string {
  const { source, replica } = capabilities.semiSyncSides
  const semiSyncColumns = Object.entries({ ...(source ? sourceVariables : {}), ...(replica ? replicaVariables : {}) })
  const selected = [
    ...Object.entries(columns),
    ['log_updates', capabilities.replicaVariables ? 'log_replica_updates' : 'log_slave_updates'],
    ...semiSyncColumns.map(([column, name]) => [column, semiSync(capabilities, name)]),
  ]
  const list = selected.map(([column, name]) => `@@GLOBAL.${name} AS ${column}`)
  return `SELECT ${list.join(', ')};${command(capabilities, 'SHOW REPLICA STATUS')};${heartbeats}`
}

export const semiSyncStatus = "SHOW STATUS LIKE 'Rpl_semi_sync_%'"

export function parseFastProbe(
  identity: ServerIdentity,
  [variables = [], channels = [], heartbeats = []]: readonly Rows[],
  known: KnownState = { uptimeSeconds: 0, semiSync: noStatus },
): ServerState {
  const [row] = variables
  if (!row) throw new TypeError('the probe answered without variables')
  const executedText = textIn(row, 'executed').replace(/\s/g, '')
  const executed = parseGtidSet(executedText)
  const committing = parseOwned(textIn(row, 'owned'))
  const heartbeatOf = (channel: string) => heartbeats.find((beat) => textIn(beat, 'channel') === channel) ?? {}
  return {
    identity,
    serverNumber: numberIn(row, 'server_id'),
    uuid: textIn(row, 'uuid'),
    readOnly: flagIn(row, 'read_only'),
    superReadOnly: flagIn(row, 'super_read_only'),
    eventScheduler: flagIn(row, 'event_scheduler'),
    uptimeSeconds: known.uptimeSeconds,
    binlog: flagIn(row, 'log_bin'),
    logReplicaUpdates: flagIn(row, 'log_updates'),
    gtid: {
      enabled: textIn(row, 'gtid_mode') === 'ON',
      strict: textIn(row, 'strict') === 'ON',
      domain: 0,
      executed,
      byOrigin: executed,
      ...(isEmpty(committing) ? {} : { committing }),
      text: { binlog: executedText, current: executedText, replica: executedText, executed: executedText },
    },
    semiSync: parseSemiSync(row, known.semiSync),
    channels: channels.map((channel) => parseChannel(channel, heartbeatOf(textIn(channel, 'Channel_Name')))),
  }
}

/** `gtid_owned`: a set in which each transaction is followed by the threads that commit it, `uuid:7#31:8#32`. */
const parseOwned = (text: string): GtidSet => parseGtidSet(text.replace(/#\d+/g, ''))

export function parseSemiSyncStatus(rows: Rows): SemiSyncStatus {
  const status = pairs(rows)
  const value = (newName: string, oldName: string) =>
    status[`rpl_semi_sync_${newName}`] ?? status[`rpl_semi_sync_${oldName}`]
  return {
    sourceActive: value('source_status', 'master_status') === 'ON',
    replicaActive: value('replica_status', 'slave_status') === 'ON',
    clients: Number(value('source_clients', 'master_clients') ?? 0),
    unacknowledged: Number(value('source_no_tx', 'master_no_tx') ?? 0),
  }
}
