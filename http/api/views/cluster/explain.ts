// Why it would or would not fail over now: the verdict as it is, with the operation in progress and servers by name.
import { behindLock } from '../../../../lib/decide/situation/lock-wait.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import type { ViewInput } from '../kit/input.js'
import { renderOperation } from './operation.js'

/** `failover/explain`. Moments in whole milliseconds. */
export const renderExplain = ({ verdict, snapshot, lastOperation }: ViewInput) => ({
  ...verdict,
  at: Math.round(verdict.at),
  servers: Object.fromEntries(snapshot.servers.map(({ id, name }) => [id, name])),
  operation: snapshot.operation
    ? renderOperation(snapshot.operation, (id) => behindLock(findServer(snapshot, id)))
    : null,
  lastOperation: lastOperation ? renderOperation(lastOperation) : null,
})
