// The wire's objects and words as far as the client reads them: nothing else in the client spells them.

import type { Alert, Cluster, Process, Server } from './api/generated.js'
import type { Address, Loose } from './api/types.js'

type Known = 'id' | 'name' | 'host' | 'port' | 'state' | 'failCount' | 'readOnly' | 'isMaintenance' | 'prefered'
type Shown = 'ignored' | 'semiSyncMasterStatus' | 'semiSyncSlaveStatus' | 'replicationHealth'
type Optional = 'lastError' | 'haveBinlog' | 'dbVersion' | 'currentGtid' | 'gtidExecuted' | 'replications' | 'serverId'

/** The fields of a server's wire form that the client reads. */
export type WireServer = Pick<Server, Known | Shown> & Loose<Pick<Server, Optional>>

/** The fields of a cluster's wire form that the client reads: why it is not healthy among them. */
export type WireCluster = Loose<Pick<Cluster, 'topology' | 'config' | 'isHealthy' | 'healthFaults'>>

/** An open finding. Of the alerts of several clusters it names the cluster; empty for those of the manager itself. */
export type WireAlert = Pick<Alert, 'number' | 'desc'> &
  Loose<Pick<Alert, 'hint' | 'server'>> & { readonly cluster?: string | undefined }

export interface WireAlerts {
  readonly errors: readonly WireAlert[]
  readonly warnings: readonly WireAlert[]
}

/** Grade of a state: `good` are a primary and the states of a valid replica (share/doc/health.md); `odd` is neither good nor bad. */
export function gradeState(state: string): 'good' | 'bad' | 'odd' {
  if (['Master', 'Slave', 'Relay', 'Wsrep'].includes(state)) return 'good'
  return ['Failed', 'ErrorAuth', 'SlaveErr', 'RelayErr', 'WsrepUnsync'].includes(state) ? 'bad' : 'odd'
}

/** A primary that is not *up*: no client can write to it. */
export const isClosedPrimary = ({ state, readOnly }: WireServer): boolean => state === 'Master' && readOnly === 'ON'

/** Whether a server answered the manager's last probe. */
export const answers = ({ state }: WireServer): boolean => !['Failed', 'Suspect', 'ErrorAuth'].includes(state)

/** Seconds behind the source: undefined for a server that follows none, null when the database does not report it. */
export function lagOf({ replications = [] }: WireServer): number | null | undefined {
  const [channel] = replications
  if (!channel) return undefined
  return channel.secondsBehindMaster?.Valid ? channel.secondsBehindMaster.Int64 : null
}

/** The same as text: `3 s`, `?` when the database does not report it, `-` for a server that follows none. */
export function lagText(server: WireServer): string {
  const lag = lagOf(server)
  if (lag === undefined) return '-'
  return lag === null ? '?' : `${lag} s`
}

/** Host and port of the source that a server reads from; undefined for one that follows none. */
export function sourceOf({ replications = [] }: WireServer): Pick<WireServer, 'host' | 'port'> | undefined {
  const [channel] = replications
  const [host, port] = [channel?.masterHost?.String, channel?.masterPort?.String]
  return host === undefined || host === '' || port === undefined ? undefined : { host, port }
}

/** The member that a server reads from: by its address, else, where replicas reach it at another one, by the server_id that it gave. */
export function memberAbove(server: WireServer, servers: readonly WireServer[]): WireServer | undefined {
  const source = sourceOf(server)
  if (!source) return undefined
  const number = server.replications?.[0]?.masterServerId ?? 0
  const [named, ...more] =
    number > 0 ? servers.filter(({ id, serverId }) => id !== server.id && serverId === number) : []
  return (
    servers.find(({ host, port }) => host === source.host && port === source.port) ??
    (more.length > 0 ? undefined : named)
  )
}

export const addressText = ({ host, port }: Pick<WireServer, 'host' | 'port'>): string => `${host}:${port}`

/** On which side a server takes part in semi-synchronous replication. */
export function semiSyncOf(server: WireServer): 'source' | 'replica' | 'off' {
  if (server.semiSyncMasterStatus) return 'source'
  return server.semiSyncSlaveStatus ? 'replica' : 'off'
}

/** The position a server has executed; '' when it reports none. */
export const positionOf = ({ currentGtid = [], gtidExecuted = '' }: WireServer): string =>
  currentGtid.map(({ domainId, serverId, seqNo }) => `${domainId}-${serverId}-${seqNo}`).join(',') || gtidExecuted

/** The field of requests that names the server which is to become the primary. */
export const candidateField = 'prefmaster'

/** A form with that field. */
export const candidateForm = (candidate: string | undefined): { readonly prefmaster?: string } =>
  candidate === undefined ? {} : { [candidateField]: candidate }

/** What `show` can print of a cluster, and where it is read. */
export const showTopics = {
  settings: 'GET /api/clusters/:cluster/settings',
  servers: 'GET /api/clusters/:cluster/topology/servers',
  master: 'GET /api/clusters/:cluster/topology/master',
  slaves: 'GET /api/clusters/:cluster/topology/slaves',
  crashes: 'GET /api/clusters/:cluster/topology/crashes',
  alerts: 'GET /api/clusters/:cluster/topology/alerts',
} as const satisfies Readonly<Record<string, Address>>

export type ShowTopic = keyof typeof showTopics

/** The fields of a thread of the process list that the client reads. */
export type WireThread = Pick<Process, 'user' | 'command'> & Loose<Pick<Process, 'info'>>

/** A statement of a client: replication, the database itself and the read of the list are none. */
export const isOfClient = ({ user, command, info }: WireThread): boolean =>
  !['system user', 'event_scheduler'].includes(user) &&
  !/^(Sleep|Binlog Dump|Slave_|Daemon|Connect)/.test(command) &&
  !JSON.stringify(info ?? '').includes('PROCESSLIST')
