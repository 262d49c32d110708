// The manager's own figures: process, threads and clusters, kept by prom-client. Small: a hundred samples at most.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { SECOND } from '../base/time.js'

export interface ProcessSources {
  readonly version: string
  /** Clusters that are configured, and those of them that were stopped after repeated crashes. */
  readonly clusters: () => { readonly configured: number; readonly quarantined: number }
  /** The further threads of the process. */
  readonly threads: () => Promise<readonly ThreadFigures[]>
  /** Events of the security log since the start, by their codes. */
  readonly securityEvents: ReadonlyMap<string, number>
}

export interface ThreadFigures {
  readonly name: string
  /** Longest delay of its event loop in its last window, milliseconds. */
  readonly latenessMs: number
  readonly actors: number
}

export interface ProcessMetrics {
  /** The families in text format 0.0.4, complete: the `own` part of `stitch`. */
  text(): Promise<string>
  /** For further families of the process, such as those of the gateway. */
  readonly registry: Registry
  /** Stops watching the event loop. */
  close(): void
}

/** In a millisecond. */
const NANOSECONDS = 1e6
/** In a second. */
const MICROSECONDS = 1e6

/** Starts watching the event loop of the calling thread, named `main`. */
export function openProcessMetrics({ version, clusters, threads, securityEvents }: ProcessSources): ProcessMetrics {
  const registry = new Registry()
  addDefaults(registry)
  const loop = monitorEventLoopDelay({ resolution: 10 })
  loop.enable()

  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      collect() {
        this.set(read())
      },
    })
  gauge('manager_up', 'The manager answers.', () => 1)
  gauge('manager_clusters', 'Clusters that are configured.', () => clusters().configured)
  gauge(
    'manager_clusters_quarantined',
    'Clusters that were stopped after repeated crashes.',
    () => clusters().quarantined,
  )
  gauge('process_heap_used_bytes', "Memory of the main thread's heap that is in use.", heapUsed)
  addProcessorTime(registry)
  addBuild(registry, version)
  addSecurityEvents(registry, securityEvents)
  const setThreads = addThreads(registry)

  const text = async (): Promise<string> => {
    setThreads([{ name: 'main', latenessMs: takeMaximum(loop), actors: 0 }, ...(await threads())])
    return registry.metrics()
  }
  return { text, registry, close: () => loop.disable() }
}

/**
 * Of the usual ones all but three gauges that are named like counters, which Prometheus' check refuses, and the processor time,
 * which counts only from here. Of the rest, names that existed before stay.
 */
function addDefaults(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const name of refused) registry.removeSingleMetric(name)
}

const refused = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'process_cpu_seconds_total',
]

const heapUsed = (): number => process.memoryUsage().heapUsed

/** The longest delay since the last scrape, milliseconds. */
function takeMaximum(loop: ReturnType<typeof monitorEventLoopDelay>): number {
  const longest = loop.max / NANOSECONDS
  loop.reset()
  return longest
}

function addProcessorTime(registry: Registry): void {
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time used since the start.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / MICROSECONDS)
    },
  })
}

function addSecurityEvents(registry: Registry, events: ReadonlyMap<string, number>): void {
  new Counter({
    name: 'manager_security_events_total',
    help: 'Logins, refusals, token events and changes since the start, by code of the security log.',
    labelNames: ['event'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [event, count] of events) this.inc({ event }, count)
    },
  })
}

function addBuild(registry: Registry, version: string): void {
  const made = new Gauge({
    name: 'manager_build_info',
    help: 'Version of the manager and of what it runs on; always 1.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  made.set({ version, node: process.versions.node }, 1)
}

/** Families by thread; the answer sets them. */
function addThreads(registry: Registry): (threads: readonly ThreadFigures[]) => void {
  const labelNames = ['thread']
  const delay = new Gauge({
    ...{ name: 'manager_loop_delay_seconds', labelNames, registers: [registry] },
    help: 'Longest delay of the event loop since the last scrape (main) or in its last window, by thread.',
  })
  const actors = new Gauge({
    ...{ name: 'manager_thread_actors', labelNames, registers: [registry] },
    help: 'Cluster actors of the thread.',
  })
  return (threads) => {
    delay.reset()
    actors.reset()
    for (const { name, latenessMs, actors: count } of threads) {
      delay.set({ thread: name }, latenessMs / SECOND)
      actors.set({ thread: name }, count)
    }
  }
}
