// Opens and closes servers for writes: the fence, the point of no return, and plain read-only.
import { counted, transactions } from '../../base/counted.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import { nothingListens } from '../../connect/sql/failures.js'
import type { Dialect, Statement } from '../../dialect/index.js'
import { countTransactions, isEmpty, noTransactions, subtract } from '../../model/server/gtid.js'
import type { ServerId, ServerSpec } from '../../model/server/server.js'
import type { Effect, Run } from '../kit/context.js'
import {
  type Execution,
  execute,
  lockSeconds,
  memberOf,
  nameOf,
  type ResultSets,
  readServer,
} from '../kit/statements.js'
import { endUnfinished } from './end-unfinished.js'
import { channelName } from './positions.js'

/** Between two tries to close a server that loses every session. */
const RETRY_MS = 20

/**
 * Read-only, wherever it can still be reached, and no write in progress is reported as committed. Nothing listens:
 * nothing to fence. A server that hangs keeps the statement in its socket and executes it first thing when it wakes
 * up; the failure says that it has not answered.
 */
export const fence: Effect<'fence'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  run.notes.frozen.delete(server)
  const closing = closeOrFindDown(run, { server, statements: dialect.setReadOnly(true, lockSeconds(run)), late: true })
  const [answer, ended] = await Promise.all([closing, endUnfinished(run, server, closing)])
  if (answer.ok) return ok(`${spec.name} is read-only${ended > 0 ? `; ${counted(ended, 'write')} got no answer` : ''}`)
  if (nothingListens(answer.failure)) return ok(`${spec.name} is down (connection refused); fencing not needed`)
  return answer.failure.code === 'sql-refused'
    ? fail('sql-refused', `${spec.name} ended every session, and is not proven down: ${answer.failure.message}`)
    : answer
}

/** A server that ends sessions is not down: it is tried again, for as long as the step has time, until it obeys or nothing listens. */
async function closeOrFindDown(run: Run, execution: Execution): Promise<Result<ResultSets>> {
  for (;;) {
    const answer = await execute(run, execution)
    if (answer.ok || answer.failure.code !== 'sql-refused' || nothingListens(answer.failure)) return answer
    if (run.remaining() <= RETRY_MS || run.signal.aborted) return answer
    await sleep(RETRY_MS, run.signal)
  }
}

/**
 * Not cut short by the end of the operation: what follows must know whether the server takes writes. Where another server
 * is frozen, it is opened only when that one proves that its freeze holds.
 */
export const makeWritable: Effect<'make-writable'> = async (
  { server, replicating = false, checked, behind = false },
  run,
) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  for (const id of run.notes.frozen) {
    const held = id === server ? done : await proveFrozen(run, id)
    if (!held.ok) return held
  }
  const may = checked ? await run.context.mayOpen(server, { behind }) : done
  if (!may.ok) return may
  const statements = [...(replicating ? [] : refuseReplicating(run, server, dialect)), ...dialect.setReadOnly(false)]
  const reached = await run.context.sessions.action(server, run.remaining())
  if (!reached.ok) return reached
  run.notes.ordered.add(server)
  const answer = await execute(run, { server, statements, uninterrupted: true, prompt: true })
  if (!answer.ok && answer.failure.code === 'sql-failed') run.notes.ordered.delete(server)
  return answer.ok ? ok(`${spec.name} is writable`) : explainRefusal(answer, spec)
}

/**
 * The session that holds the lock answers, so the lock holds; and the server has executed what its successor was made to
 * have, no more. A freeze that was lost on the way no longer protects anything.
 */
async function proveFrozen(run: Run, id: ServerId): Promise<Result<void>> {
  const lost = fail('step-failed', `the session that froze ${nameOf(run, id)} was lost`)
  const session = run.context.sessions.reserved(id)
  if (!session?.open) return lost
  const reading = await readServer(run, id, session)
  if (!reading.ok) return session.open ? reading : lost
  const settled = run.notes.settled.get(id)
  const more = settled ? subtract(reading.value.gtid.executed, settled) : noTransactions
  if (isEmpty(more)) return done
  return fail(
    'step-failed',
    `${nameOf(run, id)} executed ${transactions(countTransactions(more))} although it is frozen`,
  )
}

/** In the same text as what opens the server: someone may have given it a source a moment ago. */
export function refuseReplicating(run: Run, server: ServerId, dialect: Dialect): readonly Statement[] {
  const foreign = run.context.server(server)?.replication?.foreign ?? []
  const names = [channelName(run, server), run.context.settings().replication.channel]
  return [...new Set(names)]
    .filter((name) => !foreign.includes(name))
    .flatMap((name) => dialect.refuseReplicating(name))
}

/** The failure with a sentence where the server has refused because it replicates. */
export const explainRefusal = (refused: Result<never>, { name }: Pick<ServerSpec, 'name'>): Result<never> =>
  !refused.ok && /error 1690:.*pow\(/i.test(refused.failure.message)
    ? fail('step-failed', `${name} replicates from a source again and stays read-only`)
    : refused

export const makeReadOnly: Effect<'make-read-only'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  if (spec.readOnlyIgnored) return ok(`the read-only state of ${spec.name} is left to its owner`)
  const answer = await execute(run, { server, statements: dialect.setReadOnly(true, lockSeconds(run)) })
  return answer.ok ? ok(`${spec.name} is read-only`) : answer
}
