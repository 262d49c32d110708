// Takes the primary role back from a server that was to get it, where nothing shows that it has it.
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import { nothingListens } from '../../connect/sql/failures.js'
import { isOrigin } from '../../decide/situation/history/holdings.js'
import type { TakeBack } from '../../model/operation/command.js'
import { type GtidSet, isEmpty, noTransactions, pick, subtract } from '../../model/server/gtid.js'
import type { ServerState } from '../../model/server/reading.js'
import type { Effect, Run } from '../kit/context.js'
import type { EffectServer } from '../kit/server.js'
import { execute, lockSeconds, memberOf, nameOf, readServer } from '../kit/statements.js'

/** Between two readings of a server that does not answer. */
const RETRY_MS = SECOND / 5

/** So many refusals in a row, `RETRY_MS` apart, show that its process has ended, as in the evidence of a death: one may be of the network. */
const PROOF = 2

/** For a server that was never sent the order to take writes: the old primary is closed meanwhile, and clients wait for it. */
const UNORDERED_MS = SECOND

/**
 * A server that was never sent the order to take writes is left open where it is: a person opened it. One that was sent it, and
 * whose answer was lost, is closed and asked what it has taken, for as long as the command has time: over a slow network that is
 * longer than the answer was waited for. One that hangs is passed over: it executes what it was sent first thing when it wakes up.
 */
export const takeBack: Effect<'take-back'> = async (command, run) => {
  const member = memberOf(run, command.server)
  // One that was taken off the list meanwhile has no role here.
  if (!member.ok) return ok(member.failure.message)
  const { spec } = member.value
  const isOrdered = run.notes.ordered.has(command.server)
  const until = run.startedAt + UNORDERED_MS
  const brief = { ...run, remaining: () => Math.max(0, Math.min(run.remaining(), until - run.context.now())) }
  for (let refusals = 0; ; ) {
    const closed = await close(command, { ...member.value, isOrdered }, isOrdered ? run : brief)
    if (closed.ok) return ok(`${spec.name} is read-only and has taken no writes`)
    const { code, message } = closed.failure
    if (code === 'step-failed') return closed
    refusals = nothingListens(closed.failure) ? refusals + 1 : 0
    const isOver = run.remaining() <= RETRY_MS || run.signal.aborted
    if (!isOrdered || refusals >= PROOF || isOver) return ok(`${spec.name} does not answer: ${message}`)
    await sleep(RETRY_MS, run.signal)
  }
}

type Closing = EffectServer & { readonly isOrdered: boolean }

/** `step-failed`: it keeps the role. Anything else: it did not answer. */
async function close(command: TakeBack, { spec, dialect, isOrdered }: Closing, run: Run): Promise<Result<void>> {
  const { server, oldPrimary } = command
  const before = isOrdered ? undefined : await readServer(run, server)
  if (before?.ok === false) return before
  if (before?.ok && !before.value.readOnly) return fail('step-failed', `${spec.name} takes writes: it keeps the role`)
  const closed = await execute(run, { server, statements: dialect.setReadOnly(true, lockSeconds(run)), late: true })
  if (!closed.ok) return closed
  const after = await readServer(run, server)
  if (!after.ok) return after
  const own = await ownWrites(command, after.value, run)
  if (isEmpty(own)) return done
  return fail(
    'step-failed',
    `${spec.name} has taken writes that ${nameOf(run, oldPrimary)} is missing: it keeps the role`,
  )
}

/** What it wrote as a primary: neither before it was parted from its source, nor known to the old primary. None where neither was read. */
async function ownWrites({ server, oldPrimary }: TakeBack, state: ServerState, run: Run): Promise<GtidSet> {
  const old = await readServer(run, oldPrimary)
  const before = run.notes.promoted.get(server)?.state
  const known = [before, old.ok ? old.value : undefined].filter((each) => each !== undefined)
  if (known.length === 0) return noTransactions
  const written = pick(state.gtid.byOrigin, (stream) => isOrigin(stream, state))
  return known.reduce((left, { gtid }) => subtract(left, gtid.byOrigin), written)
}
