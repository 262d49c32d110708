// One command, or one operation, because somebody asked for it.
import { withDeadline } from '../../../lib/base/deadline.js'
import { ok, type Result } from '../../../lib/base/result.js'
import { SECOND, sleep } from '../../../lib/base/time.js'
import type { Command } from '../../../lib/model/work/command.js'
import { isMinor, type Operation } from '../../../lib/model/work/operation.js'
import type { ClusterCore } from '../state/core.js'

/** How long a request waits for a minor operation to get out of the way. */
const MAKE_WAY_MS = 3 * SECOND
/** Longest time of a single command. */
const COMMAND_MS = 10 * SECOND

/** One command outside any operation, then a look at what it did: whoever reads next sees it. */
export async function performNow(actor: ClusterCore, command: Command): Promise<Result<void>> {
  const performed = await withDeadline(actor.context.signal, COMMAND_MS, (signal) => actor.perform(command, signal))
  await actor.watch.lookAfresh('server' in command ? command.server : undefined)
  return performed.ok ? ok(undefined) : performed
}

/** Begins an operation and, when asked to, answers only when it has ended. A minor one in the way is ended first. */
export async function changePrimary(
  actor: ClusterCore,
  type: 'switchover' | 'failover' | 'bootstrap' | 'cleanup',
  payload: { readonly wait: boolean },
): Promise<Result<unknown>> {
  const { operation: running } = actor.state
  if (running && isMinor(running)) {
    actor.operations.abort()
    const way = AbortSignal.timeout(MAKE_WAY_MS)
    while (actor.state.operation && !way.aborted) await sleep(10, way)
  }
  const begun = actor.ask(type, payload as never) as Result<{ operation: Operation }>
  if (!begun.ok || !payload.wait) return begun
  const ended = await actor.operations.wait(begun.value.operation.id)
  // Whoever reads the topology next sees what the operation has made.
  await actor.watch.lookAtAll()
  return ended.ok ? ok({ operation: ended.value }) : ended
}
