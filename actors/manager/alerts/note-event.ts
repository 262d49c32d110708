// What an event of a cluster means for its alerts. Pure.
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { OperationKind, OperationPhase } from '../../../lib/model/operation/operation.js'
import {
  type Book,
  type EndedOperation,
  noteBegin,
  noteEnd,
  noteLine,
  noteLoss,
  noteState,
} from '../../../lib/notify/index.js'
import type { ConditionsView } from '../../protocol/cluster.js'

export type Servers = ConditionsView['servers']

/** Kinds after which the conditions of the cluster are read again. */
export const isChange = ({ kind }: ClusterEvent): boolean =>
  kind === 'finding-opened' ||
  kind === 'finding-closed' ||
  kind === 'state' ||
  kind === 'operation' ||
  kind === 'rolling'

/** Operations that move the primary role: what they cause is reported when they end. */
const major: ReadonlySet<unknown> = new Set<OperationKind>(['failover', 'switchover'])

export function noteEvent(book: Book, event: ClusterEvent, servers: Servers): Book {
  if (event.kind === 'state') return noteStateEvent(book, event, servers)
  if (event.kind === 'operation' && major.has(event.data?.kind)) return noteOperation(book, event, servers)
  return book
}

function noteStateEvent(book: Book, { at, text, server, data }: ClusterEvent, servers: Servers): Book {
  const { from, to } = data ?? {}
  const known = servers.find(({ id }) => id === server)
  const noted = noteLine(book, { at, text })
  if (!known || typeof from !== 'string' || typeof to !== 'string') return noted
  return noteState(noted, { server: known.name, url: known.url, from, to })
}

function noteOperation(book: Book, { at, text, data = {} }: ClusterEvent, servers: Servers): Book {
  const [id, kind] = [String(data.id), data.kind as OperationKind]
  const noted = noteLine(book, { at, text })
  if (data.phase === 'running') return noteBegin(noted, { id, kind }, at)
  const ended = endedOf(data, text, servers)
  const texts = [data.report, ...lossesOf(data.losses)].filter((each) => typeof each === 'string')
  // A switchover that a user asked for is answered to that user.
  // A failover that is tried again and again is reported once; its finding is open until it succeeds.
  const isAgain = typeof data.attempt === 'number' && data.attempt > 1
  const isReported = !isAgain && (kind === 'failover' || data.owner === 'manager' || data.phase === 'failed')
  const withLosses = isReported ? texts.reduce(noteLoss, noted) : noted
  return noteEnd(withLosses, { id, ...(isReported ? { reported: ended } : {}) }, at)
}

function endedOf(data: Readonly<Record<string, unknown>>, text: string, servers: Servers): EndedOperation {
  const nameOf = (id: unknown) => servers.find((server) => server.id === id)?.name
  const [oldPrimary, newPrimary] = [nameOf(data.oldPrimary), nameOf(data.newPrimary)]
  return {
    ...{ kind: String(data.kind), succeeded: (data.phase as OperationPhase) === 'succeeded', text },
    ...(oldPrimary === undefined ? {} : { oldPrimary }),
    ...(newPrimary === undefined ? {} : { newPrimary }),
  }
}

/** What the operation did not achieve, although it moved the role. */
const lossesOf = (losses: unknown): readonly string[] =>
  Array.isArray(losses)
    ? losses.map((loss: { command?: string; message?: string }) => `Not achieved: ${loss.command}: ${loss.message}`)
    : []
