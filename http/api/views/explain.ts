// Why it would or would not fail over now: the verdict as it is, with the operation in progress and servers by name.
import type { Operation } from '../../../lib/model/operation.js'
import type { ViewInput } from './input.js'

/** `failover/explain`. Moments in whole milliseconds. */
export const renderExplain = ({ verdict, snapshot, lastOperation }: ViewInput) => ({
  ...verdict,
  at: Math.round(verdict.at),
  servers: Object.fromEntries(snapshot.servers.map(({ id, name }) => [id, name])),
  operation: snapshot.operation ? inWholeMs(snapshot.operation) : null,
  lastOperation: lastOperation ? inWholeMs(lastOperation) : null,
})

const inWholeMs = (operation: Operation): Operation => ({
  ...operation,
  startedAt: Math.round(operation.startedAt),
  deadlineAt: Math.round(operation.deadlineAt),
  ...(operation.endedAt === undefined ? {} : { endedAt: Math.round(operation.endedAt) }),
  steps: operation.steps.map((step) => ({
    ...step,
    ...(step.startedAt === undefined ? {} : { startedAt: Math.round(step.startedAt) }),
  })),
})
