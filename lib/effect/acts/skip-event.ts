// Passes over the event that stopped a replica's applier, and sees that replication goes on behind it.
import { done, fail, ok, type Result } from '../../base/result.js'
import { now, SECOND, sleep } from '../../base/time.js'
import { parseFailing } from '../../dialect/index.js'
import { followSteps } from '../../dialect/reads/follow.js'
import { contains, type GtidSet, isEmpty } from '../../model/server/gtid.js'
import { channelNamed } from '../../model/server/own-channel.js'
import type { Channel } from '../../model/server/reading.js'
import type { ActAnswer } from '../../model/server/server-act.js'
import { type ActSession, PAUSE_MS } from './act-session.js'
import type { Pauses } from './pauses.js'

/** An applier that has applied something and runs for so long has got behind the event, however much is left. */
const SETTLE_MS = 3 * SECOND

export interface SkipRequest {
  /** The cluster's own. */
  readonly channel: string
  /** What its source has executed by now: a replica that has it too has nothing left to fail at. */
  readonly wanted: GtidSet
  /** Keeps in mind that its replication is stopped. */
  readonly pauses: Pauses
}

/** Failures name what prevents it; what was skipped is named in every later answer. */
export async function skipEvent(session: ActSession, request: SkipRequest): Promise<Result<ActAnswer>> {
  const { channel, pauses } = request
  const { id } = session.server.spec
  const found = await followSteps(session.dialect.failingEvent(channel), (statement) => session.ask(statement))
  if (!found.ok) return found
  if (found.value.type !== 'rows')
    return fail(
      'wrong-state',
      `${session.name}: ${found.value.type === 'refuse' ? found.value.reason : 'no event is reported'}`,
    )
  const event = parseFailing(found.value.rows)
  const kept = await pauses.begin(id, [channel])
  if (!kept.ok) return kept
  const skipped = await session.run(session.dialect.skipEvent(channel, event))
  // It receives again from the same position.
  const started = skipped.ok ? skipped : await session.run(session.dialect.startReplication(channel))
  pauses.end(id, started.ok ? undefined : [channel])
  if (!skipped.ok) return skipped
  const text = `${session.name}: ${event.name} was skipped, which had failed: ${event.error}`
  const goesOn = await untilBehind(session, request)
  if (!goesOn.ok) return fail(goesOn.failure.code, `${text} — but ${goesOn.failure.message}`)
  return ok({ text, skipped: event.name })
}

/** Resolves when the applier has applied more and runs, or has nothing left to apply; fails when it stops again. */
async function untilBehind(session: ActSession, { channel: name, wanted }: SkipRequest): Promise<Result<void>> {
  let since: number | undefined
  let first: GtidSet | undefined
  for (;;) {
    const state = await session.read()
    if (!state.ok) return state
    const channel = channelNamed(state.value.channels, name)
    if (!channel) return fail('step-failed', 'the replication channel is gone')
    const error = stopped(channel)
    if (error !== undefined) return fail('step-failed', `it stopped again: ${error}`)
    const runs = channel.sql === 'running' && channel.io === 'running'
    since = runs ? (since ?? now()) : undefined
    const { executed } = state.value.gtid
    first ??= executed
    const isEqual = !isEmpty(wanted) && contains(executed, wanted)
    const moves = isEmpty(wanted) || !contains(first, executed)
    if (since !== undefined && (isEqual || (moves && now() - since >= SETTLE_MS))) return done
    if (session.remaining() < SECOND)
      return fail('deadline-passed', `nothing more is applied yet: I/O thread ${channel.io}, SQL thread ${channel.sql}`)
    await sleep(PAUSE_MS, session.signal)
  }
}

const stopped = ({ sql, sqlError }: Channel): string | undefined =>
  sql === 'stopped' && sqlError.code !== 0 ? `error ${sqlError.code}: ${sqlError.message}` : undefined
