// Programs of the database log in on their own, by address: who answers there is asked just before one starts, and just after it has ended.
import { done, fail, ok, type Result } from '../../base/result.js'
import { now, SECOND, sleep } from '../../base/time.js'
import { identify, parseIdentity } from '../../dialect/index.js'
import { hasSameNames, instanceText, isSameInstance, type ServerInstance } from '../../model/server/instance.js'
import { addressText } from '../../model/server/server.js'
import { openSession } from './mysql2-session.js'
import type { SqlTarget } from './session.js'

const READ_MS = 10 * SECOND
/** So long a server that does not answer afterwards is asked again: what took hours is not thrown away for one refused login. */
const PATIENCE_MS = 30 * SECOND
const PAUSE_MS = SECOND

export interface SameServersOptions {
  /** What the program made is used, too, when a server does not answer afterwards or was restarted: it may be the only copy. */
  readonly mayBeOnlyCopy?: boolean
  /** Of the work that it is for: when that is ended, a server that does not answer afterwards is not asked again. */
  readonly signal?: AbortSignal
}

/**
 * Runs a program with logins at `targets`; it is given who answers there, in their order. It is not started where one of them does not
 * answer, or is another server than `SqlTarget.expected`. What it made is not to be used (`sql-rejected`) where another server answers
 * afterwards than just before: a restart counts as another one, since it would have cut the program. A server that does not answer
 * afterwards is asked again for half a minute, then it is a failure of its session. A failure of the program is returned as it is, unless another server answers: that one
 * explains it.
 */
export async function withSameServers<T>(
  targets: readonly SqlTarget[],
  run: (instances: readonly (ServerInstance | undefined)[]) => Promise<Result<T>>,
  options: SameServersOptions = {},
): Promise<Result<T>> {
  const asked = await Promise.all(targets.map(async (target) => ({ target, before: await whoAnswers(target) })))
  const before: Asked[] = []
  for (const each of asked) {
    if (!each.before.ok) return each.before
    before.push({ target: each.target, instance: each.before.value })
  }
  const made = await run(before.map(({ instance }) => instance))
  const { mayBeOnlyCopy = false, signal } = options
  const isSame = mayBeOnlyCopy ? hasSameNames : isSameInstance
  const until = now() + (made.ok && !mayBeOnlyCopy ? PATIENCE_MS : 0)
  const checked = await Promise.all(before.map((each) => compare(each, isSame, { until, signal })))
  const strange = checked.find((each) => !each.ok && each.failure.code === 'sql-rejected')
  if (strange && !strange.ok) return strange
  if (!made.ok || mayBeOnlyCopy) return made
  const unanswered = checked.find((each) => !each.ok)
  return unanswered && !unanswered.ok ? unanswered : made
}

interface Asked {
  readonly target: SqlTarget
  readonly instance: ServerInstance | undefined
}

interface Patience {
  readonly until: number
  readonly signal: AbortSignal | undefined
}

async function compare(
  { target, instance }: Asked,
  isSame: typeof isSameInstance,
  { until, signal }: Patience,
): Promise<Result<void>> {
  // Started since it was last seen is not enough here: what the program met must be what was asked.
  const { expected: _, ...login } = target
  let after = await whoAnswers(login)
  while (!after.ok && now() < until && !signal?.aborted) {
    await sleep(PAUSE_MS, signal)
    after = await whoAnswers(login)
  }
  if (!after.ok) return after
  if (instance && after.value ? isSame(instance, after.value) : instance === after.value) return done
  return fail(
    'sql-rejected',
    `${addressText(target)}: another server answers than when the program began: ${instanceText(after.value)} instead of ${instanceText(instance)}; what the program made is not used`,
  )
}

/** Undefined for one that does not say it. */
async function whoAnswers(target: SqlTarget): Promise<Result<ServerInstance | undefined>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const answer = await opened.value.run(identify.sql, identify.values, READ_MS)
  opened.value.close()
  return answer.ok ? ok(parseIdentity(answer.value).identity.instance) : answer
}
