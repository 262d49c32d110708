// Hands findings and state changes to the operator's scripts.
import type { Finding } from '../../lib/model/finding.js'
import { findServer, type ServerSnapshot, type StateName } from '../../lib/model/snapshot.js'
import { findingCall, serverCall } from '../../lib/notify/index.js'
import type { ClusterActor } from './actor.js'

export function notifyFinding({ scripts, state, init }: ClusterActor, finding: Finding, opened: boolean): void {
  const address = findServer(state.snapshot, finding.server)
  scripts.add(findingCall(state.settings, { cluster: init.name, finding, opened, ...(address ? { address } : {}) }))
}

export function notifyState(
  { scripts, state, init }: ClusterActor,
  { host, port }: ServerSnapshot,
  change: { from: StateName; to: StateName },
): void {
  scripts.add(
    serverCall(state.settings['db-servers-state-change-script'], { cluster: init.name, host, port, ...change }),
  )
}
