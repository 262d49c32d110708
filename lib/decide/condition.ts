// What is said of a cluster and its servers in one word: defined here once, for findings, role checks, metrics, API and client.

import type { Finding } from '../model/finding.js'
import { findings as registry } from '../model/findings.js'
import type { Memory } from '../model/memory.js'
import { findServer, type Snapshot } from '../model/snapshot.js'
import { isReader, isValidReplica, isWriter } from './situation/validity.js'

export const isError = ({ code }: Finding): boolean => registry[code].severity === 'error'

/** Two servers take writes as primaries, or two managers of sites that are parted may both act. */
export const isSplitBrain = (findings: readonly Finding[]): boolean =>
  findings.some(({ code }) => code === 'WARN0079' || code === 'ERR00063')

export interface ClusterCondition {
  /** No error is open. */
  readonly running: boolean
  /** The primary answers and takes writes. */
  readonly up: boolean
  /** The topology is known, the primary is up, a replica may be read from, and no error is open. */
  readonly failable: boolean
  /** The primary is up, every other server outside of maintenance is a valid replica, and no error is open. */
  readonly healthy: boolean
  /** Why it is not healthy, a line each. */
  readonly faults: readonly string[]
}

/** `snapshot` with all its findings, those from outside of decisions as well. */
export function judgeCondition(
  snapshot: Pick<Snapshot, 'servers' | 'primary' | 'findings'>,
  { discovered }: Pick<Memory, 'discovered'>,
): ClusterCondition {
  const primary = findServer(snapshot, snapshot.primary)
  const errors = snapshot.findings.filter(isError)
  const running = errors.length === 0
  const up = primary !== undefined && isWriter(primary)
  const others = snapshot.servers.filter(({ id, maintenance }) => id !== primary?.id && !maintenance)
  const faults = [
    ...(snapshot.servers.length === 0 ? ['there is no server'] : []),
    ...(up ? [] : ['no primary is writable']),
    ...others
      .filter((server) => !isValidReplica(server))
      .map(({ name, stateName }) => `${name} is no valid replica: ${stateName}`),
    ...errors.map(({ code, detail }) => [code, registry[code].sentence, detail].filter(Boolean).join(' ')),
  ]
  return {
    running,
    up,
    failable: discovered && up && running && snapshot.servers.some((one) => one.id !== primary.id && isReader(one)),
    healthy: faults.length === 0,
    faults,
  }
}

interface Word {
  readonly word: string
  readonly means: string
  readonly seen: readonly string[]
}

/** Printed to share/doc/health.md. */
export const words: readonly Word[] = [
  {
    word: 'running',
    means: 'No finding of severity *error* is open.',
    seen: [
      '`GET C/status` (`running`, else `errors`)',
      '`manager-cli status --cluster C`',
      '`manager_cluster_findings{severity="error"}` is 0',
    ],
  },
  {
    word: 'up',
    means: 'The primary answers the latest probe, is not read-only, and is not in maintenance (Galera: it is ready).',
    seen: [
      '`manager_cluster_up`',
      '`isDown` of the cluster is false, `manager-cli cluster list` says so',
      '`uptime` of the cluster',
      '`GET C/health`: 200',
      'role checks of the primary (`is-master`, `/master-status`): 200 there, but while the role moves until the new primary is open',
    ],
  },
  {
    word: 'primary down',
    means:
      'No primary is known, or it has not answered `failover-falsepositive-ping-counter` probes in a row. The cluster is not *up* from the first of them on.',
    seen: ['`isMasterDown` of the cluster', 'state `Failed`', '`isClusterDown`: no server answers the latest probe'],
  },
  {
    word: 'valid replica',
    means:
      'It answers the latest probe, is not in maintenance, both replication threads run, it reaches its source (`replication-source-timeout`), and its lag is within `failover-max-slave-delay` where `check-replication-state` is on. While its source does not answer either, it remains one: what it has is all there is to read. Galera: it is synced.',
    seen: ['states `Slave` and `Relay`'],
  },
  {
    word: 'reader',
    means:
      'A *valid replica* that is not kept behind on purpose (a delay, by `replication-delayed-hosts` or set on the server itself).',
    seen: [
      'role checks of replicas (`is-slave`, `/replica`): 200; `?lag=` limits the lag for one check',
      '`/replica` of the health agent: 200, but while it does not reach its source',
      'proxies send reads there, unless it is in `db-servers-ignored-hosts`',
      'both also to a primary that is *up*, with `proxy-servers-read-on-master`, or with `proxy-servers-read-on-master-no-slave` while there is none',
      'ERR00085 when there is none',
    ],
  },
  {
    word: 'failable',
    means:
      'The topology was seen completely since the start, the cluster is *up* and *running*, and it has a *reader*.',
    seen: ['`isFailable` of the cluster', '`manager_cluster_failable`', '`uptimeFailable`'],
  },
  {
    word: 'healthy',
    means: 'The cluster is *up* and *running*, and every other server outside of maintenance is a *valid replica*.',
    seen: [
      '`isHealthy` of the cluster, `healthFaults` says why not',
      '`manager-cli wait --for healthy`',
      '`manager_cluster_healthy`',
    ],
  },
]
