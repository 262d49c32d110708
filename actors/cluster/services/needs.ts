// Which flags of a server a change of settings raises, and which of them an action or the server's own life settles. Pure.
import { SECOND } from '../../../lib/base/time.js'
import type { ServiceAction, ServiceSpec } from '../../../lib/model/operation/services.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { SettingName, Settings } from '../../../lib/settings/table/index.js'
import type { Cookie } from '../../../lib/store/index.js'

/** What a running server needs before it works by a changed setting; the others take effect without it. `limits`: what a
 * container is made with and a server on a host reads at its start. */
export const takenUpBy: Readonly<Partial<Record<SettingName, 'restart' | 'reprov' | 'limits'>>> = {
  'prov-db-tags': 'restart',
  'prov-db-iops': 'restart',
  'prov-db-max-connections': 'restart',
  'prov-db-expire-log-days': 'restart',
  'prov-db-memory-shared-pct': 'restart',
  'prov-db-memory-threaded-pct': 'restart',
  'prov-db-domain': 'restart',
  'db-servers-credential': 'restart',
  'prov-db-memory': 'limits',
  'prov-db-cores': 'limits',
  'prov-db-disk': 'reprov',
  'prov-db-docker-img': 'reprov',
}

/** A server that is reprovisioned is restarted by that. */
export function raisedBy(names: readonly SettingName[], settings: Settings): 'restart' | 'reprov' | undefined {
  const onHosts = ['local', 'onpremise'].includes(settings['prov-orchestrator'])
  const needs = names.map((name) => (takenUpBy[name] === 'limits' ? (onHosts ? 'restart' : 'reprov') : takenUpBy[name]))
  if (needs.includes('reprov')) return 'reprov'
  return needs.includes('restart') ? 'restart' : undefined
}

/** A flag that is set, and when it was set. */
export interface StandingCookie {
  readonly cookie: Cookie
  /** By the clock of `now()`. */
  readonly setAt: number
}

/** What settles a flag: the server came up after it, or went down after it. */
const settlers: Readonly<Partial<Record<Cookie, 'up' | 'down'>>> = {
  prov: 'up',
  waitstart: 'up',
  restart: 'up',
  config: 'up',
  reprov: 'up',
  unprov: 'down',
  waitstop: 'down',
}

/** The flags that are settled. A flag that was set within the second of a start remains: the order is unknown. */
export function settledCookies(
  standing: readonly StandingCookie[],
  server: ServerSnapshot,
  settings: Settings,
): readonly Cookie[] {
  const { state, stateAt, observation, stateName, failingSince } = server
  const upSince =
    observation === 'answered' && state && stateAt !== undefined ? stateAt - (state.uptimeSeconds + 1) * SECOND : 0
  const downSince = stateName === 'failed' ? (failingSince ?? 0) : 0
  return standing.flatMap(({ cookie, setAt }) => {
    const settler = settlers[cookie]
    if (settler === undefined || !countsHere(cookie, settings)) return []
    return (settler === 'up' ? upSince : downSince) > setAt ? [cookie] : []
  })
}

/** A start takes up a changed configuration where it fetches one, and a new server where its host creates it automatically. */
function countsHere(cookie: Cookie, settings: Settings): boolean {
  if (cookie === 'config') return settings['prov-db-start-fetch-config']
  if (cookie !== 'reprov') return true
  const orchestrator = settings['prov-orchestrator']
  return orchestrator !== 'local' && !(orchestrator === 'onpremise' && settings['onpremise-ssh'])
}

/** Flags that an action settles, where it was really carried out. */
const settles: Readonly<Record<ServiceAction, readonly Cookie[]>> = {
  provision: ['prov', 'reprov', 'restart', 'waitstart', 'unprov'],
  unprovision: ['unprov', 'reprov', 'restart', 'waitstop', 'waitstart', 'config'],
  start: ['waitstart', 'prov', 'restart'],
  stop: ['waitstop'],
  restart: ['restart', 'waitstart', 'waitstop'],
  apply: ['config'],
}

/** Flags that a start on the newest configuration settles, not one on an older configuration that was restored. */
export const onNewest: readonly Cookie[] = ['restart', 'reprov', 'config']

/** A proxy reads its configuration when it starts or reloads it. */
const settledByReading: readonly Cookie[] = ['config', 'restart']

/** The flags that are settled once the action was really carried out. */
export const settledBy = (kind: ServiceSpec['kind'], action: ServiceAction): readonly Cookie[] =>
  kind === 'proxy' && action !== 'stop' ? [...settles[action], ...settledByReading] : settles[action]
