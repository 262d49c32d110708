// What the cluster object says beside its servers: its form, its policies, its figures.
import { fieldsOf, numberOf, present, textOf, wireOf } from '../wire.js'

export interface ClusterFacts {
  readonly name: string
  readonly topology?: string
  readonly durability?: string
  readonly failoverMode?: string
  readonly isPaused: boolean
  /** The manager reads it and never changes it. */
  readonly isObserved: boolean
  /** Whether replicas may replicate from replicas. */
  readonly allowsTiers?: boolean
  readonly failovers?: number
  readonly lastFailoverAt?: number
  readonly uptime?: string
  readonly queriesPerSecond?: number
  readonly connections?: number
  readonly orchestrator?: string
  /** One of several managers is in charge: this one only watches. */
  readonly isPassive: boolean
}

const topologies: Readonly<Record<string, string>> = {
  'master-slave': 'Primary and replicas',
  'multi-tier-slave': 'Replicas of replicas',
  'multi-master': 'Two primaries',
  'multi-master-ring': 'Ring',
  'multi-master-wsrep': 'Galera',
  'multi-master-grprep': 'Group replication',
  'active-passive': 'Active and passive',
}

const durabilities: Readonly<Record<string, string>> = {
  observed: 'Observed: nothing is promised',
  lossless: 'Lossless: every commit waits for a replica',
  'semi-sync': 'Semi-sync: a commit waits for a replica until its timeout',
  async: 'Asynchronous: no commit waits',
}

export function readCluster(reply: unknown): ClusterFacts | undefined {
  const wire = fieldsOf(wireOf<'GET /api/clusters/:cluster'>(reply))
  const name = textOf(wire.name)
  if (name === undefined) return undefined
  const config = fieldsOf(wire.config)
  const load = fieldsOf(wire.workLoad)
  const last = numberOf(wire.failoverLastTime) ?? 0
  const durability = textOf(config.durabilityPolicy)
  return present<ClusterFacts>({
    name,
    topology: topologies[textOf(wire.topology) ?? ''],
    durability: durability && (durabilities[durability] ?? durability),
    failoverMode: textOf(config.failoverMode),
    isPaused: config.monitoringPause === true,
    isObserved: config.monitoringObserve === true,
    allowsTiers: typeof config.replicationMultiTierSlave === 'boolean' ? config.replicationMultiTierSlave : undefined,
    failovers: numberOf(wire.failoverCounter),
    lastFailoverAt: last > 0 ? last * 1_000 : undefined,
    uptime: textOf(wire.uptime),
    queriesPerSecond: numberOf(load.qps),
    connections: numberOf(load.connections),
    orchestrator: textOf(config.provOrchestrator),
    isPassive: wire.activePassiveStatus === 'S',
  })
}
