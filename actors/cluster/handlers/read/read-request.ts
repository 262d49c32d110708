// Reads on request: what a setting forbids, what they need, and what was read of a server before it went down. Pure.
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import type { Rows, ServerRead } from '../../../../lib/dialect/index.js'
import type { LiveAnswer } from '../../../../lib/effect/reads/live-reads.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import type { Settings } from '../../../../lib/settings/index.js'
import type { ServerRequest } from '../../state/message/command.js'
import { effectServer, notAnswering } from '../../state/message/wires.js'
import type { ClusterState } from '../../state/state.js'

/** Reads that a setting forbids. */
const switches: Readonly<Partial<Record<ServerRead, readonly (keyof Settings)[]>>> = {
  processlist: ['monitoring-processlist'],
  'engine-status': ['monitoring-innodb-status'],
  digests: ['monitoring-performance-schema', 'monitoring-queries'],
}

/** Failures: `unsupported` where a setting forbids it, `sql-refused` where the server does not answer. */
export function readRequest(state: ClusterState, member: ServerSnapshot, what: ServerRead): Result<ServerRequest> {
  const { settings } = state
  const forbidden = switches[what]?.find((name) => settings[name] === false)
  if (forbidden) return fail('unsupported', `${state.name} does not read this: ${forbidden} is off`)
  const server = effectServer(state, member.id)
  if (!server || member.observation !== 'answered') return notAnswering(member)
  const from = {
    ...{ name: member.name, target: server.target, dialect: server.dialect },
    statementMs: settings['monitoring-query-timeout'],
    limits: {
      processlist: Number(settings['monitoring-processlist-limit']),
      'slow-queries': settings['monitoring-long-query-log-length'],
      'error-log': settings['monitoring-erreur-log-length'],
    },
    idle: settings['monitoring-processlist-inactive'],
  }
  return ok({ server: member.id, what, from, ...(member.slow ? { slow: member.slow } : {}) })
}

/** What slow probes keep of a server. */
export function lastReading({ slow }: ServerSnapshot, what: ServerRead): LiveAnswer | undefined {
  if (!slow) return undefined
  const { variables, status, binlogFile, binlogPosition, binlogDoDb, binlogIgnoreDb } = slow
  const named = ({ names, values }: typeof variables): Rows =>
    names.map((name, index) => ({ Variable_name: name, Value: values[index] ?? '' }))
  const coordinates = {
    ...{ File: binlogFile, Position: binlogPosition },
    ...{ Binlog_Do_DB: binlogDoDb, Binlog_Ignore_DB: binlogIgnoreDb },
  }
  const kept: Partial<Record<ServerRead, () => Rows>> = {
    variables: () => named(variables),
    status: () => named(status),
    'source-status': () => [coordinates],
  }
  const rows = kept[what]?.()
  return rows && { at: slow.at, rows }
}
