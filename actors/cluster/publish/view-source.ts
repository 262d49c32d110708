// Collects what views are rendered from.
import { type ClusterUser, listUsers } from '../../../lib/access/index.js'
import { now } from '../../../lib/base/time.js'
import type { LiveReads } from '../../../lib/effect/reads/live-reads.js'
import type { Traffic } from '../../../lib/effect/upkeep/traffic.js'
import { accessLists, maskSettings, type Settings } from '../../../lib/settings/index.js'
import type { JobBook } from '../services/jobs.js'
import type { Cluster } from '../state/message/cluster.js'
import { proxyTarget } from '../state/message/wires.js'
import { listServices } from '../state/services.js'
import type { ClusterState } from '../state/state.js'
import { isActive, type Publisher, type ViewSource } from './publish.js'

/** The parts that are shown. */
export interface Showing extends Pick<Cluster, 'state' | 'init'> {
  readonly ticks: number
  readonly jobs: Pick<JobBook, 'list'>
  readonly reads: Pick<LiveReads, 'last'>
  readonly traffic: Pick<Traffic, 'figures'>
  readonly figures: ClusterState['figures']
  readonly publisher: Pick<Publisher, 'fleetRow'>
}

export function viewSource({ state, init, ticks, jobs, traffic, reads, figures, publisher }: Showing): ViewSource {
  return {
    snapshot: state.snapshot,
    get fleetRow() {
      return publisher.fleetRow(state)
    },
    memory: state.memory,
    verdict: state.verdict,
    ...(state.lastOperation ? { lastOperation: state.lastOperation } : {}),
    ...(state.roll ? { roll: state.roll } : {}),
    proxies: state.proxies,
    get routes() {
      return proxyTarget(state.snapshot, state.snapshot.primary, state.settings)
    },
    log: state.log,
    jobs: jobs.list(),
    jobTables: state.jobTables ?? {},
    backups: state.backups ?? [],
    policy: state.settings,
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
    active: isActive(state),
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
