// An operation as clients read it: moments and durations in whole milliseconds.
import type { Operation, OperationStep } from '../../../../lib/model/operation/operation.js'

export const renderOperation = (operation: Operation): Operation => ({
  ...operation,
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
