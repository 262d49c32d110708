// An operation with its steps as pages show it: what each step does and to whom, how far it is.

import { type Fields, fieldsOf, listOf, numberOf, present, textOf } from '../wire.js'
import { commandText } from './command-text.js'

export type StepState = 'waiting' | 'running' | 'done' | 'skipped' | 'failed'

export interface OperationStep {
  readonly text: string
  readonly state: StepState
  readonly startedAt?: number
  readonly tookMs?: number
  readonly message?: string
}

export interface Operation {
  readonly id: string
  readonly kind: string
  readonly owner: string
  readonly reason: string
  readonly startedAt: number
  readonly endedAt?: number
  readonly oldPrimary?: string
  readonly newPrimary?: string
  /** Id of the operation that a killed manager left, which this one finishes or (as a repair) undoes. */
  readonly continues?: string
  /** `running`, `succeeded`, `succeeded-with-losses`, `undone`, `failed`. */
  readonly result: string
  readonly message?: string
  readonly losses: readonly OperationLoss[]
  readonly steps: readonly OperationStep[]
}

/** What it is short of: the step that failed, with the name of its server. */
export interface OperationLoss {
  readonly command: string
  readonly server?: string
  readonly message?: string
}

export type Names = Readonly<Record<string, string>>

/** Undefined where there is none. */
export function readOperation(reply: unknown, names: Names): Operation | undefined {
  const wire = fieldsOf(reply)
  const id = textOf(wire.id)
  if (id === undefined) return undefined
  const named = (server: unknown) =>
    textOf(server) === undefined ? undefined : (names[String(server)] ?? String(server))
  return present<Operation>({
    id,
    kind: textOf(wire.kind) ?? '',
    owner: textOf(wire.owner) ?? '',
    reason: textOf(wire.reason) ?? '',
    startedAt: numberOf(wire.startedAt) ?? 0,
    endedAt: numberOf(wire.endedAt),
    oldPrimary: named(wire.oldPrimary),
    newPrimary: named(wire.newPrimary),
    continues: textOf(wire.continues),
    result: textOf(wire.result) ?? textOf(wire.phase) ?? 'running',
    message: textOf(wire.message),
    losses: listOf(wire.losses).map(({ command, server, message }) =>
      present<OperationLoss>({ command: textOf(command) ?? 'step', server: named(server), message: textOf(message) }),
    ),
    steps: listOf(wire.steps).map((step) => readStep(step, names)),
  })
}

const readStep = (wire: Fields, names: Names): OperationStep =>
  present<OperationStep>({
    text: commandText(fieldsOf(wire.command), names),
    state: (textOf(wire.state) ?? 'waiting') as StepState,
    startedAt: numberOf(wire.startedAt),
    tookMs: numberOf(wire.tookMs),
    message: textOf(wire.message),
  })

/** "Switchover db1 → db2", "Rejoin of db1", as a title. */
export function operationTitle({ kind, oldPrimary, newPrimary }: Operation): string {
  const word = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`
  return oldPrimary !== undefined && newPrimary !== undefined ? `${word} ${oldPrimary} → ${newPrimary}` : word
}

const results: Readonly<Record<string, string>> = {
  running: 'running',
  succeeded: 'succeeded',
  'succeeded-with-losses': 'succeeded, incomplete',
  undone: 'undone',
  'rolled-back': 'undone',
  failed: 'failed',
}

export const resultWord = (result: string): string => results[result] ?? result
