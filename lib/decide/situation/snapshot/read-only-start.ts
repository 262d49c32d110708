// Whether the process of a server started read-only: once a statement has set the variable, the server does not show it any more.
import { SECOND } from '../../../base/time.js'
import type { Memory, ReadOnlyStart } from '../../../model/memory.js'
import type { Operation } from '../../../model/operation/operation.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable } from '../channel.js'

/** Where the manager's own statements are remembered: those of an operation from its end on. */
interface Acts {
  readonly memory: Memory
  readonly operation?: Operation
}

/**
 * What is known of each listed server: the first that its process shows, kept until another process answers. Empty when nothing
 * changed.
 */
export function rememberReadOnlyStarts(acts: Acts, servers: readonly ServerSnapshot[]): Pick<Memory, 'readOnlyStarts'> {
  const { readOnlyStarts = {} } = acts.memory
  const news = Object.fromEntries(
    servers.flatMap((server): [string, ReadOnlyStart][] => {
      const start = startOf(server, readOnlyStarts[server.id], acts)
      return start ? [[server.id, start]] : []
    }),
  )
  const ids = Object.keys(news)
  const isSame = ids.length === Object.keys(readOnlyStarts).length && ids.every((id) => news[id] === readOnlyStarts[id])
  return isSame ? {} : { readOnlyStarts: news }
}

/** Uptimes are whole seconds, and are not read with every probe. */
const UPTIME_MS = 5 * SECOND

function startOf(server: ServerSnapshot, known: ReadOnlyStart | undefined, acts: Acts): ReadOnlyStart | undefined {
  const { state, stateAt = 0, restartedAt = 0 } = server
  if (!state || !isReachable(server)) return known
  const since = stateAt - state.uptimeSeconds * SECOND - UPTIME_MS
  if (known && known.at >= restartedAt && known.at >= since) return known
  const open = opensAgain(server, since, acts)
  return open === undefined ? undefined : { at: stateAt, open }
}

/** `undefined` until the process was read, and while an operation may just set it. */
function opensAgain(server: ServerSnapshot, since: number, { memory, operation }: Acts): boolean | undefined {
  const { slow, startedReadOnly, restartedAt = 0 } = server
  if (startedReadOnly !== undefined) return !startedReadOnly
  if (!slow?.readOnlySet || slow.at < restartedAt) return undefined
  const { on, byStatement } = slow.readOnlySet
  if (!byStatement) return !on
  return operation ? undefined : on && !mayHaveSet(server, since, memory)
}

/** The manager may have closed it since then; where its memory was lost, that is not known. */
const mayHaveSet = ({ id }: ServerSnapshot, since: number, memory: Memory): boolean =>
  memory.recovered === true ||
  (memory.fenced?.[id]?.at ?? 0) >= since ||
  memory.returns?.[id] !== undefined ||
  memory.newServers?.[id] !== undefined ||
  memory.restoring !== undefined ||
  memory.history.some(({ at, oldPrimary, newPrimary }) => at >= since && [oldPrimary, newPrimary].includes(id))
