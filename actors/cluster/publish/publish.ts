// What a cluster shows: views rendered from its state on demand, role flags written at once.
import type { ClusterUser } from '../../../lib/access/index.js'
import type { LastRead } from '../../../lib/effect/reads/live-reads.js'
import { findingKey } from '../../../lib/model/finding.js'
import type { Memory } from '../../../lib/model/memory.js'
import type { Job } from '../../../lib/model/operation/job.js'
import type { Operation } from '../../../lib/model/operation/operation.js'
import type { Roll } from '../../../lib/model/operation/roll.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import type { TrafficFigures } from '../../../lib/model/operation/traffic.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { Snapshot } from '../../../lib/model/snapshot.js'
import type { FailoverVerdict } from '../../../lib/model/verdict.js'
import { proxyServices } from '../../../lib/proxy/kit/services.js'
import type { WatchedProxy } from '../../../lib/proxy/standing.js'
import type { ActorContext } from '../../protocol/actor.js'
import { MAX_SLOTS } from '../../protocol/actor.js'
import { type ClusterView, clusterViews } from '../../protocol/cluster.js'
import type { LogLine } from '../state/log.js'
import type { Sla } from '../state/sla.js'
import type { ClusterState } from '../state/state.js'
import { flagWords } from './flags.js'

/** Everything a view may be rendered from. */
export interface ViewSource {
  readonly snapshot: Snapshot
  readonly memory: Memory
  readonly verdict: FailoverVerdict
  readonly lastOperation?: Operation
  readonly roll?: Roll
  readonly proxies: readonly WatchedProxy[]
  readonly log: readonly LogLine[]
  readonly jobs: readonly Job[]
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
  readonly #context: Pick<ActorContext, 'changed' | 'setFlags'>
  #gatewayKey = ''
  #conditionsKey = ''

  constructor(context: Pick<ActorContext, 'changed' | 'setFlags'>) {
    this.#context = context
  }

  publish(state: ClusterState): void {
    const [gateway, conditions] = [gatewayKey(state), conditionsKey(state)]
    const unchanged = new Set<ClusterView>([
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
    })
    for (const [slot, word] of words.slice(0, MAX_SLOTS).entries()) this.#context.setFlags(slot, word)
  }
}

/** What the gateway's own view depends on: it is read after every change, so it must change rarely. */
const gatewayKey = ({ snapshot, settings, ready }: ClusterState): string =>
  [
    ...[snapshot.primary, snapshot.operation?.id, ready, ...proxyServices(settings).map(({ id }) => id)],
    ...snapshot.servers.flatMap(({ id, name }) => [id, name]),
  ].join(' ')

/** What alerts depend on: the figures in the details of findings change with every probe. */
const conditionsKey = ({ snapshot, ready, roll }: ClusterState): string =>
  [
    ...[ready, roll?.phase, ...(roll?.servers.map(({ state }) => state) ?? [])],
    ...snapshot.servers.flatMap(({ id, name, stateName }) => [id, name, stateName]),
    ...snapshot.findings.map(findingKey),
  ].join(' ')
