// Ends the sessions that clients left on a former primary: a pool keeps them, and each write in one of them is refused.
import { counted } from '../../base/counted.js'
import { ok } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import { errorNumber } from '../../connect/sql/session.js'
import type { Effect } from '../kit/context.js'
import { execute, memberOf } from '../kit/statements.js'
import { listSessions } from './full-disk.js'

const ROUND_MS = 50

/** What is left for the last answer. */
const END_MS = SECOND / 2

/** Ended with one text: a pool of thousands is not ended one round trip at a time. */
const TOGETHER = 200

/** ER_NO_SUCH_THREAD: it ended in the meantime, and the rest of the text did not run. */
const GONE = 1094

/**
 * Those that were there when it began: later ones chose this server as it is. One that runs a statement is ended after it, so that
 * no read is cut off; one that is still running when the time is over stays, and is counted.
 */
export const endSessions: Effect<'end-sessions'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect, target } = member.value
  const spared = [target.user, run.context.settings().replication.user]
  const first = await listSessions(run, { server })
  if (!first.ok) return first
  const chosen = first.value.filter(({ user }) => !spared.includes(user))
  let left = chosen
  while (left.length > 0) {
    const idle = left.filter(({ isIdle }) => isIdle).slice(0, TOGETHER)
    const kills = idle.map(({ id }) => dialect.killSession(id))
    const answer = kills.length > 0 ? await execute(run, { server, statements: kills }) : ok([])
    if (!answer.ok && errorNumber(answer.failure) !== GONE) return answer
    if (run.signal.aborted || run.remaining() <= END_MS) break
    if (idle.length < TOGETHER) await sleep(ROUND_MS, run.signal)
    const listed = await listSessions(run, { server })
    if (!listed.ok) return listed
    left = listed.value.filter(({ id }) => left.some((one) => one.id === id))
  }
  const stay = left.length > 0 ? `; left in a long statement: ${left.length}` : ''
  return ok(`${counted(chosen.length - left.length, 'session')} of clients on ${spec.name} ended${stay}`)
}
