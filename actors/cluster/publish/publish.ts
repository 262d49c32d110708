// What a cluster shows: views rendered from its state on demand, role flags written at once.
import type { ClusterUser } from '../../../lib/access/index.js'
import { now } from '../../../lib/base/time.js'
import type { PolicySettings } from '../../../lib/decide/backup/policy.js'
import { isSplitBrain } from '../../../lib/decide/condition.js'
import { mayComeBack, refuseOpening } from '../../../lib/decide/switchover/opening.js'
import type { LastRead } from '../../../lib/effect/reads/live-reads.js'
import type { Backup } from '../../../lib/model/backup.js'
import { findingKey } from '../../../lib/model/finding.js'
import type { FleetRow } from '../../../lib/model/fleet/row.js'
import type { Memory } from '../../../lib/model/memory.js'
import type { HostTaskTable } from '../../../lib/model/operation/host-task.js'
import type { Job } from '../../../lib/model/operation/job.js'
import type { Operation } from '../../../lib/model/operation/operation.js'
import type { Roll } from '../../../lib/model/operation/roll.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import type { TrafficFigures } from '../../../lib/model/operation/traffic.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { readAt, type ServerSnapshot, type Snapshot } from '../../../lib/model/snapshot.js'
import type { FailoverVerdict } from '../../../lib/model/verdict.js'
import type { ProxyTarget } from '../../../lib/proxy/kit/index.js'
import { proxyServices } from '../../../lib/proxy/kit/services.js'
import type { WatchedProxy } from '../../../lib/proxy/standing.js'
import type { ActorContext } from '../../protocol/actor.js'
import { MAX_SLOTS } from '../../protocol/actor.js'
import { type ClusterView, clusterViews } from '../../protocol/cluster.js'
import type { LogLine } from '../state/log.js'
import type { Sla } from '../state/sla.js'
import type { ClusterState } from '../state/state.js'
import { situationOf } from '../state/step/evaluate.js'
import { isObserved } from '../state/step/observed.js'
import { flagWords } from './flags.js'
import { FleetRows } from './fleet-rows.js'

/** Everything a view may be rendered from. */
export interface ViewSource {
  readonly snapshot: Snapshot
  /** Its row of the fleet, as last published. */
  readonly fleetRow: FleetRow
  readonly memory: Memory
  readonly verdict: FailoverVerdict
  readonly lastOperation?: Operation
  readonly roll?: Roll
  readonly proxies: readonly WatchedProxy[]
  /** Where they should send writes and reads. */
  readonly routes: ProxyTarget
  readonly log: readonly LogLine[]
  readonly jobs: readonly Job[]
  readonly jobTables: Readonly<Record<ServerId, HostTaskTable>>
  readonly backups: readonly Backup[]
  readonly policy: PolicySettings
  readonly services: readonly ServiceSpec[]
  readonly sla: Sla
  readonly slaHistory: readonly Sla[]
  readonly queryRates: ClusterState['queryRates']
  readonly cookies: ClusterState['cookies']
  readonly now: number
  /** Settings as the wire shows them: secrets masked. */
  readonly config: Readonly<Record<string, unknown>>
  readonly workingDirectory: string
  readonly users: readonly ClusterUser[]
  readonly active: boolean
  /** Every server was probed since the actor started. */
  readonly ready: boolean
  readonly provisioned: boolean
  readonly ticks: number
  readonly figures: ClusterState['figures']
  /** Error log and table sizes, where they were read on request. */
  readonly lastReads: ReadonlyMap<ServerId, LastRead>
  readonly traffic: TrafficFigures
}

/** Renders one view; given by bin/, since the wire's shapes are http's affair. */
export type RenderView = (view: ClusterView, source: ViewSource) => Uint8Array

/** Marks views as changed and writes the role flags. Unread views cost one counter. */
export class Publisher {
  readonly #context: Pick<ActorContext, 'changed' | 'setFlags' | 'setAnswered'>
  readonly #rows = new FleetRows()
  #gatewayKey = ''
  #conditionsKey = ''

  constructor(context: Pick<ActorContext, 'changed' | 'setFlags' | 'setAnswered'>) {
    this.#context = context
  }

  /** Its row of the fleet. */
  fleetRow(state: ClusterState): FleetRow {
    return this.#rows.row(state)
  }

  publish(state: ClusterState): void {
    const [gateway, conditions] = [gatewayKey(state), conditionsKey(state)]
    const unchanged = new Set<ClusterView>([
      ...(this.#rows.changed(state) ? [] : ['fleet' as const]),
      ...(gateway === this.#gatewayKey ? ['gateway' as const] : []),
      ...(conditions === this.#conditionsKey ? ['conditions' as const] : []),
    ])
    for (const view of clusterViews) if (!unchanged.has(view)) this.#context.changed(view)
    this.#gatewayKey = gateway
    this.#conditionsKey = conditions
    const words = flagWords(state.snapshot, {
      readOnPrimary: state.settings['proxy-servers-read-on-master'],
      readOnPrimaryWithoutReplica: state.settings['proxy-servers-read-on-master-no-slave'],
      sourceName: state.settings['replication-source-name'],
      owned: (state.tenure ?? 'owner') === 'owner',
      frozen: state.announced.some(({ code }) => code === 'ERR00068'),
      mayOpen: (primary) => {
        if (isObserved(state)) return false
        const situation = situationOf(state, now())
        return refuseOpening(situation, primary.id) === undefined && !mayComeBack(situation, primary)
      },
    })
    for (const [slot, word] of words.slice(0, MAX_SLOTS).entries()) this.#context.setFlags(slot, word)
    for (const [slot, server] of state.snapshot.servers.entries()) this.#noteAnswer(slot, server)
  }

  /** Nothing but the time of its latest answer has changed. */
  noteAnswer({ snapshot: { servers } }: ClusterState, id: ServerId): void {
    const slot = servers.findIndex((server) => server.id === id)
    const server = servers[slot]
    if (server) this.#noteAnswer(slot, server)
  }

  /** It was as its flags say when it was asked, or since. */
  #noteAnswer(slot: number, server: ServerSnapshot): void {
    if (server.observation === 'answered') this.#context.setAnswered(slot, now() - readAt(server))
  }
}

/** What the gateway's own view depends on: it is read after every change, so it must change rarely. */
function gatewayKey(state: ClusterState): string {
  const { snapshot, settings, ready } = state
  return [
    ...[snapshot.primary, snapshot.operation?.id, ready, isActive(state), isSplitBrain(snapshot.findings)],
    ...proxyServices(settings).map(({ id }) => id),
    ...snapshot.servers.flatMap(({ id, name }) => [id, name]),
  ].join(' ')
}

/** This manager acts on the cluster: no other one does, and it owns it where several share the fleet. */
export const isActive = ({ snapshot, confirmed, tenure }: ClusterState): boolean =>
  snapshot.rival?.acts !== true && !(confirmed !== undefined && tenure !== 'owner')

/** What alerts depend on: the figures in the details of findings change with every probe. */
const conditionsKey = ({ snapshot, ready, roll }: ClusterState): string =>
  [
    ...[
      snapshot.rival?.acts && snapshot.rival.hosts.join(),
      ready,
      roll?.phase,
      ...(roll?.servers.map(({ state }) => state) ?? []),
    ],
    ...snapshot.servers.flatMap(({ id, name, stateName }) => [id, name, stateName]),
    ...snapshot.findings.map(findingKey),
  ].join(' ')
