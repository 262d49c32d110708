// Inputs to evaluate the shipped rules of proxies with.
import { readdirSync, readFileSync } from 'node:fs'
import { sharePath } from '../../../lib/base/package-root.js'
import { unwrap } from '../../../lib/base/result.js'
import {
  checkRules,
  evaluateProxy,
  type FileTree,
  type ProxyFacts,
  type ProxyInput,
  type ProxySoftware,
  type RuleFile,
} from '../../../lib/configure/index.js'

/** The files of `share/rules/proxy`. */
export const proxyFiles = (): readonly RuleFile[] =>
  readdirSync(sharePath('rules/proxy'))
    .toSorted()
    .map((name) => ({ file: `proxy/${name}`, text: readFileSync(sharePath('rules/proxy', name), 'utf8') }))

export const proxyRules = checkRules(proxyFiles(), { kind: 'proxy' })

const ports: ProxyFacts['ports'] = {
  ...{ write: 3306, read: 3307, readWrite: 3308, binlog: 3310, stats: 1988, admin: 1999, maxinfo: 3309 },
}

export const proxyFacts: ProxyFacts = {
  ...{ ports, binds: { write: '0.0.0.0', read: '0.0.0.0' } },
  backends: { write: 'service_write', read: 'service_read' },
  groups: { writer: 0, reader: 1 },
  monitor: { user: 'monitor', password: 'monitors' },
  admin: { user: 'admin', password: 'administers' },
  ...{ maxConnections: 1000, maxLag: 30, compression: false, memoryMb: 1024, cores: 2 },
  manager: { host: '192.0.2.1', port: 10_001 },
  route: { address: '', netmask: '255.255.255.0', interface: 'lo' },
  systemUser: '',
}

/** With ports of its own, on loopback. */
export const haproxyFacts = (own: Partial<ProxyFacts['ports']>): ProxyFacts => ({
  ...{ ...proxyFacts, ports: { ...ports, ...own } },
  binds: { write: '127.0.0.1', read: '127.0.0.1' },
})

/** An HAProxy of the cluster demo, controlled over its runtime API, with two databases; everything requested replaces that. */
export const proxyInput = (request: Partial<ProxyInput> = {}): ProxyInput => ({
  ...{ cluster: 'demo', context: { kind: 'container' }, tags: ['masterslave', 'runtimeapi'], facts: proxyFacts },
  proxy: { id: 'px1', name: 'lb1', host: '127.0.0.1', port: 1999, software: 'haproxy', position: 0 },
  databases: [
    { id: 'db1', host: '192.0.2.11', port: 3306 },
    { id: 'db2', host: '2001:db8::12', port: 3307 },
  ],
  ...request,
})

export const inputFor = (software: ProxySoftware, request: Partial<ProxyInput> = {}): ProxyInput => {
  const input = proxyInput(request)
  return { ...input, proxy: { ...input.proxy, software } }
}

export const proxyTree = (input: ProxyInput): FileTree => unwrap(evaluateProxy(proxyRules.set, input))
