// Builders for situations: small clusters said in a line, with everything a decision does not care about filled in.
import { SECOND } from '../../../lib/base/time.js'
import { judgeCluster } from '../../../lib/decide/judge.js'
import type { DecideSettings, Situation } from '../../../lib/decide/situation/situation.js'
import { freshMemory, type Memory } from '../../../lib/model/memory.js'
import type { Crash } from '../../../lib/model/operation/crash.js'
import type { Operation } from '../../../lib/model/operation/operation.js'
import { parsePosition, parseState } from '../../../lib/model/server/gtid.js'
import type { Rivalry } from '../../../lib/model/server/presence.js'
import type { Channel, GaleraState, GtidState, SemiSyncState, ServerState } from '../../../lib/model/server/reading.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ServerSnapshot, Snapshot } from '../../../lib/model/snapshot.js'

/** The instant all built situations are about. */
export const NOW = 1_000_000 * SECOND

export const settings: DecideSettings = {
  'db-servers-accept-unproven-keys': false,
  'db-servers-public-key-policy': 'first-use',
  'db-servers-public-keys': '',
  'db-servers-tls-ca-cert': '',
  'db-servers-tls-use-generated-cert': false,
  'monitoring-pause': false,
  'replication-source-timeout': 10,
  'monitoring-observe': false,
  'monitoring-ticker': 2,
  'monitoring-wait-retry': 60,
  'failcount-reset-time': 0,
  'failover-switch-to-prefered': false,
  'failover-divergent-data': true,
  'check-replication-filters': true,
  'check-binlog-filters': true,
  'check-grants': true,
  'monitoring-check-grants': true,
  'switchover-max-slave-delay': 0,
  'switchover-wait-kill': 5_000,
  'replication-restart-on-sqlerror-match': '',
  'autorejoin-script': '',
  'failover-mode': 'automatic',
  'failover-limit': 5,
  'failover-time-limit': 0,
  'failover-max-slave-delay': 30,
  'failover-at-sync': false,
  'durability-policy': 'observed',
  'failover-restart-unsafe': false,
  'failover-readonly-state': true,
  'failover-event-scheduler': false,
  'failover-event-status': false,
  'failover-pre-script': '',
  'failover-post-script': '',
  'failover-falsepositive-ping-counter': 5,
  'failover-falsepositive-heartbeat': true,
  'failover-falsepositive-heartbeat-timeout': 3,
  'failover-falsepositive-external': false,
  'check-replication-errant-trx': true,
  'check-replication-state': true,
  'force-slave-readonly': true,
  'force-slave-heartbeat': false,
  'force-slave-gtid-mode': false,
  'force-slave-gtid-mode-strict': false,
  'force-slave-semisync': false,
  'force-slave-idempotent': false,
  'force-slave-strict': false,
  'force-sync-binlog': false,
  'force-sync-innodb': false,
  'force-binlog-row': false,
  'force-binlog-annotate': false,
  'force-binlog-compress': false,
  'force-binlog-slowqueries': false,
  'monitoring-variable-diff': true,
  'monitoring-disk-usage': false,
  'monitoring-disk-usage-pct': 0,
  'force-binlog-checksum': false,
  'force-slave-heartbeat-time': 1,
  'force-slave-parallel-mode': '',
  'switchover-at-equal-gtid': false,
  'switchover-at-sync': false,
  'switchover-end-sessions': false,
  'switchover-unjudged-login': false,
  'replication-cleanup-force': false,
  'replication-ssl-ca': '',
  'replication-ssl-cert': '',
  'replication-ssl-key': '',
  'switchover-lower-release': false,
  'switchover-wait-write-query': 10,
  'switchover-wait-trx': 10,
  'replication-hosts': [],
  'replication-source-name': '',
  'replication-active-passive': false,
  'replication-multi-master': false,
  'replication-multi-master-ring': false,
  'replication-multi-tier-slave': false,
  'replication-master-slave-never-relay': true,
  autorejoin: true,
  'autorejoin-backup-binlog': true,
  'autorejoin-force-restore': false,
  'autorejoin-flashback': false,
}

export const semiSyncOff: SemiSyncState = {
  sourceEnabled: false,
  sourceActive: false,
  replicaEnabled: false,
  replicaActive: false,
  waitPoint: 'after-sync',
  timeoutMs: 10_000,
  waitsWithoutReplica: true,
  clients: 0,
  unacknowledged: 0,
}

export const acknowledgedSource = (clients = 1): SemiSyncState => ({
  ...semiSyncOff,
  sourceEnabled: true,
  sourceActive: true,
  clients,
})

export const acknowledgingReplica: SemiSyncState = { ...semiSyncOff, replicaEnabled: true, replicaActive: true }

/** `state` is a MariaDB binary log state such as `0-1-150`; `replica` the applied position. */
export function gtid(state: string, replica = ''): GtidState {
  const position = parsePosition([state, replica].filter(Boolean).join(','))
  return {
    enabled: true,
    strict: true,
    domain: 0,
    executed: position,
    byOrigin: parseState(state),
    text: { binlog: state, current: state, replica, executed: state },
  }
}

export interface StateDraft extends Partial<Omit<ServerState, 'gtid' | 'channels'>> {
  readonly executed?: string
  readonly replicaPosition?: string
  readonly gtid?: GtidState
  readonly channels?: readonly Channel[]
}

export function stateOf(
  number: number,
  { executed = '0-1-100', replicaPosition = '', ...rest }: StateDraft = {},
): ServerState {
  return {
    identity: { flavour: 'mariadb', version: { major: 10, minor: 11, patch: 6 }, versionText: '10.11.6-MariaDB' },
    serverNumber: number,
    readOnly: true,
    superReadOnly: false,
    eventScheduler: false,
    uptimeSeconds: 10_000,
    binlog: true,
    logReplicaUpdates: true,
    gtid: gtid(executed, replicaPosition),
    semiSync: semiSyncOff,
    channels: [],
    ...rest,
  }
}

export interface ChannelDraft extends Partial<Omit<Channel, 'received' | 'applied' | 'source'>> {
  readonly source: number
  readonly received?: string
  readonly applied?: string
}

/** A channel from db<source>; received and applied are positions such as `0-1-100`. */
export function channel({ source, received = '0-1-100', applied = received, ...rest }: ChannelDraft): Channel {
  return {
    name: '',
    source: { host: `db${source}`, port: 3306, serverNumber: source, user: 'repl' },
    io: 'running',
    sql: 'running',
    ioError: { code: 0, message: '' },
    sqlError: { code: 0, message: '' },
    lagSeconds: 0,
    received: parsePosition(received),
    applied: parsePosition(applied),
    heartbeats: 1,
    receivedMark: received,
    heartbeatPeriodSeconds: 1,
    usesGtid: true,
    delaySeconds: 0,
    sqlThreadState: '',
    readFile: 'bin.000001',
    readPosition: 1000,
    executedFile: 'bin.000001',
    executedPosition: 1000,
    relayLogBytes: 2000,
    ...rest,
  }
}

export type ServerDraft = Partial<ServerSnapshot>

/** db<number>, answering at NOW. */
export function server(number: number, draft: ServerDraft = {}): ServerSnapshot {
  return {
    id: `db${number}`,
    name: `db${number}`,
    host: `db${number}`,
    port: 3306,
    rating: 'unrated',
    maintenance: false,
    readOnlyIgnored: false,
    delaySeconds: 0,
    role: 'unknown',
    stateName: 'suspect',
    previousStateName: 'suspect',
    observation: 'answered',
    observedAt: NOW,
    probeMs: 1,
    failures: 0,
    refusals: 0,
    startedWithoutPrimary: false,
    stoppedOnRequest: false,
    stateAt: NOW,
    ...draft,
  }
}

/** A healthy, writable primary. */
export const primary = (number = 1, state: StateDraft = {}, draft: ServerDraft = {}): ServerSnapshot =>
  server(number, { state: stateOf(number, { readOnly: false, ...state }), writableAt: NOW, ...draft })

export const synced: GaleraState = {
  ...{ state: 'synced', ready: true, comment: 'Synced' },
  ...{ part: 'Primary', cluster: '6d1f5e8a-0000-11f1-9d3a-0242ac110002' },
}
export const donor: GaleraState = { ...synced, state: 'donor', comment: 'Donor/Desynced' }
export const joining: GaleraState = {
  ...synced,
  state: 'unsynced',
  ready: false,
  comment: 'Joining: receiving State Transfer',
}
/** It does not reach most of the others. */
export const alone: GaleraState = {
  ...synced,
  state: 'unsynced',
  ready: false,
  comment: 'Initialized',
  part: 'non-Primary',
}

/** A member of a Galera cluster that takes writes. */
export const member = (number: number, galera = synced, draft: ServerDraft = {}): ServerSnapshot =>
  primary(number, { galera }, draft)

export interface ReplicaDraft extends Partial<ChannelDraft> {
  readonly state?: StateDraft
  readonly server?: ServerDraft
}

/** A replica of db1 that received (and applied, unless given) `0-1-100`. */
export function replica(number: number, { state, server: draft, ...rest }: ReplicaDraft = {}): ServerSnapshot {
  const main = channel({ source: 1, ...rest })
  const applied = rest.applied ?? rest.received ?? '0-1-100'
  return server(number, {
    state: stateOf(number, { executed: applied, replicaPosition: applied, channels: [main], ...state }),
    arrivals: { '': { at: NOW, ...(main.lagSeconds === undefined ? {} : { lagSeconds: main.lagSeconds }) } },
    ...(state?.semiSync?.replicaActive ? { inSyncAt: NOW } : {}),
    ...draft,
  })
}

/** Refused twice, 50 ms apart, a moment ago. */
export const refused: ServerDraft = {
  observation: 'refused',
  observedAt: NOW - 10,
  stateAt: NOW - 200,
  failures: 2,
  failingSince: NOW - 70,
  refusals: 2,
  refusedSince: NOW - 70,
  error: { code: 'ECONNREFUSED', message: 'connection refused' },
}

/** No answer for `ms`. */
export const silent = (ms = 4 * SECOND): ServerDraft => ({
  observation: 'silent',
  observedAt: NOW,
  stateAt: NOW - ms - 100,
  failures: Math.floor(ms / 100),
  failingSince: NOW - ms,
  error: { code: 'timeout', message: 'no answer' },
})

/** The receiving thread lost its source and calls in vain. */
export const cutOff: Partial<ChannelDraft> = { io: 'connecting', ioError: { code: 2003, message: 'cannot connect' } }

/** Nothing came in for `ms`, by the probes. */
export const heardNothingFor = (ms: number): ServerDraft => ({ arrivals: { '': { at: NOW - ms } } })

export interface SituationDraft {
  readonly settings?: Partial<DecideSettings>
  readonly memory?: Partial<Memory>
  readonly operation?: Operation
  /** Another manager was seen before. */
  readonly rivalry?: Rivalry
  readonly lockedOut?: ServerId
  readonly now?: number
}

/** With the findings, which decisions do not read. */
export interface JudgedSituation extends Situation {
  readonly snapshot: Snapshot
}

/** The situation of these servers, judged as the manager would; db1 is remembered as the primary unless given. */
export function situation(servers: readonly ServerSnapshot[], draft: SituationDraft = {}): JudgedSituation {
  const now = draft.now ?? NOW
  const all = { ...settings, ...draft.settings }
  const met = draft.lockedOut === undefined ? {} : { lockedOut: draft.lockedOut }
  const { snapshot, memory } = judgeCluster({
    ...met,
    cluster: 'c1',
    servers,
    memory: { ...freshMemory, primary: 'db1', discovered: true, ...draft.memory },
    settings: all,
    now,
    ...(draft.operation ? { operation: draft.operation } : {}),
    ...(draft.rivalry ? { rivalry: draft.rivalry } : {}),
  })
  return { snapshot, settings: all, memory, now, ...met }
}

/** db1 was replaced by db2, which had `0-1-100`. */
export const crash = (draft: Partial<Crash> = {}): Crash => ({
  at: NOW - SECOND,
  oldPrimary: 'db1',
  newPrimary: 'db2',
  switchover: false,
  received: parsePosition('0-1-100'),
  byOrigin: parseState('0-1-100'),
  receivedText: '0-1-100',
  oldFile: 'bin.000001',
  oldPosition: 1000,
  newFile: 'bin.000001',
  newPosition: 1000,
  inSync: false,
  ...draft,
})

/** An operation that is running. */
export const running = (draft: Partial<Operation> = {}): Operation => ({
  id: 'switchover-1',
  kind: 'switchover',
  owner: 'ann',
  reason: 'asked',
  startedAt: NOW - SECOND,
  deadlineAt: NOW + SECOND,
  phase: 'running',
  steps: [],
  ...draft,
})
