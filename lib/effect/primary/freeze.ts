// Stops every write on a server, whatever the writer's privileges, for as long as one reserved session lives.
import { counted } from '../../base/counted.js'
import { done, fail, ok } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import type { Row } from '../../connect/sql/session.js'
import { LOG_FULL } from '../../model/server/reading.js'
import type { Effect, Run } from '../kit/context.js'
import { onReserved, type Reserved, reserve } from '../kit/reserved.js'
import { execute, lockSeconds, memberOf } from '../kit/statements.js'
import { endUnfinished } from './end-unfinished.js'
import { endWaiting, endWriters } from './end-writers.js'
import { judgeSpace } from './full-disk.js'
import { explainRefusal, refuseReplicating } from './writable.js'

/** Between two checks of the long writes. */
const GUARD_MS = 500
/** Longest text of a statement that is shown. */
const STATEMENT_LENGTH = 120

/** The session it probes with is the one that will hold the freeze; when there will be none it is given back. */
export const guardLongWrites: Effect<'guard-long-writes'> = async (command, run) => {
  const guarded = await guard(command, run)
  if (!guarded.ok) run.context.sessions.release(command.server)
  return guarded
}

const guard: Effect<'guard-long-writes'> = async (command, run) => {
  const member = memberOf(run, command.server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const session = await reserve(run, command.server)
  if (!session.ok) return session
  const reserved = { server: command.server, session: session.value }
  const until = run.context.now() + Math.min(command.waitMs, run.remaining())
  for (;;) {
    const listed = await onReserved(run, reserved, [dialect.longWrites(command.longerThanSeconds)])
    const found = listed.ok ? (listed.value[0] ?? []) : []
    const space = await judgeSpace(run, reserved, listed)
    if (space === 'log') return fail('wrong-state', `${spec.name} ${LOG_FULL}.`)
    if ((!listed.ok || found.length > 0) && space === 'space') {
      run.notes.full.add(command.server)
      return ok(`the disk of ${spec.name} is full: writes that wait for space will be ended`)
    }
    if (!listed.ok) return listed
    if (found.length === 0) return ok(`no write on ${spec.name} is older than ${command.longerThanSeconds} s`)
    if (run.signal.aborted || run.context.now() + GUARD_MS > until)
      return fail('long-writes', `${found.length} on ${spec.name}: ${found.map(offender).join('; ')}`)
    await sleep(GUARD_MS, run.signal)
  }
}

/** Who it is, since when, and what it does: enough to find it and to decide. */
const offender = ({ id, user, host, seconds, rows_changed: rows, statement }: Row): string => {
  const text = String(statement ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, STATEMENT_LENGTH)
  const changed = Number(rows ?? 0) > 0 ? `, ${counted(Number(rows), 'row')} changed` : ''
  return `session ${id} of ${user}@${host} for ${seconds} s${changed}: ${text || 'idle in a transaction'}`
}

/**
 * Read-only first, so that new writes are refused rather than made to wait; then the lock that blocks all writers; then
 * the end of every session that could write when the lock is gone. What the server has executed by then is final.
 */
export const freeze: Effect<'freeze'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  if (run.notes.frozen.has(server) && run.context.sessions.reserved(server)?.open) return ok(`${spec.name} is frozen`)
  const session = await reserve(run, server)
  if (!session.ok) return session
  const waitSeconds = lockSeconds(run)
  const closing = onReserved(run, { server, session: session.value }, [
    ...dialect.setReadOnly(true, waitSeconds),
    ...dialect.globalReadLock(waitSeconds),
  ])
  // A write that waits for space would hold up the freeze for as long as the disk is full.
  const [answer] = await Promise.all([closing, run.notes.full.has(server) ? endUnfinished(run, server, closing) : 0])
  if (!answer.ok) return answer
  const ended = await endWriters(run, { server, session: session.value })
  if (!ended.ok) return ended
  run.notes.frozen.add(server)
  run.notes.settled.delete(server)
  return ok(`${spec.name} is frozen${killed(ended.value)}`)
}

const killed = (sessions: number): string =>
  sessions > 0 ? `; ${counted(sessions, 'waiting or privileged session')} ended` : ''

/**
 * Releases the lock and sets the server writable or not. When it stays read-only, the sessions that waited for the lock or
 * connected under it, and could write the moment it is gone, are ended first. Without a freeze (a restarted manager: the server
 * released it with our session) only the read-only state is set, and the server is opened only with all of the history.
 */
export const unfreeze: Effect<'unfreeze'> = async ({ server, writable }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const session = run.context.sessions.reserved(server)
  run.notes.frozen.delete(server)
  const ended = session?.open && !writable ? await endNewcomers(run, { server, session }) : 0
  const may = writable && !session?.open ? await run.context.mayOpen(server) : done
  if (!may.ok) return may
  const state = [...(writable ? refuseReplicating(run, server, dialect) : []), ...dialect.setReadOnly(!writable)]
  const released = session?.open
    ? await onReserved(run, { server, session }, [...state, ...dialect.unlock()])
    : undefined
  run.context.sessions.release(server)
  const still = writable && released && !released.ok ? await run.context.mayOpen(server) : done
  if (!still.ok) return still
  const answer = released?.ok ? released : await execute(run, { server, statements: state })
  if (!answer.ok) return explainRefusal(answer, spec)
  return ok(`${spec.name} is released and ${writable ? 'writable' : 'read-only'}${killed(ended)}`)
}

/** Time that the release itself needs: sessions that come back faster than they are ended do not hold it up. */
const RELEASE_MS = SECOND

async function endNewcomers(run: Run, reserved: Reserved): Promise<number> {
  const within: Run = { ...run, remaining: () => Math.max(0, run.remaining() - RELEASE_MS) }
  const ended = new Set<number>()
  await endWaiting(within, reserved, ended)
  await endWriters(within, reserved, ended)
  return ended.size
}
