// The HAProxy proxies of a cluster, as its settings name them.
import { crc64 } from '../../model/server-id.js'
import { splitAddress } from '../../settings/address.js'
import type { Settings } from '../../settings/table/index.js'
import type { Proxy as ProxyAdapter } from '../index.js'
import { createHaproxy } from './adapter.js'

export { createHaproxy, type HaproxyConfig } from './adapter.js'

/** Longest time of one question: it stands in the way of a failover. */
const QUESTION_MS = 500

/** One adapter per host of `haproxy-servers` (`host` or `host:port` of the runtime API) in mode `runtimeapi`. */
export function haproxyFromSettings(settings: Settings): readonly ProxyAdapter[] {
  if (!settings.haproxy || settings['haproxy-mode'] !== 'runtimeapi') return []
  const backends = {
    write: settings['haproxy-api-write-backend'],
    read: settings['haproxy-api-read-backend'],
  }
  return settings['haproxy-servers'].flatMap((text) => {
    const address = splitAddress(text, settings['haproxy-api-port'])
    if (!address) return []
    const name = `${address.host}:${address.port}`
    return [createHaproxy({ id: `px${crc64(`haproxy${name}`)}`, name, ...address, backends, timeoutMs: QUESTION_MS })]
  })
}
