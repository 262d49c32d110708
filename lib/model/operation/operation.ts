// An operation: a primary change or other journaled work, one at a time per cluster.
import type { FailureCode } from '../../base/failures.js'
import type { ServerId } from '../server/server.js'
import type { Command, CommandType } from './command.js'
import type { Crash } from './crash.js'

export type OperationKind = 'failover' | 'switchover' | 'rejoin' | 'repair'

/** Operations that a failover may interrupt. */
export const isMinor = ({ kind }: Pick<Operation, 'kind'>): boolean => kind === 'rejoin' || kind === 'repair'

export type OperationPhase = 'running' | 'succeeded' | 'rolled-back' | 'failed'

/** What an operation that moved the primary role did not achieve, although it succeeded. */
export interface Loss {
  readonly command: CommandType
  readonly server?: ServerId
  /** Why. */
  readonly message: string
}

/**
 * How an operation ended, in one word; `running` before. `succeeded-with-losses` is the wire's word for a change that moved the primary role
 * and is short of something (`losses`); transactions are not meant.
 */
export type OperationResult = 'running' | 'succeeded' | 'succeeded-with-losses' | 'undone' | 'failed'

export const resultOf = ({ phase, losses = [] }: Pick<Operation, 'phase' | 'losses'>): OperationResult => {
  if (phase === 'rolled-back') return 'undone'
  return phase === 'succeeded' && losses.length > 0 ? 'succeeded-with-losses' : phase
}

export interface Operation {
  /** `failover-20261121T074012345-1`: unique in the cluster. */
  readonly id: string
  readonly kind: OperationKind
  /** User name, or `manager` for an automatic one. */
  readonly owner: string
  readonly reason: string
  readonly startedAt: number
  /** Deadline of the whole operation. */
  readonly deadlineAt: number
  readonly oldPrimary?: ServerId
  readonly newPrimary?: ServerId
  /** As in its plan. */
  readonly opened?: true
  readonly continues?: string
  readonly phase: OperationPhase
  readonly steps: readonly OperationStep[]
  /** Reason of the result, unless it succeeded. */
  readonly message?: string
  /** Code of the failure that ended it, when one did. */
  readonly failure?: FailureCode
  readonly endedAt?: number
  /** Absent when there are none. */
  readonly losses?: readonly Loss[]
}

export interface OperationStep {
  readonly command: Command
  readonly state: 'waiting' | 'running' | 'done' | 'skipped' | 'failed'
  readonly startedAt?: number
  readonly tookMs?: number
  readonly message?: string
}

/**
 * For how long clients could not write, milliseconds: from the beginning of the freeze until the new primary was open. Undefined
 * where the operation froze no server, or did not open the new one.
 */
export function blockedMs({ steps, newPrimary }: Pick<Operation, 'steps' | 'newPrimary'>): number | undefined {
  const done = steps.filter(({ state }) => state === 'done')
  const frozen = done.find(({ command }) => command.type === 'freeze')
  const opened = done.find(({ command }) => command.type === 'make-writable' && command.server === newPrimary)
  if (frozen?.startedAt === undefined || opened?.startedAt === undefined) return undefined
  return opened.startedAt + (opened.tookMs ?? 0) - frozen.startedAt
}

/** Ordered commands, and the commands that undo them while undoing is still safe. */
export interface Plan {
  readonly kind: OperationKind
  readonly reason: string
  readonly oldPrimary?: ServerId
  readonly newPrimary?: ServerId
  /** The new primary accepted writes before this plan was created: it only goes forward, even when commands fail. */
  readonly opened?: true
  /** Id of the operation that a killed manager left, which this one finishes or undoes. */
  readonly continues?: string
  readonly commands: readonly Command[]
  /** Run, best effort and in order, when a command fails before the point of no return. */
  readonly undo: readonly Command[]
  readonly deadlineMs: number
  /** So long the same is not tried again after it failed, milliseconds; absent: a moment. */
  readonly restMs?: number
  readonly crash?: Crash
}
