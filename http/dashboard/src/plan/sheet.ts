// The open plan sheet: asks for the plan, runs exactly it when it is confirmed, follows what it began.
import { type Reply, unreachable } from '../client/failure.js'
import { readPlan } from '../model/plan.js'
import { noteChange } from '../store/reading.js'
import { type Action, clusterOf } from './action.js'
import { follow, idOfAnswer, knownIds, progressOfAnswer, type Read, readerOf, readerSince } from './follow.js'
import { sheet } from './opened.js'
import { planAction, runAction } from './send.js'
import { type SheetEvent, stepSheet } from './sheet-state.js'

const MINUTE = 60_000
/** The manager reads stored binary logs for the plan of a recovery; what it gives up after, no answer follows. */
const PLAN_MS = 45 * MINUTE
/** An operation answers at once (`wait=false`); a job that is planned once more before it begins does not. */
const ANSWER_MS = { none: 2 * MINUTE, operation: MINUTE / 2, rolling: MINUTE / 2, job: PLAN_MS } as const

/** So many reads, each two seconds after the other, that do not find what the answer named: its result is not known. */
const LOST_AFTER = 5

/** Ends what the sheet that was closed still follows. */
let open = new AbortController()
/** Work that was known before the action was sent: what it began has another id. */
let knownWork: readonly string[] = []

/** Asks for the plan of the sheet that was just opened, unless another one was opened or it was closed since. */
export function beginPlan(action: Action): void {
  if (sheet.peek()?.action !== action) return
  open.abort()
  open = new AbortController()
  void ask(action, open.signal)
}

export function closePlan(): void {
  open.abort()
  sheet.value = undefined
}

/** Asks for the plan again: the situation may be another one by now. */
export function planAgain(): void {
  const { action } = sheet.peek() ?? {}
  if (!action) return
  send({ type: 'again' })
  void ask(action, open.signal)
}

/** Runs the plan that is shown, and no other. */
export async function confirmPlan(): Promise<void> {
  const shown = sheet.peek()
  if (shown?.state.type !== 'planned') return
  const { action, state } = shown
  const { signal: ended } = open
  send({ type: 'confirmed', at: Date.now() })
  const reply = await runAction(action, state.plan, { timeoutMs: ANSWER_MS[action.follow ?? 'none'] })
  if (ended.aborted) return
  if (reply.ok) {
    answered(action, reply, ended)
    shown.onAnswer?.(reply.value)
  } else {
    send({ type: 'refused', failure: reply.failure })
    if (sheet.peek()?.state.type === 'planning') void ask(action, ended)
    if (sheet.peek()?.state.type === 'unknown') search(action, ended)
  }
}

function answered(action: Action, reply: Extract<Reply<unknown>, { ok: true }>, ended: AbortSignal): void {
  const id = idOfAnswer(action, reply.value, reply.location)
  if (id === undefined) {
    send({ type: 'answered', at: Date.now() })
    return
  }
  const first = progressOfAnswer(action, reply.value)
  if (first) send({ type: 'answered', at: Date.now(), progress: first })
  const read = readerOf(action, id)
  let missed = 0
  const readOrLose = async () => {
    const progress = await read()
    missed = progress ? 0 : missed + 1
    // A manager that was killed before it noted anything knows nothing of it.
    if (missed === LOST_AFTER) send({ type: 'refused', failure: unreachable })
    return progress
  }
  followUntilEnd(action, readOrLose, ended)
}

/** No answer came: what began since is shown, whichever way it ended. */
const search = (action: Action, ended: AbortSignal): void =>
  followUntilEnd(action, readerSince(action, knownWork), ended)

function followUntilEnd(action: Action, read: Read, ended: AbortSignal): void {
  const over = new AbortController()
  ended.addEventListener('abort', () => over.abort())
  follow(clusterOf(action), read, {
    signal: over.signal,
    onRead: (progress) => {
      send({ type: 'progressed', progress, at: Date.now() })
      // A manager that starts again finishes or undoes what was interrupted.
      if (progress.ending !== 'running' && progress.ending !== 'interrupted') over.abort()
    },
  })
}

async function ask(action: Action, ended: AbortSignal): Promise<void> {
  const [reply, known] = await Promise.all([
    planAction(action, { signal: ended, timeoutMs: PLAN_MS }),
    knownIds(action).catch(() => []),
  ])
  if (ended.aborted) return
  knownWork = known
  if (!reply.ok) {
    send({ type: 'unplanned', failure: reply.failure })
    return
  }
  const plan = readPlan(reply.value)
  if (plan) send({ type: 'planned', plan })
  else
    send({
      type: 'unplanned',
      failure: { status: 0, code: 'no-plan', text: 'The manager answered with something that is no plan.' },
    })
}

function send(event: SheetEvent): void {
  const shown = sheet.peek()
  if (!shown) return
  const state = stepSheet(shown.state, event)
  sheet.value = { ...shown, state }
  // What the page behind it has read is read again.
  if (state.type === 'ended' && shown.state.type !== 'ended') noteChange()
}
