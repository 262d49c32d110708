// The wire's objects and words as far as the client reads them: nothing else in the client spells them.

interface NullNumber {
  readonly Int64: number
  readonly Valid: boolean
}

interface NullText {
  readonly String: string
  readonly Valid: boolean
}

/** The fields of a server's wire form that the client reads. */
export interface WireServer {
  readonly id: string
  readonly name: string
  readonly host: string
  readonly port: string
  readonly state: string
  readonly failCount: number
  readonly readOnly: string
  readonly isMaintenance: boolean
  readonly prefered: boolean
  readonly ignored: boolean
  readonly semiSyncMasterStatus: boolean
  readonly semiSyncSlaveStatus: boolean
  readonly replicationHealth: string
  readonly lastError?: string
  readonly haveBinlog?: boolean
  readonly dbVersion?: {
    readonly flavor?: string
    readonly major?: number
    readonly minor?: number
    readonly release?: number
  }
  readonly currentGtid?: readonly { readonly domainId: number; readonly serverId: number; readonly seqNo: number }[]
  readonly gtidExecuted?: string
  readonly replications?: readonly {
    readonly masterHost?: NullText
    readonly masterPort?: NullText
    readonly secondsBehindMaster?: NullNumber
  }[]
}

/** The fields of a cluster's wire form that the client reads. */
export interface WireCluster {
  readonly name: string
  readonly topology?: string
  readonly config?: {
    readonly failoverMode?: string
    readonly failoverReadOnlyState?: boolean
    readonly monitoringObserve?: boolean
    readonly monitoringPause?: boolean
  }
  readonly isHealthy?: boolean
  /** Why it is not healthy. */
  readonly healthFaults?: readonly string[]
}

export interface WireAlert {
  /** Of the alerts of several clusters; empty for those of the manager itself. */
  readonly cluster?: string
  readonly number: string
  readonly desc: string
  readonly hint?: string
  /** Name of the server that it concerns. */
  readonly server?: string
}

export interface WireAlerts {
  readonly errors: readonly WireAlert[]
  readonly warnings: readonly WireAlert[]
}

/** Grade of a state; `odd` is neither good nor bad. */
export function gradeState(state: string): 'good' | 'bad' | 'odd' {
  if (['Master', 'Slave', 'Relay'].includes(state)) return 'good'
  return ['Failed', 'ErrorAuth', 'SlaveErr', 'RelayErr'].includes(state) ? 'bad' : 'odd'
}

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

export const addressText = ({ host, port }: Pick<WireServer, 'host' | 'port'>): string => `${host}:${port}`

/** On which side a server takes part in semi-synchronous replication. */
export function semiSyncOf(server: WireServer): 'source' | 'replica' | 'off' {
  if (server.semiSyncMasterStatus) return 'source'
  return server.semiSyncSlaveStatus ? 'replica' : 'off'
}

/** The position a server has executed; '' when it reports none. */
export const positionOf = ({ currentGtid = [], gtidExecuted = '' }: WireServer): string =>
  currentGtid.map(({ domainId, serverId, seqNo }) => `${domainId}-${serverId}-${seqNo}`).join(',') || gtidExecuted

/** The field that names the server which is to become the primary. */
export const candidateForm = (candidate: string | undefined): Readonly<Record<string, string>> =>
  candidate === undefined ? {} : { prefmaster: candidate }

/** Path of something of a cluster; every part may hold any character. */
export const clusterPath = (cluster: string, ...parts: readonly string[]): `/${string}` =>
  `/api/clusters/${[cluster, ...parts].map(encodeURIComponent).join('/')}`

/** What `show` can print of a cluster, and its path. */
export const showTopics = {
  settings: ['settings'],
  servers: ['topology', 'servers'],
  master: ['topology', 'master'],
  slaves: ['topology', 'slaves'],
  crashes: ['topology', 'crashes'],
  alerts: ['topology', 'alerts'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type ShowTopic = keyof typeof showTopics

/** The fields of a thread of the process list that the client reads. */
export interface WireThread {
  readonly user: string
  readonly command: string
  readonly info?: unknown
}

/** A statement of a client: replication, the database itself and the read of the list are none. */
export const isOfClient = ({ user, command, info }: WireThread): boolean =>
  !['system user', 'event_scheduler'].includes(user) &&
  !/^(Sleep|Binlog Dump|Slave_|Daemon|Connect)/.test(command) &&
  !JSON.stringify(info ?? '').includes('PROCESSLIST')
