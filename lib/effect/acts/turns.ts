// Lets one action at a time work on a server.
import { withDeadline } from '../../base/deadline.js'
import { createLimit } from '../../base/limit.js'
import { fail, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { ServerId } from '../../model/server/server.js'

/** Longest wait for another action on the same server. */
const TURN_MS = 10 * SECOND
/** Actions under way in one cluster. */
export const MOST_ACTS = 16

/** Runs `work` when its turn on the server has come. Failure: `deadline-passed`. */
export type TakeTurn = <T>(server: ServerId, work: () => Promise<Result<T>>) => Promise<Result<T>>

/** The turns of one cluster; waiting ends with `signal`. */
export function createActTurns(signal: AbortSignal): TakeTurn {
  const limit = createLimit(MOST_ACTS)
  return async (server, work) => {
    const turned = await withDeadline(signal, TURN_MS, (ends) =>
      limit.runAlone(server, ends, async () => ({ result: await work() })),
    )
    return turned?.result ?? fail('deadline-passed', 'another action on this server is still running')
  }
}
