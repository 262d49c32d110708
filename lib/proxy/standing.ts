// The state of a proxy by its last readings, and the findings that follow.
import type { Finding } from '../model/finding.js'
import type { ProxyStateName } from '../model/server/proxy-state.js'
import { proxyKinds } from './kinds.js'
import type { ProxyReading } from './kit/index.js'

/** The latest reading, and the state derived from earlier ones. */
export interface WatchedProxy extends ProxyReading {
  readonly state: ProxyStateName
  /** The previous state. */
  readonly before: ProxyStateName
  /** Readings in a row that failed. */
  readonly failures: number
}

/** Consecutive failed readings after which a suspect proxy counts as failed. */
const FAILED_AFTER = 5

export function followProxy(last: WatchedProxy | undefined, reading: ProxyReading): WatchedProxy {
  const failures = reading.alive ? 0 : (last?.failures ?? 0) + 1
  const state = stateOf(reading, failures)
  const before = last === undefined || last.state === state ? (last?.before ?? state) : last.state
  return { ...reading, state, before, failures }
}

function stateOf({ alive, differs }: ProxyReading, failures: number): ProxyStateName {
  if (!alive) return failures >= FAILED_AFTER ? 'failed' : 'suspect'
  return differs === undefined ? 'running' : 'desync'
}

/** What is wrong with proxies: unreachable, not configured as applied, users refused; the `server` of a finding is the proxy's id. */
export const judgeProxies = (proxies: readonly WatchedProxy[]): readonly Finding[] =>
  proxies.flatMap((proxy): readonly Finding[] => {
    const { id: server, name, kind, error, differs } = proxy
    const unreachable = Object.entries(proxyKinds).find(([software]) => software === kind)?.[1].unreachable
    if (proxy.state === 'failed')
      return [{ code: unreachable ?? 'ERR00050', server, detail: `${name}: ${error ?? 'no answer'}` }]
    const desync: readonly Finding[] =
      proxy.state === 'desync' ? [{ code: 'ERR00106', server, detail: differs ?? name }] : []
    return [...desync, ...(proxy.alive ? judgeFilling(proxy) : [])]
  })

/** Users and rules that a finding names. */
const MOST_NAMED = 10

/** One of each code: users and rules are named together. */
function judgeFilling({ id: server, name, troubles = [] }: WatchedProxy): readonly Finding[] {
  return [...new Set(troubles.map(({ code }) => code))].map((code) => {
    const details = troubles.filter((trouble) => trouble.code === code).map(({ detail }) => detail)
    const more = details.length > MOST_NAMED ? [`${details.length - MOST_NAMED} more`] : []
    return { code, server, detail: `${name}: ${[...details.slice(0, MOST_NAMED), ...more].join('; ')}` }
  })
}
