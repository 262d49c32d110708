// The proxies of a cluster above its servers: each with the servers that it sends writes and reads to.

import { stateOfCondition } from '../../../model/cluster/condition.js'
import type { Backend, ProxyServer } from '../../../model/cluster/proxy.js'
import type { Server } from '../../../model/cluster/server.js'
import { StateMark } from '../../../parts/basic/state-mark.js'

export interface ProxyBandProps {
  readonly proxies: readonly ProxyServer[]
  readonly servers: readonly Server[]
}

export function ProxyBand({ proxies, servers }: ProxyBandProps) {
  if (proxies.length === 0) return null
  const names = new Map(servers.map(({ address, name }) => [address, name]))
  const list = (backends: readonly Backend[]) => backends.map(({ address }) => names.get(address) ?? address).join(', ')
  return (
    <ul class="proxy-band" aria-label="Proxies">
      {proxies.map((proxy) => (
        <li key={proxy.id}>
          <StateMark state={stateOfCondition[proxy.condition]} word={proxy.word} compact />
          <strong>{proxy.name}</strong> <span class="muted">{proxy.kind}</span>
          {proxy.writes.length > 0 && <span class="proxy-route">writes → {list(proxy.writes)}</span>}
          {proxy.reads.length > 0 && (
            <span class="proxy-route">
              reads → {proxy.reads.length > 4 ? `${proxy.reads.length} servers` : list(proxy.reads)}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
