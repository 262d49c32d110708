// MariaDB's fast probe: variables and every replication channel in one round trip, no table and no lock.
import { parsePosition, parseState } from '../../model/server/gtid.js'
import type { ServerState } from '../../model/server/reading.js'
import type { ServerIdentity } from '../../model/server/server.js'
import type { KnownState, SemiSyncStatus } from '../shared/dialect/dialect.js'
import { noStatus, parseSemiSync } from '../shared/probe/semi-sync.js'
import { flagIn, numberIn, pairs, textIn } from '../statement/rows.js'
import type { Rows } from '../statement/statement.js'
import { joinPositions, parseChannel } from './channel.js'
import { galeraStatus, parseGalera } from './galera.js'

/** Column in the answer → variable. */
const columns = {
  server_id: 'server_id',
  read_only: 'read_only',
  event_scheduler: 'event_scheduler',
  log_bin: 'log_bin',
  log_updates: 'log_slave_updates',
  strict: 'gtid_strict_mode',
  domain: 'gtid_domain_id',
  binlog_pos: 'gtid_binlog_pos',
  binlog_state: 'gtid_binlog_state',
  current_pos: 'gtid_current_pos',
  slave_pos: 'gtid_slave_pos',
  semi_source: 'rpl_semi_sync_master_enabled',
  semi_replica: 'rpl_semi_sync_slave_enabled',
  semi_point: 'rpl_semi_sync_master_wait_point',
  semi_timeout: 'rpl_semi_sync_master_timeout',
  semi_alone: 'rpl_semi_sync_master_wait_no_slave',
}

const plainProbe = `SELECT ${Object.entries(columns)
  .map(([column, name]) => `@@GLOBAL.${name} AS ${column}`)
  .join(', ')};SHOW ALL SLAVES STATUS`

/** One additional statement where Galera is enabled. */
export const fastProbe = ({ galera }: ServerIdentity): string => (galera ? `${plainProbe};${galeraStatus}` : plainProbe)

export const semiSyncStatus = "SHOW STATUS LIKE 'Rpl_semi_sync_%'"

export function parseFastProbe(
  identity: ServerIdentity,
  [variables = [], channels = [], galera = []]: readonly Rows[],
  known: KnownState = { uptimeSeconds: 0, semiSync: noStatus },
): ServerState {
  const [row] = variables
  if (!row) throw new TypeError('the probe answered without variables')
  // Replicated transactions are not in the binary log when log_slave_updates is off; local writes are only there.
  const executedText = joinPositions(textIn(row, 'binlog_pos'), textIn(row, 'slave_pos'))
  const executed = parsePosition(executedText)
  const replicated = parsePosition(textIn(row, 'slave_pos'))
  return {
    identity,
    serverNumber: numberIn(row, 'server_id'),
    readOnly: flagIn(row, 'read_only'),
    superReadOnly: false,
    eventScheduler: flagIn(row, 'event_scheduler'),
    uptimeSeconds: known.uptimeSeconds,
    binlog: flagIn(row, 'log_bin'),
    logReplicaUpdates: flagIn(row, 'log_updates'),
    gtid: {
      enabled: true,
      strict: flagIn(row, 'strict'),
      domain: numberIn(row, 'domain'),
      executed,
      byOrigin: parseState(textIn(row, 'binlog_state')),
      text: {
        binlog: textIn(row, 'binlog_pos'),
        current: textIn(row, 'current_pos'),
        replica: textIn(row, 'slave_pos'),
        executed: executedText,
      },
    },
    semiSync: parseSemiSync(row, known.semiSync),
    channels: channels.map((channel) => parseChannel(channel, { executed, replicated })),
    ...(identity.galera ? { galera: parseGalera(galera) } : {}),
  }
}

export function parseSemiSyncStatus(rows: Rows): SemiSyncStatus {
  const status = pairs(rows)
  return {
    sourceActive: status.rpl_semi_sync_master_status === 'ON',
    replicaActive: status.rpl_semi_sync_slave_status === 'ON',
    clients: Number(status.rpl_semi_sync_master_clients ?? 0),
    unacknowledged: Number(status.rpl_semi_sync_master_no_tx ?? 0),
  }
}
