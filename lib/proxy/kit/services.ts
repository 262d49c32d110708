// The proxies of a cluster as services: those that its settings name, whether or not the manager configures them.

import type { ProxySoftware } from '../../configure/index.js'
import type { ServiceSpec } from '../../model/operation/services.js'
import { addressText } from '../../model/server/server.js'
import { crc64 } from '../../model/server/server-id.js'
import { splitAddress } from '../../settings/kit/address.js'
import type { Settings } from '../../settings/table/index.js'

/** A proxy as a service; its port is that of its admin interface. */
export interface ProxyService extends ServiceSpec {
  readonly kind: 'proxy'
  readonly software: ProxySoftware
}

interface Named {
  readonly software: ProxySoftware
  readonly on: boolean
  /** `host` or `host:port`. */
  readonly hosts: readonly string[]
  /** The port of hosts that name none. */
  readonly port: number
}

const namedIn = (settings: Settings): readonly Named[] => [
  {
    ...{ software: 'haproxy', on: settings.haproxy },
    ...{ hosts: settings['haproxy-servers'], port: settings['haproxy-api-port'] },
  },
  {
    ...{ software: 'proxysql', on: settings.proxysql },
    ...{ hosts: settings['proxysql-servers'], port: settings['proxysql-admin-port'] },
  },
  {
    ...{ software: 'maxscale', on: settings.maxscale },
    ...{ hosts: settings['maxscale-servers'], port: settings['maxscale-port'] },
  },
  {
    ...{ software: 'sphinx', on: settings.sphinx },
    ...{ hosts: settings['sphinx-servers'], port: settings['sphinx-port'] },
  },
]

/** One per host of `haproxy-servers`, `proxysql-servers`, `maxscale-servers` and `sphinx-servers` of the enabled kinds. */
export const proxyServices = (settings: Settings): readonly ProxyService[] =>
  namedIn(settings)
    .filter(({ on }) => on)
    .flatMap(({ software, hosts, port }) =>
      hosts.flatMap((text): readonly ProxyService[] => {
        const address = splitAddress(text, port)
        if (!address) return []
        const name = addressText(address)
        return [{ ...address, kind: 'proxy', software, id: `px${crc64(`${software}${name}`)}`, name }]
      }),
    )

/** Settings from which adapters are created. */
export const isProxySetting = (name: string): boolean =>
  /^(haproxy|proxysql|maxscale|proxy-servers)(-|$)/.test(name) || name === 'monitoring-query-rules'
