// Advice on each server's settings: cheap to judge from what the probes read anyway.
import { SECOND } from '../../base/time.js'
import type { FindingCode } from '../../model/findings.js'
import { type Named, nothingNamed, textOf } from '../../model/server/named.js'
import type { ServerState } from '../../model/server/reading.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { channelOf } from '../situation/channel.js'
import type { DecideSettings, Situation } from '../situation/situation.js'
import { type ServerRow, when } from './row.js'

interface Advice {
  readonly primary?: FindingCode
  readonly replica?: FindingCode
  /** Whether the server does not follow the advice. */
  readonly violates: (subject: Subject) => boolean
}

interface Subject {
  readonly server: ServerSnapshot
  readonly state: ServerState
  /** Empty before the first slow probe. */
  readonly variables: Named
  readonly settings: DecideSettings
}

/** A server that does not answer is judged by what was last known of it: its advice does not close by its absence. */
function adviseOn(
  side: 'primary' | 'replica',
  { code, violates }: { readonly code: FindingCode; readonly violates: Advice['violates'] },
): ServerRow {
  return {
    code,
    detail: (server, { situation }) => {
      const { topology } = situation.snapshot
      const { state, slow, role } = server
      if (topology === 'active-passive' || topology === 'galera' || !state) return undefined
      if (role === 'standalone' || role === 'unknown' || (role === 'primary') !== (side === 'primary')) return undefined
      if (settled.has(code) && isSettling(server, situation)) return undefined
      const variables = slow?.variables ?? nothingNamed
      return when(violates({ server, state, variables, settings: situation.settings }), server.name)
    },
  }
}

/** Semi-sync of a new primary starts when its replicas have connected: it is not judged before. */
const settled: ReadonlySet<FindingCode> = new Set<FindingCode>(['WARN0060', 'WARN0234'])
const SETTLE_MS = 10 * SECOND

export function isSettling({ id }: ServerSnapshot, { snapshot: { operation }, memory, now }: Situation): boolean {
  const last = memory.history.at(-1)
  return operation?.newPrimary === id || (last?.newPrimary === id && now - last.at < SETTLE_MS)
}

/** Known and not one of the wanted values; a variable that was not read is not judged. */
const isNot =
  (names: readonly string[], ...wanted: readonly string[]) =>
  ({ variables }: Subject): boolean => {
    const value = names.map((name) => textOf(variables, name)).find((text) => text !== undefined)
    return value !== undefined && !wanted.includes(value.toUpperCase())
  }

const ON = ['ON', '1', 'YES'] as const

/** What it writes alone could not be undone. MySQL has no tool that reverses row events. */
const cannotFlashBack = (subject: Subject): boolean =>
  subject.state.identity.flavour !== 'mariadb' ||
  isNot(['binlog_format'], 'ROW')(subject) ||
  isNot(['binlog_row_image'], 'FULL')(subject)

/** Who has chosen asynchronous replication is not advised against it. */
const isAdvised = (settings: DecideSettings): boolean => settings['durability-policy'] !== 'async'

const advice: readonly Advice[] = [
  { replica: 'ERR00013', violates: ({ state }) => !state.binlog },
  {
    replica: 'WARN0048',
    violates: ({ state, settings }) => !state.semiSync.replicaEnabled && isAdvised(settings),
  },
  { primary: 'WARN0060', violates: ({ state, settings }) => !state.semiSync.sourceEnabled && isAdvised(settings) },
  {
    primary: 'WARN0230',
    violates: ({ state }) => state.semiSync.sourceEnabled && state.semiSync.waitPoint === 'after-commit',
  },
  { primary: 'WARN0234', violates: ({ state }) => state.semiSync.sourceEnabled && !state.semiSync.sourceActive },
  { replica: 'WARN0231', violates: ({ state }) => state.semiSync.sourceEnabled && state.logReplicaUpdates },
  {
    replica: 'WARN0050',
    violates: ({ server, settings }) => {
      const channel = channelOf(server, settings)
      return (
        channel !== undefined && channel.heartbeatPeriodSeconds > settings['failover-falsepositive-heartbeat-timeout']
      )
    },
  },
  {
    replica: 'WARN0049',
    primary: 'WARN0061',
    violates: (subject) => subject.settings['autorejoin-flashback'] && cannotFlashBack(subject),
  },
  { replica: 'WARN0051', violates: ({ server, settings }) => channelOf(server, settings)?.usesGtid === false },
  { replica: 'WARN0057', primary: 'WARN0069', violates: ({ state }) => state.binlog && !state.logReplicaUpdates },
  {
    replica: 'WARN0058',
    primary: 'WARN0070',
    violates: ({ state }) => state.identity.flavour === 'mariadb' && !state.gtid.strict,
  },
  { replica: 'WARN0052', primary: 'WARN0064', violates: isNot(['innodb_flush_log_at_trx_commit'], '1') },
  { primary: 'WARN0007', violates: isNot(['sync_binlog'], '1') },
  { replica: 'WARN0053', primary: 'WARN0065', violates: isNot(['binlog_checksum'], 'CRC32') },
  { replica: 'WARN0055', primary: 'WARN0067', violates: isNot(['binlog_annotate_row_events'], ...ON) },
  { replica: 'WARN0059', primary: 'WARN0071', violates: isNot(['relay_log_recovery'], ...ON) },
]

export const adviceRows: readonly ServerRow[] = advice.flatMap(({ primary, replica, violates }) => [
  ...(replica === undefined ? [] : [adviseOn('replica', { code: replica, violates })]),
  ...(primary === undefined ? [] : [adviseOn('primary', { code: primary, violates })]),
])
