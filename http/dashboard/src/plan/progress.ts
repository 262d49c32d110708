// How far the work of an action is: steps with their states, whatever kind of work it is.
import { shortfallText } from '../../../../lib/model/loss/shortfall.js'
import {
  type Operation,
  type OperationLoss,
  operationTitle,
  readOperation,
  type StepState,
} from '../model/cluster/operation.js'
import { fieldsOf, listOf, numberOf, present, textOf } from '../model/wire.js'
import type { Action } from './action.js'

export interface ProgressStep {
  readonly text: string
  readonly state: StepState
  readonly startedAt?: number
  readonly tookMs?: number
  readonly message?: string
}

export interface Progress {
  readonly id: string
  /** Id of the work that a killed manager left, which this is the rest of. */
  readonly continues?: string
  readonly title: string
  readonly owner?: string
  readonly startedAt: number
  readonly endedAt?: number
  /** `interrupted`: the manager stopped in the middle of it; the next one may still go on with it. */
  readonly ending: 'running' | 'succeeded' | 'lossy' | 'undone' | 'failed' | 'interrupted'
  readonly message?: string
  readonly losses: readonly string[]
  readonly steps: readonly ProgressStep[]
  /** Ends it, where it can be ended. */
  readonly cancel?: Action
}

const endings: Readonly<Record<string, Progress['ending']>> = {
  running: 'running',
  succeeded: 'succeeded',
  'succeeded-with-losses': 'lossy',
  undone: 'undone',
  'rolled-back': 'undone',
}

/** The repair that undoes what a killed manager left has succeeded: what was asked for is undone. */
function endingOf({ continues, kind, result }: Operation): Progress['ending'] {
  const ending = endings[result] ?? 'failed'
  return continues !== undefined && kind === 'repair' && ending === 'succeeded' ? 'undone' : ending
}

/** `db3 does not follow the new primary as intended: Access denied`. */
const lossText = ({ message, ...loss }: OperationLoss): string =>
  `${shortfallText(loss, (name) => name)}${message === undefined ? '' : `: ${message}`}`

export const progressOfOperation = (operation: Operation): Progress =>
  present<Progress>({
    id: operation.id,
    continues: operation.continues,
    title: operationTitle(operation),
    owner: operation.owner,
    startedAt: operation.startedAt,
    endedAt: operation.endedAt,
    ending: endingOf(operation),
    message: operation.message,
    losses: operation.losses.map(lossText),
    steps: operation.steps,
    cancel: undefined,
  })

const noted: Readonly<Record<string, StepState>> = { done: 'done', failed: 'failed', skipped: 'skipped' }

/** Operations of the timeline, the newest first, with the steps that were noted: of what another operation followed. */
export const progressOfEntries = (reply: unknown): readonly Progress[] =>
  listOf(fieldsOf(reply).entries).flatMap(({ at, until, data: wire }) => {
    const { oldPrimary, newPrimary, steps, ...data } = fieldsOf(wire)
    const operation = readOperation({ ...data, startedAt: at, endedAt: until }, {})
    if (!operation) return []
    const shown = listOf(steps).map((step) =>
      present<ProgressStep>({
        text: textOf(step.text) ?? '',
        state: noted[textOf(step.state) ?? ''] ?? 'running',
        tookMs: numberOf(step.tookMs),
      }),
    )
    const isInterrupted = data.interrupted === true
    return [{ ...progressOfOperation(operation), ...(isInterrupted ? { ending: 'interrupted' } : {}), steps: shown }]
  })

const turns: Readonly<Record<string, StepState>> = {
  waiting: 'waiting',
  acting: 'running',
  returning: 'running',
  done: 'done',
  skipped: 'skipped',
  failed: 'failed',
}

const kinds: Readonly<Record<string, string>> = {
  restart: 'Rolling restart',
  reprov: 'Rolling rebuild',
  optimize: 'Rolling optimize',
}

const cancels = {
  restart: 'POST /api/clusters/:cluster/actions/cancel-rolling-restart',
  reprov: 'POST /api/clusters/:cluster/actions/cancel-rolling-reprov',
  optimize: 'POST /api/clusters/:cluster/actions/cancel-rolling-optimize',
} as const

/** `C/rolling`: a step per server, the one that has its turn with what is waited for. */
export function progressOfRolling(reply: unknown, cluster: string): Progress | undefined {
  const wire = fieldsOf(reply)
  const id = textOf(wire.id)
  if (id === undefined) return undefined
  const kind = textOf(wire.kind) ?? ''
  const title = kinds[kind] ?? kind
  const ending: Progress['ending'] =
    wire.phase === 'running'
      ? 'running'
      : wire.phase === 'succeeded'
        ? 'succeeded'
        : wire.phase === 'cancelled'
          ? 'undone'
          : 'failed'
  const doing = textOf(wire.doing)
  return present<Progress>({
    id,
    title,
    owner: textOf(wire.owner),
    startedAt: numberOf(wire.startedAt) ?? 0,
    endedAt: numberOf(wire.endedAt),
    ending,
    message: textOf(wire.message) ?? (ending === 'running' ? doing : undefined),
    losses: [],
    steps: listOf(wire.servers).map((server) => {
      const startedAt = numberOf(server.startedAt)
      const endedAt = numberOf(server.endedAt)
      return present<ProgressStep>({
        text: textOf(server.name) ?? '',
        state: turns[textOf(server.state) ?? ''] ?? 'waiting',
        startedAt,
        tookMs: startedAt !== undefined && endedAt !== undefined ? endedAt - startedAt : undefined,
        message: textOf(server.message),
      })
    }),
    cancel:
      ending === 'running' && kind in cancels
        ? {
            ...{ title: `Cancel the ${title.toLowerCase()}`, row: cancels[kind as keyof typeof cancels] },
            ...{ params: { cluster }, grant: 'cluster-rolling', kind: 'interrupting' as const },
          }
        : undefined,
  })
}

const phases: Readonly<Record<string, Progress['ending']>> = {
  queued: 'running',
  running: 'running',
  done: 'succeeded',
  cancelled: 'undone',
}

/** `C/jobs/{job}`: its lines as steps would say more than is known, so the last ones are its message. */
export function progressOfJob(reply: unknown, cluster: string): Progress | undefined {
  const wire = fieldsOf(reply)
  const id = numberOf(wire.id)
  if (id === undefined) return undefined
  const ending = phases[textOf(wire.phase) ?? ''] ?? 'failed'
  const end = numberOf(wire.end)
  const log = Array.isArray(wire.log) ? wire.log.map(String) : []
  const task = textOf(wire.task) ?? 'job'
  return present<Progress>({
    id: String(id),
    title: `${task} of ${textOf(wire.server) ?? 'the cluster'}`,
    owner: textOf(wire.user),
    startedAt: (numberOf(wire.start) ?? 0) * 1_000,
    endedAt: end === undefined ? undefined : end * 1_000,
    ending,
    message: textOf(wire.result) ?? log.at(-1),
    losses: [],
    steps: [],
    cancel:
      ending === 'running'
        ? {
            ...{
              title: `Cancel ${task}`,
              row: 'POST /api/clusters/:cluster/jobs/:job/actions/cancel' as const,
              params: { cluster, job: String(id) },
            },
            ...{ grant: 'cluster-process', kind: 'interrupting' as const },
          }
        : undefined,
  })
}
