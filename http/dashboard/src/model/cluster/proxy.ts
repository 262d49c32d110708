// A proxy of a cluster with its routes, from the proxy object of the interface.

import { type Fields, listOf, numberOf, present, textOf, wireOf } from '../wire.js'
import type { Condition } from './server.js'

export interface Backend {
  readonly address: string
  readonly status: string
  readonly connections?: number
  readonly weight?: number
}

/** A server as the proxy should use it. */
export interface WantedBackend {
  readonly address: string
  readonly state: 'ready' | 'drain' | 'maint'
}

export interface ProxyServer {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly address: string
  readonly version?: string
  readonly condition: Condition
  readonly word: string
  readonly error?: string
  readonly writes: readonly Backend[]
  readonly reads: readonly Backend[]
  /** Absent where the manager does not say. */
  readonly wantedWrites?: readonly WantedBackend[]
  readonly wantedReads?: readonly WantedBackend[]
  /** Ports where clients connect, with what each is for. */
  readonly ports: readonly { readonly port: number; readonly for: string }[]
}

const states: Readonly<Record<string, readonly [word: string, condition: Condition]>> = {
  ProxyRunning: ['Running', 'well'],
  ProxyDesync: ['Routes differ', 'error'],
  Suspect: ['Suspect', 'unsure'],
  Failed: ['Down', 'down'],
}

/** `topology/proxies`. */
export const readProxies = (reply: unknown): readonly ProxyServer[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/topology/proxies'>(reply)).map(readProxy)

function readProxy(wire: Fields): ProxyServer {
  const [word, condition] = states[textOf(wire.state) ?? ''] ?? ['Not watched', 'away']
  const backends = (list: unknown) => listOf(list).map(readBackend)
  return present<ProxyServer>({
    id: textOf(wire.id) ?? '',
    name: textOf(wire.name) ?? '',
    kind: textOf(wire.type) ?? 'proxy',
    address: `${textOf(wire.host) ?? ''}:${textOf(wire.port) ?? ''}`,
    version: textOf(wire.version),
    condition,
    word,
    error: textOf(wire.lastError),
    writes: backends(wire.backendsWrite),
    reads: backends(wire.backendsRead),
    wantedWrites: readWanted(wire.wantedWrite),
    wantedReads: readWanted(wire.wantedRead),
    ports: (
      [
        ['writePort', 'writes'],
        ['readPort', 'reads'],
        ['readWritePort', 'reads and writes'],
      ] as const
    ).flatMap(([key, use]) => {
      const port = numberOf(wire[key]) ?? 0
      return port > 0 ? [{ port, for: use }] : []
    }),
  })
}

function readBackend(wire: Fields): Backend {
  const address = `${textOf(wire.host) ?? ''}:${textOf(wire.port) ?? ''}`
  const connections = textOf(wire.prxConnections)
  return present<Backend>({
    address,
    status: textOf(wire.status) ?? 'unknown',
    connections: connections === undefined ? undefined : Number(connections),
    weight: numberOf(wire.weight),
  })
}

const wantedStates = ['ready', 'drain', 'maint'] as const

function readWanted(value: unknown): readonly WantedBackend[] | undefined {
  if (!Array.isArray(value)) return undefined
  return listOf(value).flatMap((wire) => {
    const state = wantedStates.find((each) => each === wire.state)
    return state ? [{ address: `${textOf(wire.host) ?? ''}:${textOf(wire.port) ?? ''}`, state }] : []
  })
}

/** One server in one group of a proxy: what it should be and what it is. */
export interface Route {
  readonly address: string
  readonly group: 'writes' | 'reads'
  readonly wanted?: WantedBackend['state']
  readonly seen?: Backend
  /** It gets connections and should not, or should and does not. Undefined where one of both is not known. */
  readonly differs?: boolean
}

/** Writes first; what the proxy should use and does not is listed too. */
export function routesOf(proxy: ProxyServer): readonly Route[] {
  const seenOf = { writes: proxy.writes, reads: proxy.reads }
  const wantedOf = { writes: proxy.wantedWrites, reads: proxy.wantedReads }
  return (['writes', 'reads'] as const).flatMap((group) => {
    const [seen, wanted] = [seenOf[group], wantedOf[group]]
    const addresses = [
      ...new Set([...(wanted ?? []).filter(({ state }) => state === 'ready'), ...seen].map(({ address }) => address)),
    ]
    return addresses.map((address): Route => {
      const backend = seen.find((each) => each.address === address)
      const state = wanted?.find((each) => each.address === address)?.state
      return present<Route>({
        address,
        group,
        wanted: state,
        seen: backend,
        differs: differsOf(proxy, { address, group, state, backend }),
      })
    })
  })
}

interface Compared {
  readonly address: string
  readonly group: Route['group']
  readonly state: WantedBackend['state'] | undefined
  readonly backend: Backend | undefined
}

function differsOf(proxy: ProxyServer, { address, group, state, backend }: Compared): boolean | undefined {
  // Of a proxy that does not answer nothing is seen.
  if (proxy.condition === 'down' || proxy.condition === 'unsure' || proxy.condition === 'away') return undefined
  if ((group === 'writes' ? proxy.wantedWrites : proxy.wantedReads) === undefined) return undefined
  // MaxScale has one list: its primary is among the writers only, and read from by its own rules.
  if (proxy.kind === 'maxscale' && group === 'reads' && proxy.writes.some((each) => each.address === address))
    return undefined
  const isUsed = backend !== undefined && takesConnections(backend.status)
  return isUsed !== (state === 'ready')
}

/** By the words of HAProxy, ProxySQL and MaxScale. */
export const takesConnections = (status: string): boolean =>
  /^(up|online|no check)/i.test(status) || (/running/i.test(status) && !/maint|drain|down/i.test(status))
