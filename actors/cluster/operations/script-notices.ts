// Reports findings and state changes to the operator's scripts.
import type { Finding } from '../../../lib/model/finding.js'
import type { ProxyStateName } from '../../../lib/model/server/proxy-state.js'
import type { ServerAddress } from '../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot, type StateName } from '../../../lib/model/snapshot.js'
import { proxyStateTexts } from '../../../lib/model/wire.js'
import {
  findingCall,
  proxyCall,
  replicationErrorCall,
  type ScriptQueue,
  serverCall,
} from '../../../lib/notify/index.js'
import type { Cluster } from '../state/message/cluster.js'

/** A running cluster that runs the operator's scripts. */
export interface Notifying extends Pick<Cluster, 'state' | 'init'> {
  readonly scripts: ScriptQueue
}

export function notifyFinding({ scripts, state, init }: Notifying, finding: Finding, opened: boolean): void {
  const address = findServer(state.snapshot, finding.server)
  scripts.add(findingCall(state.settings, { cluster: init.name, finding, opened, ...(address ? { address } : {}) }))
}

export function notifyState(
  { scripts, state, init }: Notifying,
  { host, port }: ServerSnapshot,
  change: { from: StateName; to: StateName },
): void {
  const notice = { cluster: init.name, host, port, ...change }
  scripts.add(serverCall(state.settings['db-servers-state-change-script'], notice))
  const failed = replicationErrorCall(state.settings['replication-error-script'], notice)
  if (failed) scripts.add(failed)
}

export function notifyProxy(
  { scripts, state, init }: Notifying,
  { proxy: { host, port }, from, to }: { readonly proxy: ServerAddress } & Change<ProxyStateName>,
): void {
  const primary = findServer(state.snapshot, state.snapshot.primary)?.stateName ?? 'failed'
  const change = { from: proxyStateTexts[from], to: proxyStateTexts[to] }
  scripts.add(
    proxyCall(state.settings['proxy-servers-state-change-script'], {
      cluster: init.name,
      host,
      port,
      primary,
      ...change,
    }),
  )
}

interface Change<T> {
  readonly from: T
  readonly to: T
}
