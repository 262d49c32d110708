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
} from '../../dialect/shared/upkeep.js'
import type { ActAnswer } from '../../model/server/server-act.js'
import { coordinates } from '../primary/promote.js'
import { type Desk, PAUSE_MS } from './desk.js'

export async function setSlowLimit(desk: Desk, seconds: number): Promise<Result<ActAnswer>> {
  const set = await desk.run([...limitStatements(seconds), slowLimit])
  if (!set.ok) return set
  const is = Number(set.value.at(-1)?.[0]?.seconds)
  if (Math.abs(is - seconds) > 1e-6) return fail('wrong-state', `${desk.name} says long_query_time=${is}`)
  return ok({ text: `${desk.name}: long_query_time=${is}, for sessions that begin from now on` })
}

export async function resetDigests(desk: Desk): Promise<Result<ActAnswer>> {
  const [row] = unrefused(await desk.ask(isInstrumented)) ?? []
  if (row && Number(row.instrumented) === 0)
    return fail(
      'unsupported',
      `${desk.name}: performance_schema is OFF: set performance_schema=ON in its configuration and restart it`,
    )
  const reset = await desk.run([...resetStatements, olderDigests])
  if (!reset.ok) return reset
  const older = Number(reset.value.at(-1)?.[0]?.older)
  if (older > 0) return fail('wrong-state', `${desk.name} still holds ${counted(older, 'digest')} of before`)
  return ok({ text: `${desk.name}: its digests and samples of statements begin anew` })
}

const unrefused = <T>(result: Result<T>): T | undefined => (result.ok ? result.value : undefined)

/** Opens every log anew; where there is a binary log, its next file proves it. */
export async function flushLogs(desk: Desk): Promise<Result<ActAnswer>> {
  const status = desk.dialect.binlogStatus()
  const flushed = await desk.run([status, flushStatement, status])
  if (!flushed.ok) return flushed
  const [before, after] = [coordinates(flushed.value[0] ?? []), coordinates(flushed.value[2] ?? [])]
  if (!before || !after) return ok({ text: `${desk.name}: its logs were opened anew; it has no binary log` })
  if (before.file === after.file) return fail('wrong-state', `${desk.name} still writes ${before.file}`)
  return ok({ text: `${desk.name}: its logs were opened anew, ${before.file} is closed, it writes ${after.file}` })
}

/** Waits until the purge has caught up; `deadline-passed` says how far it is, and what holds it. */
export async function awaitPurge(desk: Desk, { length, endsMs }: PurgeWish): Promise<Result<ActAnswer>> {
  const endsAt = desk.remaining() - endsMs
  let first: number | undefined
  for (;;) {
    const answer = await desk.ask(purgeLength)
    if (!answer.ok) return answer
    const left = Number(answer.value[0]?.length)
    first ??= left
    if (left <= length) return ok({ text: `${desk.name}: ${left} old versions are left to purge (${first} before)` })
    if (desk.remaining() <= endsAt || desk.signal.aborted)
      return fail('deadline-passed', `${desk.name}: ${left} old versions are left to purge${await holder(desk)}`)
    await sleep(PAUSE_MS * 2, desk.signal)
  }
}

export interface PurgeWish {
  readonly length: number
  /** How long to wait. */
  readonly endsMs: number
}

async function holder(desk: Desk): Promise<string> {
  const answer = await desk.ask(oldestTransaction)
  const row = answer.ok ? answer.value[0] : undefined
  return row ? `; the oldest transaction is of session ${row.id}, open since ${row.since}` : ''
}
