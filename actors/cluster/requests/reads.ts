// Reads of servers on request: live answers, what servers are busy with, plans of statements.
import { ok, type Result } from '../../../lib/base/result.js'
import type { Rows } from '../../../lib/dialect/index.js'
import type { LiveAnswer, LiveReads } from '../../../lib/effect/reads/live-reads.js'
import type { Explainer } from '../../../lib/effect/statements/explain.js'
import type { Busy } from '../../protocol/cluster.js'
import type { Cluster } from '../state/message/cluster.js'
import type { BusyRequest, Request, ServerRequest } from '../state/message/command.js'
import type { EndedRead } from '../state/unread.js'
import { readKept, withKept } from './kept-logs.js'

/** A running cluster that reads its servers on request. */
export interface Reading extends Pick<Cluster, 'tell'> {
  readonly hosts: { keptFolder(id: string): string | undefined }
  readonly reads: LiveReads
  readonly explainer: Explainer
  readonly services: { readTail(id: string, file: string, signal: AbortSignal): Promise<Result<string>> }
}

/** Sessions that are shown of a server that is busy. */
const MOST_BUSY = 60

type RequestOf<T extends Request['type']> = Extract<Request, { readonly type: T }>

/** From the server itself, or what it answered a moment ago. */
export const readNow = (
  { reads, services, hosts }: Reading,
  { server, what, from }: ServerRequest,
): Promise<Result<LiveAnswer>> =>
  reads.read(server, what, {
    ...from,
    readTail: async (file, signal) => {
      const text = await services.readTail(server, file, signal)
      const folder = hosts.keptFolder(server)
      return text.ok && folder !== undefined ? ok(await withKept(folder, file, text.value)) : text
    },
  })

/** Of a server that does not answer: what its host sent before. */
export const readSent = async ({ hosts }: Reading, request: RequestOf<'read-kept'>): Promise<Result<LiveAnswer>> => {
  const folder = hosts.keptFolder(request.server)
  return folder === undefined ? request.failure : readKept(folder, request)
}

export async function readLive(actor: Reading, request: RequestOf<'read'>): Promise<Result<LiveAnswer>> {
  const answer = await readNow(actor, request)
  noteEnd(actor, request, answer)
  if (!answer.ok || !request.isDelta) return answer
  const { changes } = actor.reads.deltas.take(request.server, answer.value, request.slow)
  return ok({
    at: answer.value.at,
    rows: [...changes].map(([Variable_name, Value]) => ({ Variable_name, Value })),
  })
}

/** What is not there to be read becomes a finding, until it is; a server that does not answer says nothing of either. */
export function noteEnd(
  actor: Pick<Reading, 'tell'>,
  { server, what }: Pick<EndedRead, 'server' | 'what'>,
  answer: Result<unknown>,
): void {
  if (answer.ok) actor.tell('read-ended', { server, what })
  else if (answer.failure.code === 'unsupported' || answer.failure.code === 'file-unreadable')
    actor.tell('read-ended', { server, what, reason: answer.failure.message })
}

/** One server that does not answer is left out: it does not keep the others waiting longer than a read may take. */
export async function readBusy(actor: Reading, { servers }: RequestOf<'read-busy'>): Promise<Result<readonly Busy[]>> {
  const read = servers.map(async ({ url, status: request, processes }: BusyRequest): Promise<readonly Busy[]> => {
    const [status, listed] = await Promise.all([
      readNow(actor, request),
      processes.ok ? readNow(actor, processes.value) : processes,
    ])
    if (!status.ok) return []
    const { seconds, changes } = actor.reads.deltas.take(request.server, status.value, request.slow)
    const rates = Object.fromEntries([...changes].map(([name, change]) => [name, change / seconds]))
    const active = listed.ok ? listed.value.rows.filter(({ command }) => command !== 'Sleep') : []
    return [{ server: request.server, url, processes: active.slice(0, MOST_BUSY), rates }]
  })
  return ok((await Promise.all(read)).flat())
}

export const explainStatement = (
  actor: Reading,
  { server, slowQueries, ...request }: RequestOf<'explain'>,
): Promise<Result<Rows>> =>
  actor.explainer.explain(server, {
    ...request,
    slowQueries: async () => (slowQueries.ok ? readNow(actor, slowQueries.value) : slowQueries),
  })
