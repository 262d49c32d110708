// Why it would or would not fail over now: the verdict as it is, with the operation in progress and servers by name.
import type { ViewInput } from './input.js'

/** `failover/explain`. */
export const renderExplain = ({ verdict, snapshot, lastOperation }: ViewInput) => ({
  ...verdict,
  servers: Object.fromEntries(snapshot.servers.map(({ id, name }) => [id, name])),
  operation: snapshot.operation ?? null,
  lastOperation: lastOperation ?? null,
})
