// Stops every write on a server, whatever the writer's privileges, for as long as one reserved session lives.
import { counted } from '../../base/counted.js'
import { fail, ok } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import type { Row } from '../../connect/sql/session.js'
import type { Effect } from '../kit/context.js'
import { onReserved, reserve } from '../kit/reserved.js'
import { execute, lockSeconds, memberOf } from '../kit/statements.js'
import { endWriters } from './end-writers.js'

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
    if (!listed.ok) return listed
    const found = listed.value[0] ?? []
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

/** Read-only first, so that new writes are refused rather than made to wait; then the lock that blocks all writers. */
export const freeze: Effect<'freeze'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const frozen = ok(`${spec.name} is frozen`)
  if (run.notes.frozen.has(server) && run.context.sessions.reserved(server)?.open) return frozen
  const session = await reserve(run, server)
  if (!session.ok) return session
  const waitSeconds = lockSeconds(run)
  const answer = await onReserved(run, { server, session: session.value }, [
    ...dialect.setReadOnly(true, waitSeconds),
    ...dialect.globalReadLock(waitSeconds),
  ])
  if (!answer.ok) return answer
  run.notes.frozen.add(server)
  return frozen
}

/**
 * Releases the lock and sets the server writable or not. When it stays read-only, the sessions that could write the
 * moment the lock is gone are ended first. Without a freeze (a restarted manager: the server released it with our
 * session) only the read-only state is set.
 */
export const unfreeze: Effect<'unfreeze'> = async ({ server, writable }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const session = run.context.sessions.reserved(server)
  run.notes.frozen.delete(server)
  const ended = session?.open && !writable ? await endWriters(run, { server, session }) : 0
  const state = dialect.setReadOnly(!writable)
  const released = session?.open
    ? await onReserved(run, { server, session }, [...state, ...dialect.unlock()])
    : undefined
  run.context.sessions.release(server)
  const answer = released?.ok ? released : await execute(run, { server, statements: state })
  if (!answer.ok) return answer
  const killed = ended > 0 ? `; ${ended} waiting or privileged sessions were ended` : ''
  return ok(`${spec.name} is released and ${writable ? 'writable' : 'read-only'}${killed}`)
}
