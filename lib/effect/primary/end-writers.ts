// Ends the sessions of a frozen server that read-only does not stop, and waits until its process list shows that they ended.
import { counted } from '../../base/counted.js'
import { fail, ok, type Result } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import type { Row } from '../../connect/sql/session.js'
import { isDiskFull, type Statement, TRX_LIST_MS } from '../../dialect/index.js'
import type { Run } from '../kit/context.js'
import { onReserved, type Reserved } from '../kit/reserved.js'
import { memberOf } from '../kit/statements.js'
import { listSessions } from './full-disk.js'
import { ANSWER_MS } from './positions.js'

const ROUND_MS = 5
/** Sessions usually end within so many rounds; later ones let InnoDB list its transactions again (`TRX_LIST_MS`). */
const SHORT_ROUNDS = 10

/**
 * Later rounds are short by turns: a client that connects again every tenth of a second, as another manager does, would else be there
 * at each of them.
 */
const isShort = (round: number): boolean => round < SHORT_ROUNDS || round % 2 === 1

/** Longest text of a statement that is shown. */
const STATEMENT_LENGTH = 120

/**
 * Under the lock no session can commit; one whose user read-only does not stop could as soon as the lock is gone, in the
 * middle of a statement, between two, or by an event. Each is ended, and the work is done when the server lists none:
 * sessions that connect meanwhile are ended as well. Answers how many were ended; fails with those that did not end in time.
 */
export async function endWriters(run: Run, reserved: Reserved, ended = new Set<number>()): Promise<Result<number>> {
  for (let round = 1; ; round += 1) {
    const found = await listWriters(run, reserved)
    if (!found.ok) return found
    if (found.value.length === 0) return ok(ended.size)
    await killEach(run, reserved, { sessions: found.value, ended })
    if (run.signal.aborted || run.remaining() <= ANSWER_MS)
      return fail(
        'step-failed',
        `${counted(found.value.length, 'session')} did not end: ${found.value.map(label).join('; ')}`,
      )
    await sleep(isShort(round) ? ROUND_MS : TRX_LIST_MS, run.signal)
  }
}

/**
 * Sessions that wait for the lock: of users whom read-only stops by now, whose statements would be refused when it is
 * gone. Their clients reconnect, and find the new primary. Adds them to `ended`.
 */
export async function endWaiting(run: Run, reserved: Reserved, ended: Set<number>): Promise<void> {
  const member = memberOf(run, reserved.server)
  const waiting = member.ok ? member.value.dialect.waitingForLock(ownOf(run, reserved)) : undefined
  if (!waiting) return
  const found = await onReserved(run, reserved, [waiting])
  if (found.ok) await killEach(run, reserved, { sessions: found.value[0] ?? [], ended })
}

async function listWriters(run: Run, reserved: Reserved): Promise<Result<readonly Row[]>> {
  const member = memberOf(run, reserved.server)
  if (!member.ok) return member
  let answer: Result<readonly Row[]> = ok([])
  for (const statement of member.value.dialect.privilegedWriters(ownOf(run, reserved))) {
    answer = await rowsOf(run, reserved, statement)
    if (answer.ok || answer.failure.code !== 'sql-failed') return answer
  }
  return !answer.ok && isDiskFull(answer.failure.message) ? listAll(run, reserved) : answer
}

/** Where the tables of privileges cannot be read for lack of space, every session of a client is taken for a writer. */
async function listAll(run: Run, reserved: Reserved): Promise<Result<readonly Row[]>> {
  const sessions = await listSessions(run, reserved)
  return sessions.ok ? ok(sessions.value.map((session): Row => ({ ...session }))) : sessions
}

async function rowsOf(run: Run, reserved: Reserved, statement: Statement): Promise<Result<readonly Row[]>> {
  const answer = await onReserved(run, reserved, [statement])
  return answer.ok ? ok(answer.value[0] ?? []) : answer
}

interface Ending {
  readonly sessions: readonly Row[]
  readonly ended: Set<number>
}

/** Each once; one that is gone already (error 1094) is none to end. */
async function killEach(run: Run, reserved: Reserved, { sessions, ended }: Ending): Promise<void> {
  const member = memberOf(run, reserved.server)
  if (!member.ok) return
  for (const id of sessions.map((row) => Number(row.id)).filter((one) => !ended.has(one))) {
    await onReserved(run, reserved, [member.value.dialect.killSession(id)])
    ended.add(id)
  }
}

const ownOf = (run: Run, { server }: Reserved): readonly number[] => run.context.sessions.own(server)

const label = ({ id, user, host, statement }: Row): string =>
  `session ${id} of ${user}@${host}: ${
    String(statement ?? '')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, STATEMENT_LENGTH) || 'idle'
  }`
