// The life of an operation in the actor's state: started, stepped, ended. Pure; the runtime runs the plan.
import { isoTime, MINUTE, SECOND } from '../../../../lib/base/time.js'
import { awaitedBy, noteAttempt } from '../../../../lib/decide/failover/attempts.js'
import { leaveUnstarted } from '../../../../lib/decide/repair/paused.js'
import { forgetHeld } from '../../../../lib/decide/situation/history/history.js'
import { noteFences } from '../../../../lib/decide/situation/snapshot/fences.js'
import { notePause } from '../../../../lib/decide/switchover/pause.js'
import { noteUndone } from '../../../../lib/decide/watching/left-undone.js'
import type { ClusterFigures } from '../../../../lib/metrics/figures.js'
import { observe } from '../../../../lib/metrics/histogram.js'
import { consequences } from '../../../../lib/model/loss/consequences.js'
import { shortfallText } from '../../../../lib/model/loss/shortfall.js'
import type { Memory } from '../../../../lib/model/memory.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import { type Crash, type CrashOutcome, isListed, TAIL_LIST } from '../../../../lib/model/operation/crash.js'
import {
  blockedMs,
  isMinor,
  type Operation,
  type OperationStep,
  type Plan,
} from '../../../../lib/model/operation/operation.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import type { Ended } from '../../../../lib/store/index.js'
import { type ClusterState, withOperation } from '../state.js'
import type { EventDraft } from './changes.js'
import { emit, operationEvent, REST_MS, restKey, type Step } from './emit.js'

/** Crash records kept for the history. */
const HISTORY = 50

export interface Beginning {
  readonly plan: Plan
  readonly owner: string
  readonly now: number
}

export function beginOperation(state: ClusterState, { plan, owner, now }: Beginning): Step {
  const operation: Operation = {
    id: `${plan.kind}-${isoTime(now).replace(/[-:.Z]/g, '')}-${state.lastEvent + 1}`,
    kind: plan.kind,
    owner,
    reason: plan.reason,
    startedAt: now,
    deadlineAt: now + plan.deadlineMs,
    phase: 'running',
    steps: plan.commands.map((command): OperationStep => ({ command, state: 'waiting' })),
    ...(plan.oldPrimary === undefined ? {} : { oldPrimary: plan.oldPrimary }),
    ...(plan.newPrimary === undefined ? {} : { newPrimary: plan.newPrimary }),
    ...(plan.opened ? { opened: plan.opened } : {}),
    ...(plan.continues === undefined ? {} : { continues: plan.continues }),
  }
  const started = emit(
    withOperation({ ...state, begun: { id: operation.id, plan } }, operation),
    [quietly(state, operation, operationEvent(operation, `${title(plan.kind)} begins${askedBy(operation)}`))],
    now,
  )
  return {
    state: started.state,
    commands: [{ type: 'operate', operation, plan }, ...started.commands, { type: 'publish' }],
  }
}

/** Of attempts that are repeated one line each is enough: what went wrong, at the end. The streams and the journal have all. */
const quietly = ({ attempts }: ClusterState, { kind, owner }: Operation, draft: EventDraft): EventDraft =>
  attempts && kind === 'failover' && owner === 'manager'
    ? { ...draft, level: 'DEBUG', data: { ...draft.data, attempt: attempts.count + 1 } }
    : draft

const isReported = ({ command, state }: OperationStep): boolean => command.type === 'report' && state === 'done'

/** Who asked for it and why; where a person's asking is the whole reason it is not said twice. Of the manager's own the reason. */
function askedBy({ owner, reason }: Operation): string {
  const asked = `requested by ${owner}`
  if (reason.startsWith(asked)) return `, ${reason}`
  return owner === 'manager' ? `: ${reason}` : `, ${asked}: ${reason}`
}

/** Steps of the running operation changed; the primary's role moves with the step that opens the new one. */
export function stepOperation(state: ClusterState, operation: Operation, now: number): Step {
  const running = state.snapshot.operation
  const before = running?.id === operation.id ? running.steps : []
  const settled = operation.steps.filter(
    (step, index) => step.state !== before[index]?.state && step.state !== 'waiting' && step.state !== 'running',
  )
  const memory = hasMoved(operation) ? { ...state.memory, primary: operation.newPrimary as string } : state.memory
  const next = withOperation({ ...state, memory }, operation)
  const emitted = emit(
    next,
    settled.map((step) => {
      const draft = stepEvent(state, operation, step)
      return isReported(step) ? draft : quietly(state, operation, draft)
    }),
    now,
  )
  return { state: emitted.state, commands: [...emitted.commands, { type: 'publish' }] }
}

function stepEvent(
  { snapshot }: ClusterState,
  { id, kind }: Operation,
  { command, state, message, tookMs }: OperationStep,
): EventDraft {
  const server = 'server' in command ? findServer(snapshot, command.server)?.name : undefined
  const named = server !== undefined && message?.includes(server) ? undefined : server
  const what = [kind, command.type, named, state === 'done' ? undefined : state].filter(Boolean).join(' ')
  return {
    kind: 'step',
    level: state !== 'failed' ? 'INFO' : isSafeguard(command) ? 'ERROR' : 'WARN',
    // Each report is a separate line of the log.
    text: message && (command.type !== 'report' || state === 'failed') ? `${what}: ${message}` : what,
    data: { operation: id, command: command.type, state, tookMs: tookMs === undefined ? null : Math.round(tookMs) },
  }
}

/** Without it the new primary acknowledges what no other server has. */
const isSafeguard = (command: OperationStep['command']): boolean => command.type === 'set-semi-sync' && command.source

export interface Ending {
  readonly operation: Operation
  readonly crash?: Crash
  readonly now: number
}

export function endOperation(state: ClusterState, { operation, crash, now }: Ending): Step {
  const isOwn = isMinor(operation) || (operation.kind === 'switchover' && operation.owner === 'manager')
  const rests = isOwn && operation.phase !== 'succeeded'
  const commands = wantedBy(state, operation)
  const next: ClusterState = {
    ...withOperation(state),
    lastOperation: operation,
    memory: remember(state.memory, { operation, now, ...(crash ? { crash } : {}) }),
    restUntil: rests
      ? { ...state.restUntil, [restKey({ kind: operation.kind, commands })]: now + restAfter(operation, state.begun) }
      : state.restUntil,
    attempts: noteAttempt(state.attempts, { operation, commands }, { seen: state.snapshot, now }),
    figures: countOperation(state.figures, operation, now),
  }
  const took = Math.round(now - operation.startedAt)
  const why = operation.message === undefined ? '' : `: ${operation.message}`
  const without = listFailed(state, operation)
  const blocked = blockedText(operation)
  const text = `${title(operation.kind)} ${operation.phase} after ${took} ms${blocked}${why}${shortOf(state, operation)}${without}${repaired(operation)}`
  const ended = emit(next, [counted(operationEvent(operation, text), next)], now)
  return {
    state: ended.state,
    commands: [...ended.commands, { type: 'persist' }, { type: 'publish' }, { type: 'probe-now' }],
  }
}

/** What a switchover costs clients; of one that failed its steps say more. */
function blockedText(operation: Operation): string {
  const blocked = operation.phase === 'succeeded' ? blockedMs(operation) : undefined
  return blocked === undefined ? '' : ` (writes were blocked for ${Math.round(blocked)} ms)`
}

/** What its plan wanted, without what undid it: another plan for the same is compared with it. */
const wantedBy = ({ begun }: ClusterState, { id, steps }: Operation): readonly Command[] =>
  begun?.id === id ? begun.plan.commands : steps.map(({ command }) => command)

/** An attempt that failed says which one it was; alerts are sent of the first one, the finding counts the others. */
function counted(draft: EventDraft, { attempts, lastOperation, snapshot }: ClusterState): EventDraft {
  const isAttempt = attempts && lastOperation?.kind === 'failover' && lastOperation.owner === 'manager'
  if (!isAttempt) return draft
  const lock = awaitedBy(attempts, snapshot)
  const when = lock === undefined ? `at ${isoTime(attempts.nextAt)} at the latest` : `when the lock is gone: ${lock}`
  const rest = `. Attempt ${attempts.count}; the next one ${when}`
  return { ...draft, text: `${draft.text}${rest}`, data: { ...draft.data, attempt: attempts.count } }
}

/** `, but db3 does not follow …`: each once. */
function shortOf({ snapshot }: ClusterState, { losses = [] }: Operation): string {
  const texts = losses.map((loss) => shortfallText(loss, (id) => findServer(snapshot, id)?.name ?? id))
  return texts.length === 0 ? '' : `, but ${[...new Set(texts)].join(' and ')}`
}

/** Who puts right what is missing. */
function repaired({ losses }: Operation): string {
  if (losses === undefined) return ''
  const left = losses.filter(({ command }) => consequences[command]?.repairs === 'operator')
  const others =
    left.length < losses.length
      ? '. The manager continues to repair it; the findings of the servers say what is missing'
      : ''
  const own = left.map(({ command }) => ` ${consequences[command]?.means}`).join('')
  return left.length === 0
    ? others
    : `${others}. The manager does not repeat ${left.map(({ command }) => command).join(', ')}:${own}`
}

/**
 * An operation that succeeded may have done so without some of its steps: it says without which. Of several that do the
 * same, the last decides: it is named with what it met, or not at all when it went through.
 */
function listFailed({ snapshot }: ClusterState, { phase, steps }: Operation): string {
  if (phase !== 'succeeded') return ''
  const met = new Map<string, string | undefined>()
  for (const { state, command, message = 'failed' } of steps) {
    if (state !== 'failed' && state !== 'done') continue
    const server = 'server' in command ? ` of ${findServer(snapshot, command.server)?.name ?? command.server}` : ''
    const script = 'script' in command ? ` ${command.script}` : ''
    met.set(`${command.type}${script}${server}`, state === 'failed' ? message : undefined)
  }
  const named = [...met].flatMap(([step, message]) => (message === undefined ? [] : [`${step} (${message})`]))
  return named.length === 0 ? '' : `, without ${named.join(', ')}`
}

/** A server that takes writes besides the primary is not left alone for long. */
function restAfter({ id, kind, steps }: Operation, begun: ClusterState['begun']): number {
  if (kind === 'switchover') return FAILED_RETURN_MS
  if (hasUnclosed(steps)) return SECOND / 4
  return (begun?.id === id ? begun.plan.restMs : undefined) ?? REST_MS
}

/** A switchover that the manager began on its own and that failed is not worth the blocked writes of another try soon. */
const FAILED_RETURN_MS = 10 * MINUTE

const hasUnclosed = (steps: Operation['steps']): boolean =>
  steps.some(({ command, state }) => command.type === 'fence' && state === 'failed')

/** Changes of the primary are counted by how they ended, with their duration when they succeeded. */
function countOperation(figures: ClusterFigures, operation: Operation, now: number): ClusterFigures {
  const { kind, phase, losses, startedAt } = operation
  if (phase === 'running' || (kind !== 'failover' && kind !== 'switchover')) return figures
  const outcome = losses === undefined ? phase : 'with-losses'
  const [counts, seconds] =
    kind === 'failover' ? (['failovers', 'failoverSeconds'] as const) : (['switchovers', 'switchoverSeconds'] as const)
  return {
    ...figures,
    [counts]: { ...figures[counts], [outcome]: figures[counts][outcome] + 1 },
    ...(phase === 'succeeded' ? { [seconds]: observe(figures[seconds], (now - startedAt) / SECOND) } : {}),
  }
}

/** Whether the new primary was opened for writes: from there on an operation only goes forward. */
export const hasMoved = ({ newPrimary, opened, steps, kind }: Operation): boolean =>
  !isMinor({ kind }) &&
  newPrimary !== undefined &&
  (opened === true ||
    steps.some(
      ({ command, state }) => command.type === 'make-writable' && command.server === newPrimary && state === 'done',
    ))

/** The memory with the ends that a manager wrote to the journal and was killed before it saved them. */
export function recallEnded(memory: Memory, ended: readonly Ended[]): Memory {
  const known = ended.findLastIndex(({ operation }) => operation.id === memory.lastEnded)
  // A memory that names an end the journal no longer holds was saved long after everything in it.
  if (memory.lastEnded !== undefined && known < 0) return memory
  return ended
    .slice(known + 1)
    .reduce((now, { operation, ...rest }) => remember(now, { operation, now: operation.endedAt ?? 0, ...rest }), memory)
}

const remember = (memory: Memory, ending: Ending): Memory => ({
  ...notePause(
    withoutReset(
      leaveUnstarted(
        noteFences(
          noteUndone(moved(memory, ending), ending.operation, ending.now),
          performedIn(ending.operation),
          ending.now,
        ),
        ending.operation,
        ending.now,
      ),
      ending.operation,
    ),
    ending.operation,
  ),
  lastEnded: ending.operation.id,
})

/** What it sent to servers, whatever became of it. */
const performedIn = ({ steps }: Operation): readonly Command[] =>
  steps.filter(({ state }) => state === 'done' || state === 'failed').map(({ command }) => command)

function moved(memory: Memory, { operation, crash, now }: Ending): Memory {
  if (!hasMoved(operation)) return rejoined(memory, operation, now)
  const crashes = crash
    ? [...memory.crashes.filter(({ oldPrimary }) => oldPrimary !== crash.oldPrimary), crash]
    : memory.crashes
  return {
    ...memory,
    primary: operation.newPrimary as string,
    crashes: crashes.filter(({ oldPrimary }) => oldPrimary !== operation.newPrimary),
    history: crash ? [...memory.history, crash].slice(-HISTORY) : memory.history,
    ...(operation.kind === 'failover' ? { failoverCount: memory.failoverCount + 1, lastFailoverAt: now } : {}),
  }
}

/** A rejoin that went through closes the crash of the server it brought back, or notes what that server kept to itself. */
function rejoined(memory: Memory, operation: Operation, now: number): Memory {
  if (operation.phase !== 'succeeded') return memory
  if (operation.kind !== 'rejoin') return forgotten(memory, operation)
  const outcomes = new Map(operation.steps.flatMap((step) => outcomeOf(step, now)))
  if (outcomes.size === 0) return memory
  const settle = (crash: Crash): Crash => {
    const { outcome: before, oldPrimary } = crash
    // One whose own transactions were saved may come back later, by another way.
    const outcome = before && before.verdict !== 'diverged' ? undefined : outcomes.get(oldPrimary)
    return outcome ? { ...crash, outcome: { ...before, ...outcome } } : crash
  }
  return {
    ...memory,
    crashes: memory.crashes.map(settle).filter(({ outcome }) => outcome?.verdict !== 'rejoined'),
    history: memory.history.map(settle),
  }
}

/**
 * A primary whose binary log the manager itself deleted, or that was opened by the forming of a topology, begins another
 * history, also where the rest of the plan failed.
 */
function withoutReset(memory: Memory, operation: Operation): Memory {
  const resets = (command: Command): boolean =>
    command.type === 'forget-history' ||
    (operation.kind === 'repair' && command.type === 'make-writable' && !command.checked)
  const isReset = performedIn(operation).some(
    (command) => resets(command) && 'server' in command && command.server === memory.held?.primary,
  )
  return isReset ? forgetHeld(memory) : memory
}

/** A server without a history has nothing to be brought back for. */
function forgotten(memory: Memory, { steps }: Operation): Memory {
  const servers = new Set(steps.flatMap(({ command }) => (command.type === 'forget-history' ? [command.server] : [])))
  if (servers.size === 0) return memory
  return { ...memory, crashes: memory.crashes.filter(({ oldPrimary }) => !servers.has(oldPrimary)) }
}

function outcomeOf({ command, message }: OperationStep, now: number): [ServerId, CrashOutcome][] {
  if (command.type === 'repoint') return [[command.server, { at: now, verdict: 'rejoined' }]]
  if (command.type !== 'save-tail') return []
  const outcome: CrashOutcome = {
    at: now,
    verdict: 'diverged',
    extra: command.extra,
    extraText: command.extraText,
  }
  return [[command.server, { ...outcome, ...(message === undefined ? {} : savedAs(message)) }]]
}

/** The result of `save-tail`: the folder, or in it the list that is all there is. */
const savedAs = (saved: string): Pick<CrashOutcome, 'tailFile' | 'listed'> =>
  isListed(saved) ? { tailFile: saved.slice(0, -TAIL_LIST.length - 1), listed: true } : { tailFile: saved }

const title = (kind: Operation['kind']): string => kind.charAt(0).toUpperCase() + kind.slice(1)
