// Answers what is read of servers on request: from the server itself, or that it is down.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import type { Rows, ServerRead } from '../../../lib/dialect/index.js'
import { addressText } from '../../../lib/model/server/server.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { Settings } from '../../../lib/settings/index.js'
import type { Busy, ClusterProtocol, LiveAnswer } from '../../protocol/cluster.js'
import type { Services } from '../services/services.js'
import type { ClusterCore } from '../state/core.js'
import { dialectOf, targetOf } from '../state/wires.js'
import { afterFirstLook } from '../watch/first-look.js'

/** The parts that reads on request go through. */
export interface LiveReader extends ClusterCore {
  readonly services: Services
}

/** Reads that a setting forbids. */
const switches: Readonly<Partial<Record<ServerRead, readonly (keyof Settings)[]>>> = {
  processlist: ['monitoring-processlist'],
  'engine-status': ['monitoring-innodb-status'],
  digests: ['monitoring-performance-schema', 'monitoring-queries'],
}

/** Sessions at work that are shown of a server that is busy. */
const MOST_BUSY = 60

export async function readLive(
  actor: LiveReader,
  { server, what, last = false }: ClusterProtocol['read']['in'],
): Promise<Result<LiveAnswer>> {
  const member = await afterFirstLook(actor, server)
  if (!member) return fail('unknown-server', `${actor.init.name} has no server ${server}`)
  const read = what === 'status-delta' ? 'status' : what
  const kept =
    last && member.observation !== 'answered' && what !== 'status-delta' ? lastReading(member, read) : undefined
  if (kept) return ok(kept)
  const answer = await readNow(actor, member, read)
  if (!answer.ok || what !== 'status-delta') return answer
  const { changes } = actor.reads.deltas.take(server, answer.value, member.slow)
  return ok({
    at: answer.value.at,
    rows: [...changes].map(([Variable_name, Value]) => ({ Variable_name, Value })),
  })
}

/** One server that does not answer is left out: it does not keep the others waiting longer than a read may take. */
export async function readBusy(
  actor: LiveReader,
  { server }: ClusterProtocol['read-busy']['in'],
): Promise<Result<readonly Busy[]>> {
  const members = actor.state.snapshot.servers.filter(
    ({ id, observation }) => observation === 'answered' && (server === undefined || id === server),
  )
  const read = members.map(async (member): Promise<readonly Busy[]> => {
    const [status, processes] = await Promise.all([
      readNow(actor, member, 'status'),
      readNow(actor, member, 'processlist'),
    ])
    if (!status.ok) return []
    const { seconds, changes } = actor.reads.deltas.take(member.id, status.value, member.slow)
    const rates = Object.fromEntries([...changes].map(([name, change]) => [name, change / seconds]))
    const working = processes.ok ? processes.value.rows.filter(({ command }) => command !== 'Sleep') : []
    return [{ server: member.id, url: addressText(member), processes: working.slice(0, MOST_BUSY), rates }]
  })
  return ok((await Promise.all(read)).flat())
}

/** From the server itself, or what it said a moment ago. */
export async function readNow(
  actor: LiveReader,
  member: ServerSnapshot,
  what: ServerRead,
): Promise<Result<LiveAnswer>> {
  const { state, services, reads } = actor
  const { settings } = state
  const forbidden = switches[what]?.find((name) => settings[name] === false)
  if (forbidden) return fail('unsupported', `${actor.init.name} does not read this: ${forbidden} is off`)
  const dialect = dialectOf(member)
  if (!dialect || member.observation !== 'answered')
    return fail('sql-refused', `${member.name} does not answer: ${member.error?.message ?? 'not seen yet'}`)
  return reads.read(member.id, what, {
    ...{ name: member.name, target: targetOf(member, state), dialect },
    statementMs: settings['monitoring-query-timeout'],
    limits: {
      processlist: Number(settings['monitoring-processlist-limit']),
      'slow-queries': settings['monitoring-long-query-log-length'],
      'error-log': settings['monitoring-erreur-log-length'],
    },
    idle: settings['monitoring-processlist-inactive'],
    readTail: (file, signal) => services.readTail(member.id, file, signal),
  })
}

/** What slow looks keep of a server. */
function lastReading({ slow }: ServerSnapshot, what: ServerRead): LiveAnswer | undefined {
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
