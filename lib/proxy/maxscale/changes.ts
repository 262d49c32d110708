// The requests that bring MaxScale to the wanted state, and what still differs.
import { addressText, type ServerAddress } from '../../model/server/server.js'
import type { ProxyTarget } from '../kit/index.js'
import type { MaxscaleMonitor, MaxscaleServer } from './tables.js'

export interface Rules {
  /**
   * The manager sets the roles, MaxScale's own monitor is stopped (`maxscale-disable-monitor`). Otherwise that monitor finds
   * the primary by read_only, and accepts no state but maintenance from others.
   */
  readonly own: boolean
  /** Servers are matched by host and port; otherwise by host alone where the port matches none (`maxscale-server-match-port`). */
  readonly byPort: boolean
}

/** `PUT /servers/:server/{set,clear}?state=…`; `force` ends the sessions of a server that goes into maintenance. */
export interface Order {
  readonly server: string
  readonly verb: 'set' | 'clear'
  readonly state: 'master' | 'slave' | 'running' | 'maintenance'
  readonly force?: true
}

export const orderPath = ({ server, verb, state, force }: Order): string =>
  `/servers/${encodeURIComponent(server)}/${verb}?state=${state}${force ? '&force=yes' : ''}`

/** The monitors that monitor a server of the cluster and must not while the manager sets the roles. */
export const monitorsToStop = (
  target: ProxyTarget,
  servers: readonly MaxscaleServer[],
  { monitors, rules }: { readonly monitors: readonly MaxscaleMonitor[]; readonly rules: Rules },
): readonly string[] => {
  const names = new Set(target.readers.map((reader) => match(reader, servers, rules)?.name))
  return monitors.flatMap((monitor) =>
    rules.own && monitor.running && monitor.servers.some((name) => names.has(name)) ? [monitor.name] : [],
  )
}

type Flag = readonly [state: Order['state'], wanted: boolean]

/** As MaxScale reports it. */
const wordOf = (state: Order['state']): string => `${state.charAt(0).toUpperCase()}${state.slice(1)}`

/** The wanted states of one server, the closing ones before the opening ones. */
function flagsOf(reader: ProxyTarget['readers'][number], target: ProxyTarget, { own }: Rules): readonly Flag[] {
  const maintenance: Flag = ['maintenance', reader.state === 'maint']
  if (!own) return [maintenance]
  if (reader.id === target.primary?.id)
    return [
      ['slave', false],
      ['maintenance', false],
      ['running', true],
      ['master', true],
    ]
  const ready = reader.state === 'ready'
  return [['master', false], maintenance, ...(ready ? ([['running', true]] as const) : []), ['slave', ready]]
}

/**
 * Orders for what differs: no primary for a moment rather than two. While no server may be written to, whatever MaxScale
 * uses as the primary goes into maintenance, which ends its sessions.
 */
export function ordersFor(target: ProxyTarget, servers: readonly MaxscaleServer[], rules: Rules): readonly Order[] {
  const orders = wantedFlags(target, servers, rules).flatMap(({ server, flags }) =>
    flags.flatMap(([state, wanted]): readonly Order[] => {
      if (has(server, state) === wanted) return []
      const force = wanted && state === 'maintenance' && target.primary === undefined
      return [{ server: server.name, verb: wanted ? 'set' : 'clear', state, ...(force ? { force } : {}) }]
    }),
  )
  const opens = ({ verb, state }: Order) => verb === 'set' && state === 'master'
  return [...orders.filter((order) => !opens(order)), ...orders.filter(opens)]
}

function wantedFlags(target: ProxyTarget, servers: readonly MaxscaleServer[], rules: Rules) {
  return target.readers.flatMap((reader) => {
    const server = match(reader, servers, rules)
    if (!server) return []
    const closing: readonly Flag[] = has(server, 'master')
      ? [['maintenance', true], ...(rules.own ? ([['master', false]] as const) : [])]
      : []
    return [{ server, flags: target.primary === undefined ? closing : flagsOf(reader, target, rules) }]
  })
}

/** What differs in MaxScale, one phrase each. */
export function differences(target: ProxyTarget, servers: readonly MaxscaleServer[], rules: Rules): readonly string[] {
  const missing = target.readers.filter((reader) => !match(reader, servers, rules))
  return [
    ...missing.map((reader) => `there is no server at ${addressText(reader)}`),
    ...ordersFor(target, servers, rules).map(({ server, verb, state }) =>
      verb === 'set' ? `${server} is not ${wordOf(state)}` : `${server} is still ${wordOf(state)}`,
    ),
    ...misled(target, servers, rules),
  ]
}

/** Where MaxScale's own monitor sees the primary elsewhere. */
function misled(
  { primary, readers }: ProxyTarget,
  servers: readonly MaxscaleServer[],
  rules: Rules,
): readonly string[] {
  if (rules.own || primary === undefined) return []
  return readers.flatMap((reader) => {
    const server = match(reader, servers, rules)
    if (!server || has(server, 'master') === (reader.id === primary.id)) return []
    return [`${server.name} ${reader.id === primary.id ? 'takes no writes yet' : 'still takes writes'}`]
  })
}

const has = ({ states }: MaxscaleServer, state: Order['state']): boolean => states.includes(wordOf(state))

/** The server of MaxScale at an address. */
export function match(
  { host, port }: ServerAddress,
  servers: readonly MaxscaleServer[],
  { byPort }: Rules,
): MaxscaleServer | undefined {
  const there = servers.filter((server) => server.host.toLowerCase() === host.toLowerCase())
  const [only, ...others] = there
  return there.find((server) => server.port === port) ?? (byPort || others.length > 0 ? undefined : only)
}
