// What the console knows and shows, and what each key makes of it. Pure: what takes time leaves as an order.
import type { WireAlerts, WireServer } from '../../../http/client/wire.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { Runbook } from '../../../lib/model/findings/runbook/runbooks.js'
import type { SettingName } from '../../../lib/settings/index.js'
import type { Explanation } from '../answer/explanation.js'
import type { TopologyReport } from '../command/read/topology.js'
import type { Style } from '../output/paint.js'
import { emptyFleet, type FleetPage, listed, moveInFleet, placeOf, typeInSearch } from './fleet-page.js'
import { type KeyName, keys } from './keys.js'

export const views = ['events', 'findings', 'runbooks', 'explain', 'server', 'help'] as const

export type View = (typeof views)[number]

/** A request of the user, to be executed by the manager. */
export type Order =
  | { readonly type: 'switchover'; readonly candidate?: string }
  | { readonly type: 'failover' }
  /** As the question said: never a toggle, since what the screen shows may be old. */
  | { readonly type: 'maintenance'; readonly server: string; readonly on: boolean }
  | { readonly type: 'set'; readonly setting: SettingName; readonly value: string }
  | { readonly type: 'reset-failover-control' }

export interface ConsoleState {
  /** All clusters, or one of them. */
  readonly page: 'fleet' | 'cluster'
  readonly fleet: FleetPage
  readonly clusters: readonly string[]
  readonly cluster: string
  readonly topology?: TopologyReport
  readonly alerts?: WireAlerts
  /** Only of the view that explains. */
  readonly verdict?: Explanation
  /** Loaded when they are first asked for. */
  readonly runbooks?: readonly Runbook[]
  /** Oldest first. */
  readonly events: readonly ClusterEvent[]
  /** Whether the events from before the console showed the cluster are among them; `unread`: the manager did not give them. */
  readonly past: 'reading' | 'read' | 'unread'
  /** Place of the server that keys are about. */
  readonly selected: number
  readonly view: View
  /** Lines of the view that are passed over: from its beginning, of events from the latest. */
  readonly scrolled: number
  /** When the manager last answered, in milliseconds. */
  readonly seenAt?: number
  /** Waits for y; any other key takes it back. */
  readonly question?: { readonly text: string; readonly order: Order }
  readonly message?: { readonly text: string; readonly style: Style }
  /** Why the manager gave no answer the last time. */
  readonly lost?: string
}

/** What a key leads to. */
export interface Step {
  readonly state: ConsoleState
  readonly order?: Order
  readonly quit?: true
}

/** Events that are kept: more than any terminal shows. */
const KEPT = 500

export const startState = (clusters: readonly string[], cluster: string): ConsoleState => ({
  ...{ page: 'cluster', fleet: emptyFleet },
  ...{ clusters, cluster, events: [], past: 'reading', selected: 0, view: 'events', scrolled: 0 },
})

export const addEvent = (state: ConsoleState, event: ClusterEvent): ConsoleState =>
  event.cluster === state.cluster ? { ...state, events: [...state.events, event].slice(-KEPT) } : state

/** Those from before, as they are kept by the manager; what has come meanwhile stays behind them. */
export function addPast(state: ConsoleState, past: readonly ClusterEvent[] | undefined): ConsoleState {
  if (past === undefined) return { ...state, past: 'unread' }
  const known = new Set(state.events.map(({ at, text }) => `${at} ${text}`))
  const earlier = past.filter(({ at, text }) => !known.has(`${at} ${text}`))
  return { ...state, past: 'read', events: [...earlier, ...state.events].slice(-KEPT) }
}

export function press(state: ConsoleState, key: KeyName): Step {
  const { question, message: _, ...rest } = state
  if (key === 'quit') return { state, quit: true }
  if (question)
    return key === 'yes' ? { state: rest, order: question.order } : { state: notify(rest, 'Nothing was changed.') }
  if (rest.page === 'fleet') return fleetSteps[key]?.(rest) ?? { state: other(rest) }
  return steps[key]?.(rest) ?? { state: rest }
}

/** A keystroke of a search; the keys that only control are no letters. */
export function type(state: ConsoleState, stroke: string): Step {
  if (stroke === '\u0003' || stroke === '\u0011') return { state, quit: true }
  return { state: { ...state, fleet: typeInSearch(state.fleet, stroke) } }
}

export const notify = (state: ConsoleState, text: string, style: Style = 'dim'): ConsoleState => ({
  ...state,
  message: { text, style },
})

export const serverAt = ({ topology, selected }: ConsoleState): WireServer | undefined => topology?.servers[selected]

const steps: Readonly<Partial<Record<KeyName, (state: ConsoleState) => Step>>> = {
  up: (state) => ({ state: move(state, -1) }),
  down: (state) => ({ state: move(state, 1) }),
  next: (state) => ({ state: turn(state, 1) }),
  previous: (state) => ({ state: turn(state, -1) }),
  'page-down': (state) => ({ state: scroll(state, state.view === 'events' ? -PAGE : PAGE) }),
  'page-up': (state) => ({ state: scroll(state, state.view === 'events' ? PAGE : -PAGE) }),
  topology: (state) => ({ state: turnTo(state, 'events') }),
  findings: (state) => ({ state: toggle(state, 'findings') }),
  runbooks: (state) => ({ state: toggle(state, 'runbooks') }),
  explain: (state) => ({ state: toggle(state, 'explain') }),
  help: (state) => ({ state: toggle(state, 'help') }),
  switchover: (state) => {
    const server = serverAt(state)
    const candidate = server?.readOnly === 'ON' ? `${server.host}:${server.port}` : undefined
    const order: Order = { type: 'switchover', ...(candidate === undefined ? {} : { candidate }) }
    return ask(state, `Switch ${state.cluster} over${candidate === undefined ? '' : ` to ${candidate}`}?`, order)
  },
  failover: (state) => ask(state, `Replace the dead primary of ${state.cluster} now?`, { type: 'failover' }),
  maintenance: (state) => {
    const server = serverAt(state)
    if (!server) return { state: notify(state, 'Select a server first.', 'yellow') }
    const text = `${server.isMaintenance ? 'End the maintenance of' : 'Put into maintenance:'} ${server.host}:${server.port}?`
    return ask(state, text, { type: 'maintenance', server: server.id, on: !server.isMaintenance })
  },
  mode: (state) => {
    const value = state.topology?.mode === 'automatic' ? 'manual' : 'automatic'
    return ask(state, `Set failover of ${state.cluster} to ${value}?`, { type: 'set', setting: 'failover-mode', value })
  },
  'read-only': (state) => {
    const closes = state.topology?.closesReplicas
    if (closes === undefined) return { state: notify(state, 'The settings of the cluster are not read yet.', 'yellow') }
    const [word, value] = closes ? ['off', 'false'] : ['on', 'true']
    const order: Order = { type: 'set', setting: 'failover-readonly-state', value }
    return ask(state, `Set failover-readonly-state of ${state.cluster} ${word}?`, order)
  },
  reset: (state) => ask(state, `Reset the failover counter of ${state.cluster}?`, { type: 'reset-failover-control' }),
  open: (state) => ({ state: serverAt(state) ? toggle(state, 'server') : state }),
  fleet: (state) => ({ state: toFleet(state) }),
  search: (state) => ({ state: startSearch(toFleet(state)) }),
  other: (state) => ({ state: other(state) }),
}

/** Keys of the page of all clusters: none of them changes anything. */
const fleetSteps: Readonly<Partial<Record<KeyName, (state: ConsoleState) => Step>>> = {
  up: (state) => ({ state: { ...state, fleet: moveInFleet(state.fleet, -1) } }),
  down: (state) => ({ state: { ...state, fleet: moveInFleet(state.fleet, 1) } }),
  'page-up': (state) => ({ state: { ...state, fleet: moveInFleet(state.fleet, -PAGE) } }),
  'page-down': (state) => ({ state: { ...state, fleet: moveInFleet(state.fleet, PAGE) } }),
  open: (state) => ({ state: openCluster(state) }),
  search: (state) => ({ state: startSearch(state) }),
  topology: (state) => ({ state: { ...state, page: 'cluster' } }),
  fleet: (state) => ({ state: { ...state, page: 'cluster' } }),
  help: (state) => ({ state: { ...turnTo(state, 'help'), page: 'cluster' } }),
}

const other = (state: ConsoleState): ConsoleState => notify(state, `Unknown key; ${keys.help.keys} lists the keys.`)

/** All clusters, with the present one selected. */
const toFleet = (state: ConsoleState): ConsoleState => ({
  ...state,
  page: 'fleet',
  fleet: { ...state.fleet, selected: state.cluster },
})

function startSearch(state: ConsoleState): ConsoleState {
  const { selected: _, ...fleet } = state.fleet
  return { ...state, fleet: { ...fleet, ...emptyFleet, isTyping: true } }
}

/** The selected cluster; of one that is shown already nothing is forgotten. */
function openCluster(state: ConsoleState): ConsoleState {
  const name = listed(state.fleet)[placeOf(state.fleet)]?.name
  if (name === undefined) return notify(state, 'No cluster is selected.', 'yellow')
  const opened = name === state.cluster ? state : startState([...new Set([...state.clusters, name])], name)
  return { ...opened, page: 'cluster', fleet: state.fleet }
}

const ask = (state: ConsoleState, text: string, order: Order): Step => ({
  state: { ...state, question: { text, order } },
})

const toggle = (state: ConsoleState, view: View): ConsoleState => turnTo(state, state.view === view ? 'events' : view)

/** A verdict is of the moment at which it was read: shown again later, it would pass for one of then. */
function turnTo(state: ConsoleState, view: View): ConsoleState {
  const { verdict: _, ...rest } = state
  return { ...rest, view, scrolled: 0 }
}

/** Lines; a page of a small terminal. */
const PAGE = 8

/** No further than the beginning; the end is where the screen has it. */
const scroll = (state: ConsoleState, by: number): ConsoleState => ({
  ...state,
  scrolled: Math.max(0, state.scrolled + by),
})

function move(state: ConsoleState, by: number): ConsoleState {
  const last = Math.max(0, (state.topology?.servers.length ?? 1) - 1)
  return { ...state, selected: Math.min(last, Math.max(0, state.selected + by)) }
}

/** The next cluster, round and round; nothing of the one before is shown for it. */
function turn(state: ConsoleState, by: number): ConsoleState {
  const { clusters, cluster, view } = state
  const place = (clusters.indexOf(cluster) + by + clusters.length) % clusters.length
  const next = clusters[place] ?? cluster
  return next === cluster
    ? notify(state, 'There is no other cluster.')
    : { ...startState(clusters, next), fleet: state.fleet, view }
}
