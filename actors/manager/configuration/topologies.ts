// Forms a topology: the settings are changed first, otherwise the manager would repair the new topology at once.

import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE } from '../../../lib/base/time.js'
import { type FormedTopology, isFormedTopology } from '../../../lib/model/wire.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import type { ClusterProtocol, OperationTicket } from '../../protocol/cluster.js'
import type { ActorRef } from '../../protocol/envelope.js'
import type { Clusters } from './clusters.js'

/** Longest wait for the operation; its own deadline is far below. */
const WAIT_MS = 5 * MINUTE

/** Members are provisioned one after the other. */
const GROUP_MS = 30 * MINUTE

const GALERA = 'multi-master-wsrep' satisfies FormedTopology

const flags = [
  'replication-multi-master',
  'replication-multi-master-ring',
  'replication-multi-master-wsrep',
  'replication-multi-tier-slave',
] as const

/** By the names of the API: the flag that is set; the others are not. */
const flagOf: Readonly<Record<FormedTopology, (typeof flags)[number] | undefined>> = {
  'master-slave': undefined,
  'multi-tier-slave': 'replication-multi-tier-slave',
  'multi-master': 'replication-multi-master',
  'multi-master-ring': 'replication-multi-master-ring',
  'multi-master-wsrep': 'replication-multi-master-wsrep',
}

export interface TopologyRequest {
  readonly cluster: string
  readonly topology: string
  readonly user: string
}

export interface FormingParts {
  readonly actor: ActorRef<ClusterProtocol> | undefined
  /** Builds the configuration of every server again. */
  readonly regenerate: (cluster: string) => Promise<Result<unknown>>
}

/** If it cannot be formed, the settings are as before. Failures: those of `planBootstrap`, and of saving settings. */
export async function formTopology(
  clusters: Clusters,
  { actor, regenerate }: FormingParts,
  { cluster, topology, user }: TopologyRequest,
): Promise<Result<OperationTicket>> {
  if (!actor) return fail('unknown-cluster', `no cluster ${cluster}`)
  const edited = isFormedTopology(topology) ? await clusters.edit(cluster, wanted(topology)) : undefined
  if (edited && !edited.ok) return edited
  const form = () => actor.ask('bootstrap', { user, topology, wait: true }, { deadlineMs: WAIT_MS })
  const seen = await form()
  const isToBeMade = topology === GALERA && !seen.ok && seen.failure.code === 'unsupported'
  const formed = isToBeMade ? await formGroup(clusters, { actor, regenerate, cluster, user, seen, form }) : seen
  const isFormed = formed.ok && formed.value.operation.phase === 'succeeded'
  if (edited && !isFormed) await clusters.edit(cluster, differences(edited.value.before))
  return formed
}

interface Forming extends FormingParts {
  readonly actor: ActorRef<ClusterProtocol>
  readonly cluster: string
  readonly user: string
  /** What the current servers are missing. */
  readonly seen: Result<OperationTicket>
  readonly form: () => Promise<Result<OperationTicket>>
}

/** The settings are changed first; they stay when a member fails, so that the next request continues. */
async function formGroup(
  clusters: Clusters,
  { actor, regenerate, cluster, user, seen, form }: Forming,
): Promise<Result<OperationTicket>> {
  const permitted = await actor.ask('form-group', { user, dry: true }, { deadlineMs: WAIT_MS })
  if (!permitted.ok) return permitted.failure.code === 'unsupported' ? seen : permitted
  const tagged = await clusters.edit(cluster, withTag)
  if (!tagged.ok) return tagged
  const built = await regenerate(cluster)
  if (!built.ok) return built
  const grouped = await actor.ask('form-group', { user, dry: false }, { deadlineMs: GROUP_MS })
  return grouped.ok ? form() : grouped
}

const TAG = 'wsrep'

/** Tags that a member cannot combine with it. */
const excluded: readonly string[] = ['readonly', 'grouprep']

const withTag = ({ 'prov-db-tags': tags }: Settings) =>
  ok(tags.includes(TAG) ? {} : { 'prov-db-tags': [...tags.filter((tag) => !excluded.includes(tag)), TAG].join(',') })

const wanted = (topology: FormedTopology) =>
  differences(
    Object.fromEntries(flags.map((name) => [name, name === flagOf[topology]])) as Pick<
      Settings,
      (typeof flags)[number]
    >,
  )

/** What has to change to get these flags. */
const differences = (after: Pick<Settings, (typeof flags)[number]>) => (now: Settings) =>
  ok(Object.fromEntries(flags.filter((name) => now[name] !== after[name]).map((name) => [name, after[name]])))
