// An operation as clients read it: moments and durations in whole milliseconds.
import type { CommandType } from '../../../../lib/model/operation/command.js'
import {
  type Loss,
  type Operation,
  type OperationResult,
  type OperationStep,
  resultOf,
} from '../../../../lib/model/operation/operation.js'
import type { ServerId } from '../../../../lib/model/server/server.js'

/** `result` is `phase` in the words of its outcome: what was not achieved is listed in `losses`. */
type RenderedOperation = Operation & { readonly result: OperationResult; readonly losses: readonly Loss[] }

/** `waits`: what a server waits for at this moment, for the running steps that wait for it. */
export const renderOperation = (
  operation: Operation,
  waits: (server: ServerId) => string | undefined = () => undefined,
): RenderedOperation => ({
  ...operation,
  result: resultOf(operation),
  losses: operation.losses ?? [],
  startedAt: Math.round(operation.startedAt),
  deadlineAt: Math.round(operation.deadlineAt),
  ...(operation.endedAt === undefined ? {} : { endedAt: Math.round(operation.endedAt) }),
  steps: operation.steps.map((step) => renderStep(step, waits)),
})

const renderStep = (
  { startedAt, tookMs, ...step }: OperationStep,
  waits: (server: ServerId) => string | undefined,
): OperationStep => ({
  ...step,
  ...waitOf(step, waits),
  ...(startedAt === undefined ? {} : { startedAt: Math.round(startedAt) }),
  ...(tookMs === undefined ? {} : { tookMs: Math.round(tookMs) }),
})

/** Steps that wait until a server has applied something. */
const appliers: ReadonlySet<CommandType> = new Set(['apply-received', 'catch-up'])

function waitOf(
  { command, state }: Pick<OperationStep, 'command' | 'state'>,
  waits: (server: ServerId) => string | undefined,
): Pick<OperationStep, 'message'> {
  if (state !== 'running' || !appliers.has(command.type) || !('server' in command)) return {}
  const message = waits(command.server)
  return message === undefined ? {} : { message }
}
