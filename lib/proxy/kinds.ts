// The kinds of proxies that the manager can configure: one row each.
import type { ProxySoftware } from '../configure/index.js'
import type { FindingCode } from '../model/findings.js'
import type { Settings } from '../settings/table/index.js'
import { openHaproxy } from './haproxy/index.js'
import type { Proxy as ProxyAdapter, ProxyDoors } from './kit/index.js'
import { latestOnly } from './kit/latest.js'
import { type ProxyService, proxyServices } from './kit/services.js'
import { openMaxscale } from './maxscale/index.js'
import { openProxysql } from './proxysql/index.js'

export interface ProxyKind {
  /** Undefined where the settings do not let the manager configure it. */
  readonly open: (service: ProxyService, settings: Settings) => ProxyAdapter | undefined
  /** Raised while it cannot be reached. */
  readonly unreachable: FindingCode
  readonly doors: (settings: Settings) => ProxyDoors
}

/** A kind without a row is run as a service, and never configured. */
export const proxyKinds: Readonly<Partial<Record<ProxySoftware, ProxyKind>>> = {
  haproxy: {
    open: openHaproxy,
    unreachable: 'ERR00052',
    doors: (settings) => ({ write: settings['haproxy-write-port'], read: settings['haproxy-read-port'] }),
  },
  proxysql: {
    open: openProxysql,
    unreachable: 'ERR00051',
    doors: (settings) => ({
      readWrite: settings['proxysql-port'],
      writerGroup: settings['proxysql-writer-hostgroup'],
      readerGroup: settings['proxysql-reader-hostgroup'],
    }),
  },
  maxscale: {
    open: openMaxscale,
    unreachable: 'ERR00050',
    doors: (settings) => ({
      write: settings['maxscale-write-port'],
      read: settings['maxscale-read-port'],
      readWrite: settings['maxscale-read-write-port'],
    }),
  },
}

/** One adapter for each proxy that the settings name and that the manager configures. */
export const openProxies = (settings: Settings): readonly ProxyAdapter[] =>
  proxyServices(settings).flatMap((service) => {
    const proxy = proxyKinds[service.software]?.open(service, settings)
    return proxy ? [latestOnly(proxy)] : []
  })

/** The ports and groups of a proxy that clients use. */
export const doorsOf = (kind: string, settings: Settings): ProxyDoors =>
  Object.entries(proxyKinds)
    .find(([software]) => software === kind)?.[1]
    .doors(settings) ?? {}
