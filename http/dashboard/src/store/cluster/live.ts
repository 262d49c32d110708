// One cluster as pages show it: read when its events say that something changed, and now and then for what raises none.
import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Address } from '../../../../client/api/types.js'
import { call } from '../../client/call.js'
import type { Failure } from '../../client/failure.js'
import { type ClusterFacts, readCluster } from '../../model/cluster/cluster.js'
import { type Finding, readFindings } from '../../model/cluster/finding.js'
import { type ProxyServer, readProxies } from '../../model/cluster/proxy.js'
import { type Readiness, readReadiness } from '../../model/cluster/readiness.js'
import { readServers, type Server } from '../../model/cluster/server.js'
import { type ClusterEvent, listenToCluster, type StreamState } from '../../stream/cluster-events.js'
import { me } from '../me.js'

/** What is known of one view: its latest value with its time, and why the latest reading failed, if it did. */
export interface Known<T> {
  readonly value?: T
  readonly at?: number
  readonly failure?: Failure
}

export interface LiveCluster {
  readonly name: string
  readonly servers: Signal<Known<readonly Server[]>>
  readonly proxies: Signal<Known<readonly ProxyServer[]>>
  readonly findings: Signal<Known<readonly Finding[]>>
  readonly readiness: Signal<Known<Readiness>>
  readonly facts: Signal<Known<ClusterFacts>>
  readonly stream: Signal<StreamState>
  /** The latest events, newest first. */
  readonly events: Signal<readonly ClusterEvent[]>
  /** Reads everything now. */
  readonly refresh: () => void
}

type View = 'servers' | 'proxies' | 'findings' | 'readiness' | 'facts'

const viewsOf: Readonly<Record<string, readonly View[]>> = {
  step: ['readiness'],
  operation: ['readiness', 'servers', 'proxies'],
  state: ['servers', 'readiness', 'proxies'],
  primary: ['servers', 'readiness', 'proxies', 'facts'],
  'finding-opened': ['findings', 'readiness'],
  'finding-closed': ['findings', 'readiness'],
  reset: ['servers', 'proxies', 'findings', 'readiness', 'facts'],
}

const rowOf = {
  servers: 'GET /api/clusters/:cluster/topology/servers',
  proxies: 'GET /api/clusters/:cluster/topology/proxies',
  findings: 'GET /api/clusters/:cluster/topology/alerts',
  readiness: 'GET /api/clusters/:cluster/failover/explain',
  facts: 'GET /api/clusters/:cluster',
} as const satisfies Readonly<Record<View, Address>>

/** Events that come together are answered by one reading. */
const SOON = 120
const EVENTS = 50
/** The cluster object is large, and what is shown of it changes on request only. */
const FACTS_EVERY = 6

/** The cluster for as long as a page shows it. */
export function useCluster(name: string): LiveCluster {
  const live = useMemo(() => createLive(name), [name])
  useEffect(live.start, [live])
  return live.cluster
}

interface Started {
  readonly cluster: LiveCluster
  readonly start: () => () => void
}

function createLive(name: string): Started {
  const cluster: LiveCluster = {
    name,
    servers: signal({}),
    proxies: signal({}),
    findings: signal({}),
    readiness: signal({}),
    facts: signal({}),
    stream: signal<StreamState>({ type: 'connecting' }),
    events: signal([]),
    refresh: () => want(viewsOf.reset ?? []),
  }
  const wanted = new Set<View>()
  const reading = new Set<View>()
  let ended = new AbortController()
  let soon: ReturnType<typeof setTimeout> | undefined

  function want(views: readonly View[]): void {
    for (const view of views) wanted.add(view)
    soon ??= setTimeout(() => {
      soon = undefined
      for (const view of [...wanted]) void read(view)
    }, SOON)
  }

  async function read(view: View): Promise<void> {
    // Asked for again while it is read: once more afterwards, since the answer may be older than the event.
    if (reading.has(view)) return
    wanted.delete(view)
    reading.add(view)
    const { signal: stop } = ended
    const reply = await call(rowOf[view], { params: { cluster: name }, signal: stop })
    reading.delete(view)
    if (stop.aborted) return
    if (reply.ok) take(view, reply.value)
    else cluster[view].value = { ...cluster[view].peek(), failure: reply.failure } as never
    if (wanted.has(view)) want([])
  }

  function take(view: View, reply: unknown): void {
    const at = Date.now()
    if (view === 'servers') cluster.servers.value = { value: readServers(reply), at }
    if (view === 'findings') cluster.findings.value = { value: readFindings(reply), at }
    if (view === 'proxies') cluster.proxies.value = { value: readProxies(reply), at }
    if (view === 'readiness') cluster.readiness.value = known(readReadiness(reply), at)
    if (view === 'facts') cluster.facts.value = known(readCluster(reply), at)
  }

  const start = () => {
    ended = new AbortController()
    const listening = listenToCluster(name, (event) => {
      want(viewsOf[event.kind] ?? [])
      if (event.text !== '') cluster.events.value = [event, ...cluster.events.peek()].slice(0, EVENTS)
    })
    const follow = listening.state.subscribe((state) => {
      cluster.stream.value = state
    })
    let turn = 0
    want(viewsOf.reset ?? [])
    const timer = setInterval(
      () => {
        if (document.hidden) return
        turn++
        want(turn % FACTS_EVERY === 0 ? (viewsOf.reset ?? []) : ['servers', 'proxies', 'findings', 'readiness'])
      },
      Math.min(Math.max(me.peek()?.refreshMs ?? 5_000, 1_000), 30_000),
    )
    return () => {
      ended.abort()
      clearInterval(timer)
      clearTimeout(soon)
      soon = undefined
      follow()
      listening.stop()
    }
  }
  return { cluster, start }
}

const known = <T>(value: T | undefined, at: number): Known<T> => (value === undefined ? { at } : { value, at })
