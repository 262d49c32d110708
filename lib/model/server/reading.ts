// One probe of one server: the kind of answer and the state read. Plain data; created by lib/probe, used by lib/decide.
import type { GtidSet } from './gtid.js'
import type { Named } from './named.js'
import type { ServerId, ServerIdentity } from './server.js'
import type { FileSystem, LongSession } from './watched.js'

/**
 * answered: alive. refused: connection refused or reset, no process listens (strong evidence). silent: the deadline
 * passed (weak evidence, requires witnesses). rejected: login refused, too many connections: alive, never a reason to fail over.
 */
export type Observation = 'answered' | 'refused' | 'silent' | 'rejected'

export interface Reading {
  readonly server: ServerId
  /** `now()` when the probe ended. */
  readonly at: number
  readonly tookMs: number
  /** Of an answer: what reading the state alone took, without a login before it. Absent: as long as the probe. */
  readonly readMs?: number
  readonly observation: Observation
  /** Error text of the database or the operating system when it did not answer. */
  readonly error?: { readonly code: string; readonly message: string }
  /** Present when answered. */
  readonly state?: ServerState
}

/** What a fast probe reads: only what decisions need, in one round trip. */
export interface ServerState {
  readonly identity: ServerIdentity
  /** `@@server_id`; MySQL also has `uuid`. */
  readonly serverNumber: number
  readonly uuid?: string
  readonly readOnly: boolean
  readonly superReadOnly: boolean
  readonly eventScheduler: boolean
  /** Seconds since the server started; falls when it was restarted between two probes. */
  readonly uptimeSeconds: number
  readonly binlog: boolean
  readonly logReplicaUpdates: boolean
  readonly gtid: GtidState
  readonly semiSync: SemiSyncState
  /** Replication channels, empty when the server has no source. */
  readonly channels: readonly Channel[]
  /** Present on members of a Galera cluster, partitioned ones included. */
  readonly galera?: GaleraState
}

/** State that a member of a Galera cluster reports. */
export interface GaleraState {
  /** Complete; sending a state transfer; incomplete or partitioned. */
  readonly state: 'synced' | 'donor' | 'unsynced'
  /** It accepts statements, as a synced member or as a donor. */
  readonly ready: boolean
  /** `wsrep_local_state_comment`, such as `Synced`, `Donor/Desynced`, `Joining`. */
  readonly comment: string
  /** `wsrep_cluster_status`: `Primary`, `non-Primary`, `Disconnected`. */
  readonly part: string
  /** `wsrep_cluster_state_uuid`: members of one cluster have the same. */
  readonly cluster: string
}

export interface GtidState {
  /** GTID replication can be used: always on MariaDB 10+, `gtid_mode=ON` on MySQL. */
  readonly enabled: boolean
  readonly strict: boolean
  readonly domain: number
  /** By position (MariaDB: one stream per domain) – all transactions applied or written here. */
  readonly executed: GtidSet
  /** By origin (MariaDB `gtid_binlog_state`, MySQL same as executed): shows the originating server of each transaction. */
  readonly byOrigin: GtidSet
  /**
   * MySQL: transactions that are being committed, absent where there are none. One that waits for the acknowledgement of a replica
   * is in the binary log and on that replica, and not in `executed` yet (`gtid_owned`; MariaDB counts it as executed at once).
   */
  readonly committing?: GtidSet
  /** Executed or received, and brought only by a channel to another cluster: in none of the other sets. Absent where there is none. */
  readonly foreign?: GtidSet
  /** Texts as the server prints them, for messages and the API. */
  readonly text: {
    readonly binlog: string
    readonly current: string
    readonly replica: string
    readonly executed: string
  }
}

export interface SemiSyncState {
  /** Source side switched on; waits for acknowledgements when `sourceActive`. */
  readonly sourceEnabled: boolean
  readonly sourceActive: boolean
  readonly replicaEnabled: boolean
  readonly replicaActive: boolean
  readonly waitPoint: 'after-sync' | 'after-commit' | 'none'
  readonly timeoutMs: number
  /** Whether the source falls back to asynchronous when no replica is left (`wait_no_slave=OFF`). */
  readonly waitsWithoutReplica: boolean
  /** Connected semi-synchronous replicas. */
  readonly clients: number
  /** Transactions committed without acknowledgement since start (`no_tx`). */
  readonly unacknowledged: number
}

export type ThreadState = 'running' | 'connecting' | 'stopped'

/** Column of the replication status in lower case, such as `replicate_ignore_db` → what is set; never empty text. */
export type ReplicationFilters = Readonly<Record<string, string>>

/** What a replica shows and checks in TLS to its source: paths of files on its own host, as the server names them. */
export interface SourceFiles {
  readonly ca?: string
  readonly caPath?: string
  readonly cert?: string
  readonly key?: string
  readonly crl?: string
  readonly crlPath?: string
  readonly cipher?: string
  /** The name in the source's certificate is compared with its host. */
  readonly verify?: true
}

/** One replication channel of a replica. */
export interface Channel {
  /** MariaDB connection name, MySQL channel name; '' is the default. */
  readonly name: string
  readonly source: {
    readonly host: string
    readonly port: number
    readonly serverNumber: number
    readonly uuid?: string
    readonly user: string
    /** The connection uses TLS; absent when it does not. */
    readonly tls?: true
    /** Absent when it names none. */
    readonly tlsFiles?: SourceFiles
  }
  readonly io: ThreadState
  readonly sql: ThreadState
  readonly ioError: { readonly code: number; readonly message: string }
  readonly sqlError: { readonly code: number; readonly message: string }
  /** `Seconds_Behind_Master`; absent when NULL. */
  readonly lagSeconds?: number
  /** Everything received, applied or not: MariaDB Gtid_IO_Pos joined with the applied position; MySQL retrieved ∪ executed. */
  readonly received: GtidSet
  readonly applied: GtidSet
  /** Counter of heartbeats received; with `receivedMark` it shows whether the source still sends. */
  readonly heartbeats: number
  /** Changes whenever any event arrives (read position and received set as one text). */
  readonly receivedMark: string
  readonly heartbeatPeriodSeconds: number
  readonly usesGtid: boolean
  readonly delaySeconds: number
  /** What it does not replicate, or renames; absent when it replicates everything. */
  readonly filters?: ReplicationFilters
  readonly sqlThreadState: string
  /** Coordinates in the source's binary log, for crash records. */
  readonly readFile: string
  readonly readPosition: number
  readonly executedFile: string
  readonly executedPosition: number
  /** Disk space of its relay logs. */
  readonly relayLogBytes: number
}

/** The files of a server's binary log. */
export interface BinaryLogs {
  readonly count: number
  /** Its name; empty when there are none, or they could not be read. */
  readonly oldest: string
  /** Name and bytes, oldest first: the newest of many. */
  readonly files: readonly (readonly [name: string, bytes: number])[]
}

/** Privileges of an account. */
export interface HeldPrivileges {
  /** As GRANT takes it; '' for an account that does not exist. */
  readonly account: string
  /** `PRIVILEGE` of `*.*`, and `PRIVILEGE schema` of one schema, in upper case. */
  readonly names: readonly string[]
}

/** The name of an event of the event scheduler. */
export interface EventKey {
  readonly schema: string
  readonly name: string
}

/** An event, and the account that it runs as. */
export interface KnownEvent extends EventKey {
  /** `user@host` */
  readonly definer: string
  /** Its definer may write on a read-only server. */
  readonly privileged?: true
}

/** Access denied, account locked, password expired, no account for the host: https://mariadb.com/kb/en/mariadb-error-codes/. */
const denials: ReadonlySet<number> = new Set([1045, 1130, 1698, 1820, 1862, 3118, 4151])

/** Whether a server's error number says that it does not let an account in. */
export const isLoginDenied = (code: number): boolean => denials.has(code)

/** Whether an address that `replication-hosts` states leads to its server, as seen from the manager. */
export interface AddressProof {
  readonly host: string
  readonly port: number
  /** unknown: the manager gets no session there; replicas may. */
  readonly leads: 'there' | 'elsewhere' | 'unknown'
  /** Why not; empty where it leads there. */
  readonly message: string
}

/** What came of logging in with the replication account on a server that others are to replicate from. */
export interface SourceLogin {
  readonly at: number
  readonly user: string
  /** unknown: it failed in a way that says nothing about replicas. */
  readonly state: 'accepted' | 'denied' | 'unknown'
  /** The error; empty when accepted. */
  readonly message: string
  /** What makes it work: statements when denied, settings where the account requires more than the manager has. */
  readonly repair?: string
  /** No answer came, or no connection: another try may say more. */
  readonly unreached?: true
  /** Of the address that `replication-hosts` states for the server; absent where it states none. */
  readonly over?: AddressProof
  /** Its accounts are for other addresses than the manager's only, as they are where it is for the replicas. */
  readonly elsewhere?: true
  /** The account requires what the manager does not have to try with: a certificate, or TLS at all. Its password proves nothing then. */
  readonly requires?: 'certificate' | 'tls'
  /**
   * What decides over a login, of all accounts of that name, as a digest: equal where they are equal on two servers, and of no use to
   * anyone else. Absent where it could not be read.
   */
  readonly accounts?: string
}

/** What came of a login of the manager's own account beside the session that it keeps: what the sessions of an operation would meet. */
export interface FreshLogin {
  readonly at: number
  /** limited: the account may log in so many times an hour only (MAX_CONNECTIONS_PER_HOUR), so it is not tried by the clock. */
  readonly state: 'accepted' | 'failed' | 'limited'
  /** The error with its number, or the limit; empty when accepted. */
  readonly message: string
}

/** Why the role cannot be given up by a server whose `logFull` is set: what follows its name. */
export const LOG_FULL =
  'has a full disk with its binary log on it: a commit waits for space to write it, and ending it would leave transactions that no replica can get; free some space there first'

/** Sessions of clients that were seen in the same commit twice. */
export interface CommitWaits {
  readonly sessions: number
  /** How long the oldest of their statements has been running. */
  readonly seconds: number
}

/** The value of read_only of one moment, and what set it. */
export interface ReadOnlySet {
  readonly on: boolean
  /** A statement since the start of the server: what its next start has is not shown. */
  readonly byStatement: boolean
  /** What SET PERSIST has kept for the next start, before all option files; absent where it has nothing that decides. */
  readonly kept?: boolean
  /** MySQL: super_read_only of the same moment. */
  readonly superOn?: boolean
}

/** Additional values of a slow probe: for display, findings and the configurator. Names are in lower case. */
export interface SlowReading {
  readonly server: ServerId
  readonly at: number
  /** How long it took to read: it began so long before `at`. */
  readonly tookMs: number
  readonly variables: Named
  readonly status: Named
  readonly plugins: readonly {
    readonly name: string
    readonly status: string
    readonly type: string
    readonly library: string
  }[]
  readonly binlogFile: string
  readonly binlogPosition: number
  readonly binlogDoDb: string
  readonly binlogIgnoreDb: string
  readonly binlogs: BinaryLogs
  readonly dumpThreads: number
  /** Writes wait for free space, or the server cannot write temporary tables. */
  readonly diskFull?: true
  /** One of them is a commit that writes the binary log: others wait in their commit behind it. */
  readonly logFull?: true
  /** Commits that took seconds while nothing but the disk can hold them up; absent where there are none. */
  readonly commitWaits?: CommitWaits
  /** The performance schema keeps the latest statements (its consumer is switched on). */
  readonly statementHistory: boolean
  /** Clients whose statement runs for long; absent where they are not read. */
  readonly longStatements?: readonly LongSession[]
  /** Transactions that are open for long; absent where they are not read. */
  readonly openTransactions?: readonly LongSession[]
  /** File systems that the server lists; absent where they are not read, or the server has no such list. */
  readonly disks?: readonly FileSystem[]
  /** Absent before the first attempt, and without a replication account. */
  readonly sourceLogin?: SourceLogin
  /** Addresses of the host names by which this replica and the manager know its source; absent where they are the same, or none is a name. */
  readonly resolved?: Readonly<Record<string, readonly string[]>>
  /** Absent before the first, and where the latest one did not reach the server. */
  readonly freshLogin?: FreshLogin
  /** Of the manager's own account and of the replication account, when they could be read. */
  readonly grants?: { readonly own: HeldPrivileges; readonly replication: HeldPrivileges }
  /** Most sessions that the manager's own account may have there at once; absent where nothing limits them, or it was not read. */
  readonly sessionLimit?: number
  /** Of read_only: absent where it was not read. */
  readonly readOnlySet?: ReadOnlySet
  /** Enabled events, all of them; absent where they were not asked for, or could not be read as a whole. */
  readonly events?: readonly KnownEvent[]
}
