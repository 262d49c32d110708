// Contradictions between settings whose values are allowed one by one: one row per rule.
import { compilePattern } from '../../base/pattern.js'
import { reveal } from '../../base/secret.js'
import { splitAddress } from '../kit/address.js'
import type { SettingName, Settings } from '../table/index.js'
import { type Configuration, effectiveValue, type Scope } from './configuration.js'
import type { Fault, Origin } from './fault.js'

export interface CheckResult {
  readonly faults: readonly Fault[]
  readonly warnings: readonly Fault[]
}

interface Remark {
  readonly setting: SettingName
  readonly problem: string
  readonly value?: string
}

type Rule = (settings: Settings) => readonly Remark[]

const serverFaults: readonly Rule[] = [
  (settings) => pair(settings, 'monitoring-ssl-cert', 'monitoring-ssl-key'),
  (settings) => pair(settings, 'cluster-store-client-cert', 'cluster-store-client-key'),
  (settings) =>
    settings['cluster-store'] === 'etcd' && settings['cluster-store-endpoints'].length === 0
      ? [{ setting: 'cluster-store-endpoints', problem: 'is needed with cluster-store = etcd' }]
      : [],
  (settings) =>
    settings['arbitration-external'] && settings['arbitration-external-hosts'] === ''
      ? [{ setting: 'arbitration-external-hosts', problem: 'is needed with arbitration-external' }]
      : [],
  (settings) =>
    settings['arbitration-external'] && reveal(settings['arbitration-external-secret']) === ''
      ? [{ setting: 'arbitration-external-secret', problem: 'is needed with arbitration-external' }]
      : [],
  (settings) =>
    settings['arbitration-external'] && settings['cluster-store'] === 'etcd'
      ? [
          {
            setting: 'arbitration-external',
            problem: 'excludes cluster-store = etcd: clusters have their owners there',
          },
        ]
      : [],
  (settings) =>
    settings['api-server'] &&
    settings['http-server'] &&
    settings['api-port'] === settings['http-port'] &&
    settings['api-port'] !== 0
      ? [{ setting: 'http-port', value: String(settings['http-port']), problem: 'is the port of the API listener too' }]
      : [],
]

const clusterFaults: readonly Rule[] = [
  (settings) =>
    repeated(settings['db-servers-hosts']).map((value) => ({
      setting: 'db-servers-hosts',
      value,
      problem: 'is listed twice',
    })),
  (settings) => expression(settings, 'replication-restart-on-sqlerror-match'),
  (settings) => pair(settings, 'db-servers-tls-client-cert', 'db-servers-tls-client-key'),
]

const clusterWarnings: readonly Rule[] = [
  ...(
    [
      'db-servers-prefered-master',
      'db-servers-ignored-hosts',
      'replication-delayed-hosts',
      'db-servers-ignored-readonly',
    ] as const
  ).map(
    (setting): Rule =>
      (settings) =>
        settings[setting]
          .filter((host) => !isMember(host, settings))
          .map((value) => ({ setting, value, problem: 'is not in db-servers-hosts' })),
  ),
  (settings) =>
    settings['db-servers-prefered-master']
      .filter((host) => settings['db-servers-ignored-hosts'].includes(host))
      .map((value) => ({
        setting: 'db-servers-ignored-hosts',
        value,
        problem: 'is a preferred server too; it is never elected',
      })),
]

/** Faults and warnings of the configuration as a whole. */
export function checkConfiguration(configuration: Configuration): CheckResult {
  const { server, clusters } = configuration
  const check = (section: string, scope: Scope, rules: readonly Rule[]) =>
    rules.flatMap((rule) => rule(scope.settings)).map((remark) => toFault(server, { section, scope, remark }))
  const shared = sharedHosts(configuration)
  return {
    faults: [
      ...check('Default', server, serverFaults),
      ...[...clusters].flatMap(([name, scope]) => check(name, scope, clusterFaults)),
      ...shared.filter(({ origin }) => origin.kind !== 'saved'),
    ],
    warnings: [
      ...[...clusters].flatMap(([name, scope]) => check(name, scope, clusterWarnings)),
      ...shared.filter(({ origin }) => origin.kind === 'saved'),
    ],
  }
}

/** Servers of two clusters: both would move the role. At load a fault, unless a saved change brought it in. */
export function sharedHosts({ server, clusters }: Configuration): readonly Fault[] {
  const owners = new Map<string, string>()
  const faults: Fault[] = []
  for (const [section, scope] of clusters)
    for (const value of scope.settings['db-servers-hosts']) {
      const owner = owners.get(normal(value))
      const remark = { setting: 'db-servers-hosts', value, problem: `belongs to cluster ${owner} already` } as const
      if (owner === undefined) owners.set(normal(value), section)
      else if (owner !== section) faults.push(toFault(server, { section, scope, remark }))
    }
  return faults
}

function toFault(server: Scope, { section, scope, remark }: { section: string; scope: Scope; remark: Remark }): Fault {
  const origin: Origin = effectiveValue(server, scope, remark.setting).origin
  const { setting: name, value, problem } = remark
  return { origin, section, name, problem, ...(value === undefined ? {} : { value }) }
}

function pair(settings: Settings, left: SettingName, right: SettingName): readonly Remark[] {
  if ((settings[left] === '') === (settings[right] === '')) return []
  const [given, missing] = settings[left] === '' ? [right, left] : [left, right]
  return [{ setting: given, problem: `needs ${missing} too` }]
}

function expression(settings: Settings, setting: 'replication-restart-on-sqlerror-match'): readonly Remark[] {
  const compiled = compilePattern(settings[setting], { ignoreCase: true })
  return compiled.ok ? [] : [{ setting, value: settings[setting], problem: compiled.failure.message }]
}

/** A host list may name a server by its host alone. */
const isMember = (host: string, settings: Settings): boolean =>
  settings['db-servers-hosts'].some((member) => normal(member) === normal(host) || splitAddress(member)?.host === host)

function normal(text: string): string {
  const address = splitAddress(text.toLowerCase())
  return address === undefined ? text : `${loopback.has(address.host) ? 'localhost' : address.host}:${address.port}`
}

/** Spellings of one address. */
const loopback: ReadonlySet<string> = new Set(['localhost', 'localhost.localdomain', '127.0.0.1', '::1'])

const repeated = (entries: readonly string[]): readonly string[] => {
  const keys = entries.map(normal)
  return [...new Set(entries.filter((_, index) => keys.indexOf(keys[index] ?? '') !== index))]
}
