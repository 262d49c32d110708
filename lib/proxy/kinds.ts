// The kinds of proxies that the manager speaks with: one row each.
import type { ProxySoftware } from '../configure/index.js'
import type { FindingCode } from '../model/findings.js'
import type { Settings } from '../settings/table/index.js'
import { openHaproxy } from './haproxy/index.js'
import type { Proxy as ProxyAdapter } from './index.js'
import { openMaxscale } from './maxscale/index.js'
import { openProxysql } from './proxysql/index.js'
import { type ProxyService, proxyServices } from './services.js'

export interface ProxyKind {
  /** Undefined where the settings keep the manager from telling it anything. */
  readonly open: (service: ProxyService, settings: Settings) => ProxyAdapter | undefined
  /** Raised while it cannot be reached. */
  readonly unreachable: FindingCode
}

/** A kind without a row is run as a service, and told nothing. */
export const proxyKinds: Readonly<Partial<Record<ProxySoftware, ProxyKind>>> = {
  haproxy: { open: openHaproxy, unreachable: 'ERR00052' },
  proxysql: { open: openProxysql, unreachable: 'ERR00051' },
  maxscale: { open: openMaxscale, unreachable: 'ERR00050' },
}

/** One adapter for each proxy that the settings name and that is told. */
export const openProxies = (settings: Settings): readonly ProxyAdapter[] =>
  proxyServices(settings).flatMap((service) => proxyKinds[service.software]?.open(service, settings) ?? [])
