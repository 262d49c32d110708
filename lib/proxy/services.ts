// The proxies of a cluster as services: what its settings name, whether or not the manager tells them anything.

import { addressText } from '../model/server.js'
import { crc64 } from '../model/server-id.js'
import type { ServiceSpec } from '../model/services.js'
import { splitAddress } from '../settings/address.js'
import type { Settings } from '../settings/table/index.js'

/** One per host of `haproxy-servers` (`host` or `host:port` of the runtime API). */
export function proxyServices(settings: Settings): readonly ServiceSpec[] {
  if (!settings.haproxy) return []
  return settings['haproxy-servers'].flatMap((text): ServiceSpec[] => {
    const address = splitAddress(text, settings['haproxy-api-port'])
    if (!address) return []
    const name = addressText(address)
    return [{ ...address, kind: 'proxy', software: 'haproxy', id: `px${crc64(`haproxy${name}`)}`, name }]
  })
}
