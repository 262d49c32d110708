// Small upkeep of one server on request, each proven by what is read back.
import { counted } from '../../base/counted.js'
import { fail, ok, type Result } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import {
  flushLogs as flushStatement,
  isInstrumented,
  setSlowLimit as limitStatements,
  olderDigests,
  oldestTransaction,
  purgeLength,
  resetDigests as resetStatements,
  slowLimit,
} from '../../dialect/shared/control/upkeep.js'
import type { ActAnswer } from '../../model/server/server-act.js'
import { coordinates } from '../primary/promote.js'
import { type ActSession, PAUSE_MS } from './act-session.js'

export async function setSlowLimit(session: ActSession, seconds: number): Promise<Result<ActAnswer>> {
  const set = await session.run([...limitStatements(seconds), slowLimit])
  if (!set.ok) return set
  const is = Number(set.value.at(-1)?.[0]?.seconds)
  if (Math.abs(is - seconds) > 1e-6) return fail('wrong-state', `${session.name} says long_query_time=${is}`)
  return ok({ text: `${session.name}: long_query_time=${is}, for sessions that begin from now on` })
}

export async function resetDigests(session: ActSession): Promise<Result<ActAnswer>> {
  const [row] = unrefused(await session.ask(isInstrumented)) ?? []
  if (row && Number(row.instrumented) === 0)
    return fail(
      'unsupported',
      `${session.name}: performance_schema is OFF: set performance_schema=ON in its configuration and restart it`,
    )
  const reset = await session.run([...resetStatements, olderDigests])
  if (!reset.ok) return reset
  const older = Number(reset.value.at(-1)?.[0]?.older)
  if (older > 0) return fail('wrong-state', `${session.name} still holds ${counted(older, 'digest')} of before`)
  return ok({ text: `${session.name}: its digests and samples of statements were cleared` })
}

const unrefused = <T>(result: Result<T>): T | undefined => (result.ok ? result.value : undefined)

/** Reopens every log; where there is a binary log, its next file proves it. */
export async function flushLogs(session: ActSession): Promise<Result<ActAnswer>> {
  const status = session.dialect.binlogStatus()
  const flushed = await session.run([status, flushStatement, status])
  if (!flushed.ok) return flushed
  const [before, after] = [coordinates(flushed.value[0] ?? []), coordinates(flushed.value[2] ?? [])]
  if (!before || !after) return ok({ text: `${session.name}: its logs were reopened; it has no binary log` })
  if (before.file === after.file) return fail('wrong-state', `${session.name} still writes ${before.file}`)
  return ok({ text: `${session.name}: its logs were reopened, ${before.file} is closed, it writes ${after.file}` })
}

/** Waits until the purge has caught up; `deadline-passed` says how far it is, and what holds it. */
export async function awaitPurge(session: ActSession, { length, endsMs }: PurgeWish): Promise<Result<ActAnswer>> {
  const endsAt = session.remaining() - endsMs
  let first: number | undefined
  for (;;) {
    const answer = await session.ask(purgeLength)
    if (!answer.ok) return answer
    const left = Number(answer.value[0]?.length)
    first ??= left
    if (left <= length) return ok({ text: `${session.name}: ${left} old versions are left to purge (${first} before)` })
    if (session.remaining() <= endsAt || session.signal.aborted)
      return fail('deadline-passed', `${session.name}: ${left} old versions are left to purge${await holder(session)}`)
    await sleep(PAUSE_MS * 2, session.signal)
  }
}

export interface PurgeWish {
  readonly length: number
  /** How long to wait. */
  readonly endsMs: number
}

async function holder(session: ActSession): Promise<string> {
  const answer = await session.ask(oldestTransaction)
  const row = answer.ok ? answer.value[0] : undefined
  return row ? `; the oldest transaction is of session ${row.id}, open since ${row.since}` : ''
}
