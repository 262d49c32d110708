// Advice on each server's settings: cheap to judge from what the probes read anyway.
import { SECOND } from '../../base/time.js'
import type { Finding } from '../../model/finding.js'
import type { FindingCode } from '../../model/findings.js'
import { type Named, nothingNamed, textOf } from '../../model/server/named.js'
import type { ServerState } from '../../model/server/reading.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { channelOf } from '../situation/channel.js'
import type { DecideSettings, Situation } from '../situation/situation.js'

interface Advice {
  readonly primary?: FindingCode
  readonly replica?: FindingCode
  /** Whether the server falls short. */
  readonly lacks: (subject: Subject) => boolean
}

interface Subject {
  readonly server: ServerSnapshot
  readonly state: ServerState
  /** Empty before the first slow look. */
  readonly variables: Named
  readonly settings: DecideSettings
}

/** A server that does not answer keeps what was last known of it: its advice is not taken back by its absence. */
export function judgeBestPractice(situation: Situation): readonly Finding[] {
  const { snapshot, settings } = situation
  if (snapshot.topology === 'active-passive' || snapshot.topology === 'galera') return []
  return snapshot.servers.flatMap((server) => {
    const { state, slow } = server
    if (!state || server.role === 'standalone' || server.role === 'unknown') return []
    const passing = isSettling(server, situation) ? settled : none
    const side = server.role === 'primary' ? 'primary' : 'replica'
    const subject = { server, state, variables: slow?.variables ?? nothingNamed, settings }
    return advice.flatMap((row): Finding[] => {
      const code = row[side]
      return code !== undefined && !passing.has(code) && row.lacks(subject)
        ? [{ code, server: server.id, detail: server.name }]
        : []
    })
  })
}

/** Until its replicas have found a new primary, its semi-sync is on the way. */
const settled: ReadonlySet<FindingCode> = new Set<FindingCode>(['WARN0060', 'WARN0234'])
const none: ReadonlySet<FindingCode> = new Set()
const SETTLE_MS = 10 * SECOND

function isSettling({ id }: ServerSnapshot, { snapshot: { operation }, memory, now }: Situation): boolean {
  const last = memory.history.at(-1)
  return operation?.newPrimary === id || (last?.newPrimary === id && now - last.at < SETTLE_MS)
}

/** Known and not one of the values wanted; a variable that was not read says nothing. */
const isNot =
  (names: readonly string[], ...wanted: readonly string[]) =>
  ({ variables }: Subject): boolean => {
    const value = names.map((name) => textOf(variables, name)).find((text) => text !== undefined)
    return value !== undefined && !wanted.includes(value.toUpperCase())
  }

const ON = ['ON', '1', 'YES'] as const

const advice: readonly Advice[] = [
  { replica: 'ERR00013', lacks: ({ state }) => !state.binlog },
  {
    replica: 'WARN0048',
    lacks: ({ state }) => !state.semiSync.replicaEnabled,
  },
  { primary: 'WARN0060', lacks: ({ state }) => !state.semiSync.sourceEnabled },
  {
    primary: 'WARN0230',
    lacks: ({ state }) => state.semiSync.sourceEnabled && state.semiSync.waitPoint === 'after-commit',
  },
  { primary: 'WARN0234', lacks: ({ state }) => state.semiSync.sourceEnabled && !state.semiSync.sourceActive },
  { replica: 'WARN0231', lacks: ({ state }) => state.semiSync.sourceEnabled && state.logReplicaUpdates },
  {
    replica: 'WARN0050',
    lacks: ({ server, settings }) => {
      const channel = channelOf(server, settings)
      return (
        channel !== undefined && channel.heartbeatPeriodSeconds > settings['failover-falsepositive-heartbeat-timeout']
      )
    },
  },
  { replica: 'WARN0051', lacks: ({ server, settings }) => channelOf(server, settings)?.usesGtid === false },
  { replica: 'WARN0057', primary: 'WARN0069', lacks: ({ state }) => state.binlog && !state.logReplicaUpdates },
  {
    replica: 'WARN0058',
    primary: 'WARN0070',
    lacks: ({ state }) => state.identity.flavour === 'mariadb' && !state.gtid.strict,
  },
  { replica: 'WARN0052', primary: 'WARN0064', lacks: isNot(['innodb_flush_log_at_trx_commit'], '1') },
  { primary: 'WARN0007', lacks: isNot(['sync_binlog'], '1') },
  { replica: 'WARN0053', primary: 'WARN0065', lacks: isNot(['binlog_checksum'], 'CRC32') },
  { replica: 'WARN0055', primary: 'WARN0067', lacks: isNot(['binlog_annotate_row_events'], ...ON) },
  { replica: 'WARN0059', primary: 'WARN0071', lacks: isNot(['relay_log_recovery'], ...ON) },
]
