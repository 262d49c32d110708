// Who waits for whom: row locks of InnoDB and metadata locks as one tree, whose roots hold others up and wait for nobody.
import { listOf, nullable, numberOf, present, textOf, wireOf } from '../wire.js'
import type { Session } from './sessions.js'

export interface RowLockWait {
  readonly waiting: number
  readonly waitingUser?: string
  readonly waitingStatement?: string
  readonly waitedMs?: number
  readonly blocking: number
  readonly blockingUser?: string
  readonly blockingStatement?: string
  readonly blockingMs?: number
  readonly blockingRows?: number
  readonly mode?: string
  readonly table?: string
  readonly index?: string
}

export const readRowLockWaits = (reply: unknown): readonly RowLockWait[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/servers/:server/lock-waits'>(reply)).flatMap((wire) => {
    const [waiting, blocking] = [numberOf(wire.waitingThread), numberOf(wire.blockingThread)]
    if (waiting === undefined || blocking === undefined) return []
    return [
      present<RowLockWait>({
        ...{ waiting, blocking },
        waitingUser: textOf(wire.waitingUser),
        waitingStatement: textOf(wire.waitingStatement),
        waitedMs: numberOf(wire.waitedMs),
        blockingUser: textOf(wire.blockingUser),
        blockingStatement: textOf(wire.blockingStatement),
        blockingMs: numberOf(wire.blockingMs),
        blockingRows: numberOf(wire.blockingRows),
        mode: textOf(wire.lockMode),
        table: textOf(wire.lockTable)?.replaceAll('`', ''),
        index: textOf(wire.lockIndex),
      }),
    ]
  })

export interface MetadataLock {
  readonly thread: number
  readonly mode?: string
  readonly kind?: string
  readonly schema?: string
  readonly name?: string
  readonly ms?: number
}

export const readMetadataLocks = (reply: unknown): readonly MetadataLock[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/servers/:server/meta-data-locks'>(reply)).flatMap((wire) => {
    const thread = numberOf(wire.threadId)
    if (thread === undefined) return []
    const ms = nullable(wire.lockTimeMs)
    return [
      present<MetadataLock>({
        thread,
        mode: nullable(wire.lockMode)?.replace(/^MDL_/, ''),
        kind: nullable(wire.lockType),
        schema: nullable(wire.lockSchema) || undefined,
        name: nullable(wire.lockName) || undefined,
        ms: ms === undefined ? undefined : Number(ms),
      }),
    ]
  })

/** A session in the tree, with those that wait for it. */
export interface WaitNode {
  readonly thread: number
  readonly user?: string
  readonly statement?: string
  /** Waited so long; absent of a root. */
  readonly waitedMs?: number
  /** In its transaction so long; of a root. */
  readonly heldMs?: number
  readonly changedRows?: number
  /** What it waits for: `row of shop.orders (PRIMARY, X)`. */
  readonly waitsFor?: string
  readonly children: readonly WaitNode[]
}

export interface Waiting {
  readonly rows: readonly RowLockWait[]
  readonly metadata: readonly MetadataLock[]
  readonly sessions: readonly Session[]
}

interface Edge {
  readonly waiting: number
  readonly blocking: number
  readonly waitedMs?: number
  readonly waitsFor: string
}

/** The roots, those with the most waiting sessions first. */
export function buildWaitTree({ rows, metadata, sessions }: Waiting): readonly WaitNode[] {
  const byThread = new Map(sessions.map((session) => [session.id, session]))
  const edges = [...rows.map(rowEdge), ...metadataEdges(metadata, sessions)]
  const facts = new Map(rows.map((wait) => [wait.blocking, wait]))
  const waits = new Map(rows.map((wait) => [wait.waiting, wait]))
  const isWaiting = new Set(edges.map(({ waiting }) => waiting))
  const roots = [...new Set(edges.map(({ blocking }) => blocking))].filter((thread) => !isWaiting.has(thread))
  // A ring has no root: InnoDB ends one of its own within a moment, and until then its first session stands for it.
  const first = edges[0]
  const tops = roots.length > 0 || !first ? roots : [first.blocking]
  const nodeOf = (thread: number, edge: Edge | undefined, above: ReadonlySet<number>): WaitNode => {
    const session = byThread.get(thread)
    const path = new Set([...above, thread])
    const held = edge === undefined ? facts.get(thread) : undefined
    return present<WaitNode>({
      thread,
      user: session?.user ?? waits.get(thread)?.waitingUser ?? facts.get(thread)?.blockingUser,
      statement: session?.statement ?? waits.get(thread)?.waitingStatement ?? facts.get(thread)?.blockingStatement,
      waitedMs: edge?.waitedMs,
      heldMs: held?.blockingMs ?? (edge === undefined ? session?.ms : undefined),
      changedRows: held?.blockingRows,
      waitsFor: edge?.waitsFor,
      children: nearest(edges, thread)
        .filter(({ waiting }) => !path.has(waiting))
        .map((each) => nodeOf(each.waiting, each, path)),
    })
  }
  return tops.map((thread) => nodeOf(thread, undefined, new Set())).toSorted((a, b) => sizeOf(b) - sizeOf(a))
}

/** Those that wait for the session, once each, and not those that wait for it only behind another one. */
function nearest(edges: readonly Edge[], thread: number): readonly Edge[] {
  const direct = new Map<number, Edge>()
  for (const edge of edges) if (edge.blocking === thread && !direct.has(edge.waiting)) direct.set(edge.waiting, edge)
  return [...direct.values()].filter(
    ({ waiting }) =>
      !edges.some((edge) => edge.waiting === waiting && edge.blocking !== thread && direct.has(edge.blocking)),
  )
}

const sizeOf = ({ children }: WaitNode): number => children.reduce((sum, child) => sum + 1 + sizeOf(child), 0)

const rowEdge = ({ waiting, blocking, waitedMs, table, index, mode }: RowLockWait): Edge => ({
  ...{ waiting, blocking },
  ...(waitedMs === undefined ? {} : { waitedMs }),
  waitsFor: `row of ${table ?? 'a table'}${index || mode ? ` (${[index, mode].filter(Boolean).join(', ')})` : ''}`,
})

/** A session that waits for a metadata lock does not say whose: those that hold one on a table of its statement. */
const metadataEdges = (locks: readonly MetadataLock[], sessions: readonly Session[]): readonly Edge[] =>
  sessions
    .filter(({ state }) => /^Waiting for .*metadata lock$/i.test(state ?? ''))
    .flatMap((session) =>
      locks
        .filter(({ thread, name }) => thread !== session.id && name !== undefined && mentions(session.statement, name))
        .map(
          ({ thread, schema, name }): Edge => ({
            ...{ waiting: session.id, blocking: thread },
            ...(session.ms === undefined ? {} : { waitedMs: session.ms }),
            waitsFor: `metadata lock on ${schema === undefined ? '' : `${schema}.`}${name}`,
          }),
        ),
    )

function mentions(statement = '', name: string): boolean {
  const at = statement.toLowerCase().indexOf(name.toLowerCase())
  if (at < 0) return false
  const isWord = (letter = '') => /[\w$]/.test(letter)
  return !isWord(statement[at - 1]) && !isWord(statement[at + name.length])
}
