// An operation as clients read it: moments and durations in whole milliseconds.
import {
  type Loss,
  type Operation,
  type OperationResult,
  type OperationStep,
  resultOf,
} from '../../../../lib/model/operation/operation.js'

/** `result` is `phase` in the words of its outcome: what was not achieved is listed in `losses`. */
type RenderedOperation = Operation & { readonly result: OperationResult; readonly losses: readonly Loss[] }

export const renderOperation = (operation: Operation): RenderedOperation => ({
  ...operation,
  result: resultOf(operation),
  losses: operation.losses ?? [],
  startedAt: Math.round(operation.startedAt),
  deadlineAt: Math.round(operation.deadlineAt),
  ...(operation.endedAt === undefined ? {} : { endedAt: Math.round(operation.endedAt) }),
  steps: operation.steps.map(renderStep),
})

const renderStep = ({ startedAt, tookMs, ...step }: OperationStep): OperationStep => ({
  ...step,
  ...(startedAt === undefined ? {} : { startedAt: Math.round(startedAt) }),
  ...(tookMs === undefined ? {} : { tookMs: Math.round(tookMs) }),
})
