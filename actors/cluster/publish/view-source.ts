// Collects what views are rendered from.
import { type ClusterUser, listUsers } from '../../../lib/access/index.js'
import { now } from '../../../lib/base/time.js'
import type { LiveReads } from '../../../lib/effect/reads/live-reads.js'
import type { Traffic } from '../../../lib/effect/upkeep/traffic.js'
import { accessLists, maskSettings, type Settings } from '../../../lib/settings/index.js'
import type { JobBook } from '../services/jobs.js'
import type { Cluster } from '../state/cluster.js'
import { listServices } from '../state/services.js'
import type { ClusterState } from '../state/state.js'
import type { ViewSource } from './publish.js'

/** The parts that are shown. */
export interface Showing extends Pick<Cluster, 'state' | 'init'> {
  readonly ticks: number
  readonly jobs: Pick<JobBook, 'list'>
  readonly reads: Pick<LiveReads, 'last'>
  readonly traffic: Pick<Traffic, 'figures'>
  readonly figures: ClusterState['figures']
}

export function viewSource({ state, init, ticks, jobs, traffic, reads, figures }: Showing): ViewSource {
  return {
    snapshot: state.snapshot,
    memory: state.memory,
    verdict: state.verdict,
    ...(state.lastOperation ? { lastOperation: state.lastOperation } : {}),
    ...(state.roll ? { roll: state.roll } : {}),
    proxies: state.proxies,
    log: state.log,
    jobs: jobs.list(),
    services: listServices(state),
    sla: state.sla,
    slaHistory: state.slaHistory,
    queryRates: state.queryRates,
    cookies: state.cookies,
    now: now(),
    // Made only for the views that show them: the gateway's own is read of every cluster.
    get config() {
      return shownSettings(state.settings, init.name).config
    },
    get users() {
      return shownSettings(state.settings, init.name).users
    },
    workingDirectory: init.directory,
    active: state.snapshot.rival?.acts !== true,
    ready: state.ready,
    provisioned: state.snapshot.servers.some(({ observation }) => observation === 'answered'),
    ticks,
    figures,
    lastReads: reads.last,
    traffic: traffic.figures,
  }
}

interface Shown {
  readonly config: ViewSource['config']
  readonly users: readonly ClusterUser[]
}

const shown = new WeakMap<Settings, Shown>()

/** What views show of settings: made once for each change of them. */
function shownSettings(settings: Settings, cluster: string): Shown {
  const known = shown.get(settings)
  if (known) return known
  const made = { config: maskSettings(settings), users: listUsers(accessLists(settings), cluster) }
  shown.set(settings, made)
  return made
}
