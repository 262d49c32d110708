// `console`: a cluster on a full screen, its events as they happen, and keys to act on it.
import type { Command } from 'commander'
import type { TimelineEntry } from '../../../http/client/api/generated.js'
import { followEvents, openEvents } from '../../../http/client/events.js'
import type { Session } from '../../../http/client/session.js'
import { candidateForm } from '../../../http/client/wire.js'
import { MINUTE, SECOND, sleep } from '../../../lib/base/time.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { FleetRow } from '../../../lib/model/fleet/row.js'
import { readFleet } from '../command/read/fleet.js'
import { readTopology } from '../command/read/topology.js'
import { call, readClusters } from '../kit/connect.js'
import type { Context } from '../kit/context.js'
import { EXIT, Exit } from '../output/exit.js'
import { parseKeys, strokesOf } from './keys.js'
import { renderScreen, scrollLimit } from './screen.js'
import {
  addEvent,
  addPast,
  type ConsoleState,
  notify,
  type Order,
  press,
  type Step,
  startState,
  type,
} from './state.js'
import { openTerminal, type Terminal } from './terminal.js'

const PATIENCE_MS = 6 * MINUTE
/** A stream that broke off is opened again after so long. */
const RETRY_MS = SECOND
/** A manager that is suspended or cut off refuses nothing: from then on the screen says that what it shows is old. */
const LATE_MS = 5 * SECOND

export function addConsole(program: Command, context: Context): void {
  program
    .command('console')
    .description(
      'full-screen view of all clusters, those in trouble first, and of each with its events and keys to act on it',
    )
    .action(() => runConsole(context))
}

async function runConsole({ flags, session }: Context): Promise<void> {
  const { cluster, interval } = flags()
  const clusters = await readClusters(session())
  const first = cluster ?? clusters[0]
  if (first === undefined) throw new Exit(EXIT.notFound, 'no cluster is visible to this user')
  const state = startState([...new Set([...clusters, first])], first)
  const isFleet = cluster === undefined && clusters.length > 1
  await new Console(session(), isFleet ? { ...state, page: 'fleet' } : state).run(interval * SECOND)
}

/** Lives as long as the screen. */
class Console {
  readonly #session: Session
  readonly #end = new AbortController()
  #state: ConsoleState
  #terminal: Terminal | undefined
  #reading = false

  constructor(session: Session, state: ConsoleState) {
    this.#session = session
    this.#state = state
  }

  async run(intervalMs: number): Promise<void> {
    const { signal } = this.#end
    this.#terminal = openTerminal({ keys: (text) => this.#keys(text), resized: () => this.#draw() })
    try {
      this.#draw()
      void this.#listen(this.#state.cluster)
      while (!signal.aborted) {
        await this.#read()
        await sleep(intervalMs, signal)
      }
    } finally {
      this.#terminal.close()
    }
    // Streams and calls that are still open are not waited for.
    process.exit(EXIT.ok)
  }

  #draw(): void {
    const terminal = this.#terminal
    if (terminal) terminal.draw(renderScreen(this.#state, terminal.size()))
  }

  #show(state: ConsoleState): void {
    this.#state = state
    this.#draw()
  }

  #keys(text: string): void {
    for (const stroke of strokesOf(text)) {
      const { page, fleet } = this.#state
      if (page === 'fleet' && fleet.isTyping) this.#step(type(this.#state, stroke))
      else for (const key of parseKeys(stroke)) this.#step(press(this.#state, key))
    }
  }

  #step({ state, order, quit }: Step): void {
    const before = this.#state
    if (quit) this.#end.abort()
    const limit = this.#terminal ? scrollLimit(state, this.#terminal.size()) : 0
    this.#show(state.scrolled > limit ? { ...state, scrolled: limit } : state)
    if (state.cluster !== before.cluster) void this.#listen(state.cluster)
    if (state.cluster !== before.cluster || state.view !== before.view || state.page !== before.page) void this.#read()
    if (order) void this.#do(order)
  }

  /** Reads what the screen shows; one read at a time. */
  async #read(): Promise<void> {
    if (this.#reading) return
    this.#reading = true
    const late = setTimeout(() => this.#lose(`the manager has not answered for ${LATE_MS / SECOND} s`), LATE_MS)
    const { cluster, view, page } = this.#state
    try {
      if (page === 'fleet') return this.#showFleet(await readFleet(this.#session))
      const [topology, alerts, verdict] = await Promise.all([
        readTopology(this.#session, cluster),
        call(this.#session, 'GET /api/clusters/:cluster/topology/alerts', { params: { cluster } }),
        view === 'explain'
          ? call(this.#session, 'GET /api/clusters/:cluster/failover/explain', { params: { cluster } })
          : undefined,
      ])
      const runbooks = view === 'runbooks' ? await loadRunbooks() : undefined
      if (this.#state.cluster !== cluster) return
      const { lost: _, ...rest } = this.#state
      const pages = runbooks ? { runbooks } : {}
      const seen = { ...rest, ...pages, topology, alerts, seenAt: Date.now() }
      this.#show(verdict === undefined || rest.view !== 'explain' ? seen : { ...seen, verdict })
    } catch (error) {
      this.#lose(messageOf(error))
    } finally {
      clearTimeout(late)
      this.#reading = false
    }
  }

  #lose(lost: string): void {
    this.#show({ ...this.#state, lost })
  }

  #showFleet(rows: readonly FleetRow[]): void {
    const { lost: _, ...rest } = this.#state
    this.#show({ ...rest, fleet: { ...rest.fleet, rows, seenAt: Date.now() } })
  }

  /** Events of the cluster, as long as it is the one that is shown. */
  async #listen(cluster: string): Promise<void> {
    while (!this.#end.signal.aborted && this.#state.cluster === cluster) {
      const opened = await openEvents(this.#session, cluster)
      // After the stream is open: no event is missed between the two.
      if (this.#state.past !== 'read') void this.#readPast(cluster)
      if (opened.ok && opened.value.type === 'open')
        for await (const item of followEvents(this.#session, cluster, opened.value.response)) {
          if (this.#state.cluster !== cluster) return
          if (item.type !== 'event') continue
          this.#show(addEvent(this.#state, item.event))
          if (item.event.kind !== 'log') void this.#read()
        }
      await sleep(RETRY_MS, this.#end.signal)
    }
  }

  /** What happened before the console showed the cluster. */
  async #readPast(cluster: string): Promise<void> {
    const past = await readPast(this.#session, cluster).catch(() => undefined)
    if (this.#state.cluster === cluster && this.#state.past !== 'read') this.#show(addPast(this.#state, past))
  }

  async #do(order: Order): Promise<void> {
    this.#show(notify(this.#state, 'Request sent; waiting for the reply …'))
    try {
      const done = await perform(this.#session, this.#state.cluster, order)
      // The state of now: events have come meanwhile.
      this.#show(notify(this.#state, done, 'green'))
    } catch (error) {
      this.#show(notify(this.#state, messageOf(error), 'red'))
    }
    await this.#read()
  }
}

/** Latest events that are read as the console begins to show a cluster: more than a screen. */
const PAST = 100

/** Oldest first. */
async function readPast(session: Session, cluster: string): Promise<readonly ClusterEvent[]> {
  const page = await call(session, 'GET /api/clusters/:cluster/timeline', {
    params: { cluster },
    query: { limit: PAST },
  })
  return page.entries.map(pastEvent(cluster)).reverse()
}

const pastEvent =
  (cluster: string) =>
  ({ at, level, text }: TimelineEntry): ClusterEvent => ({
    ...{ id: 0, at, cluster, kind: 'log', level: level as ClusterEvent['level'], text },
  })

/** Does it, and says what was done. */
async function perform(session: Session, cluster: string, order: Order): Promise<string> {
  const [params, timeoutMs] = [{ cluster }, PATIENCE_MS]
  switch (order.type) {
    case 'switchover': {
      const body = candidateForm(order.candidate)
      await call(session, 'POST /api/clusters/:cluster/actions/switchover', { params, body, timeoutMs })
      return 'Done.'
    }
    case 'failover':
    case 'reset-failover-control':
      await call(session, `POST /api/clusters/:cluster/actions/${order.type}`, { params, timeoutMs })
      return 'Done.'
    case 'maintenance': {
      const word = order.on ? 'set-maintenance' : 'del-maintenance'
      const address = `POST /api/clusters/:cluster/servers/:server/actions/${word}` as const
      await call(session, address, { params: { cluster, server: order.server }, timeoutMs })
      return 'Done.'
    }
    case 'set': {
      const { setting, value } = order
      const given = { params: { cluster, setting }, body: { value }, timeoutMs }
      return settingText(await call(session, 'POST /api/clusters/:cluster/settings/actions/set/:setting', given))
    }
  }
}

/** `failover-mode is manual now.` */
function settingText(answer: unknown): string {
  const { name, value } = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>
  const said = typeof value === 'boolean' ? (value ? 'on' : 'off') : value
  return name === undefined ? 'Done.' : `${name} is ${said} now.`
}

/** The first line says what; hints have no room here. */
const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''

/** The texts are large; only this view needs them. */
const loadRunbooks = async () => (await import('../../../lib/model/findings/runbook/runbooks.js')).runbooks
