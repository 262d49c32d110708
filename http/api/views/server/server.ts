// One server as clients read it; `port` is text there, and flags stand beside the texts they are derived from.

import type { Need } from '../../../../actors/protocol/manager/face.js'
import { isKeptBehind } from '../../../../lib/decide/situation/validity.js'
import { textOf } from '../../../../lib/model/server/named.js'
import type { BinaryLogs } from '../../../../lib/model/server/reading.js'
import { addressText } from '../../../../lib/model/server/server.js'
import type { SlowSettings } from '../../../../lib/model/server/server-act.js'
import { findServer, mainChannel, type ServerSnapshot, type Topology } from '../../../../lib/model/snapshot.js'
import { stateTexts } from '../../../../lib/model/wire.js'
import { renderLastBackups } from '../kit/backup-record.js'
import { gtidList } from '../kit/gtid-list.js'
import type { ViewInput } from '../kit/input.js'
import { join } from '../kit/join.js'
import { renderErrorLog } from './live.js'
import { renderChannel } from './replication.js'
import { haveFlags, healthText, replicationTags } from './replication-words.js'
import { isInPrimaryPart, renderServerRest } from './server-rest.js'

/** The server object of `topology/servers`, `topology/slaves` and `topology/master`. */
export const renderServer = (server: ServerSnapshot, input: ViewInput) =>
  join(
    renderServerRest(server, input.snapshot),
    { lastBackupMeta: renderLastBackups(server.id, input.backups) },
    identity(server, input),
    condition(server, input),
    replication(server),
    positions(server),
    variables(server),
    haveFlags(server),
    needFlags(input.needs?.[server.id] ?? []),
    capture(input.memory.captures?.[server.id]),
  )

export const renderServers = (input: ViewInput) => input.snapshot.servers.map((server) => renderServer(server, input))

/** Current replicas, relays among them. */
export const renderSlaves = (input: ViewInput) =>
  input.snapshot.servers.filter(isFollower).map((server) => renderServer(server, input))

/** Members of the part of a Galera cluster that takes writes count as such, but for the one that they are sent to. */
const isFollower = (server: ServerSnapshot): boolean =>
  server.role === 'replica' || server.role === 'relay' || (server.role === 'member' && isInPrimaryPart(server))

/** The master by belief, also while it is down; null when there is none. */
export function renderMaster(input: ViewInput) {
  const primary = findServer(input.snapshot, input.snapshot.primary)
  return primary ? renderServer(primary, input) : null
}

/** What its slow log was set to before every statement was captured there. */
const capture = (before: SlowSettings | undefined) => ({
  longQueryTimeSaved: before === undefined ? '' : `${before.seconds}`,
  slowQueryCapture: before !== undefined,
  inCaptureMode: before !== undefined,
  IsInSlowQueryCapture: before !== undefined,
})

const flavourTexts = { mariadb: 'MariaDB', mysql: 'MySQL', percona: 'Percona' } as const

const identity = (server: ServerSnapshot, { workingDirectory }: ViewInput) => ({
  id: server.id,
  name: server.name,
  host: server.host,
  port: `${server.port}`,
  url: addressText(server),
  datadir: `${workingDirectory}/${server.host}_${server.port}`,
  dbVersion: dbVersion(server),
  domainId: server.state?.gtid.domain ?? 0,
  serverId: server.state?.serverNumber ?? 0,
  uuid: server.state?.uuid ?? '',
})

function dbVersion({ state }: ServerSnapshot) {
  if (!state) return { flavor: '', major: 0, minor: 0, release: 0, suffix: '', dist: null, path: '' }
  const { flavour, version, versionText } = state.identity
  const suffix = versionText.includes('-') ? versionText.slice(versionText.indexOf('-') + 1) : ''
  const { major, minor, patch: release } = version
  return { flavor: flavourTexts[flavour], major, minor, release, suffix, dist: null, path: '' }
}

/** Where more than one server could take writes, the one that they are sent to is a master by agreement only. */
const severalWrite: ReadonlySet<Topology> = new Set<Topology>(['multi-primary', 'ring', 'galera'])

/** Failed probes in a row, until so many that the server is down: those of a server that is known to be down follow each other fast. */
const countedFailures = (
  { failures }: ServerSnapshot,
  { failoverFalsePositivePingCounter: most }: ViewInput['config'],
) => (typeof most === 'number' ? Math.min(failures, Math.max(1, most)) : failures)

const condition = (server: ServerSnapshot, { snapshot, queryRates, lastReads, config }: ViewInput) => ({
  state: stateTexts[server.stateName],
  prevState: stateTexts[server.previousStateName],
  failCount: countedFailures(server, config),
  failSuspectHeartbeat: server.stateName === 'suspect' ? countedFailures(server, config) : 0,
  lastError: server.error?.message ?? '',
  errorLog: renderErrorLog(lastReads?.get(server.id)?.errorLog ?? [], addressText(server)),
  probeMs: Math.round(server.probeMs * 1000) / 1000,
  prefered: server.rating === 'preferred',
  ignored: server.rating === 'ignored',
  ignoredRO: server.readOnlyIgnored,
  isMaintenance: server.maintenance,
  isMaster: server.id === snapshot.primary,
  isVirtualMaster: server.id === snapshot.primary && severalWrite.has(snapshot.topology),
  isSlave: isFollower(server),
  isRelay: server.role === 'relay',
  isDelayed: server.delaySeconds > 0 || isKeptBehind(server),
  haveNoMasterOnStart: server.startedWithoutPrimary,
  stoppedOnRequest: server.stoppedOnRequest,
  replicationHealth: healthText(server, snapshot.operation?.kind === 'failover'),
  qps: Math.round(queryRates?.[server.id] ?? 0),
})

function replication(server: ServerSnapshot) {
  const { state } = server
  const answers = server.observation === 'answered'
  const mariadb = state?.identity.flavour === 'mariadb'
  const replications = state ? state.channels.map((channel) => renderChannel(channel, state)) : []
  const own = mainChannel(server)
  return {
    readOnly: state === undefined ? '' : state.readOnly ? 'ON' : 'OFF',
    superReadOnly: state === undefined ? '' : state.superReadOnly ? 'ON' : 'OFF',
    haveReadOnly: state?.readOnly ?? false,
    eventScheduler: state?.eventScheduler ?? false,
    replications,
    lastSeenReplications: replications,
    ioGtid: mariadb ? gtidList(own ? renderChannel(own, state).gtidIoPos.String : '') : [],
    replicationSourceName: mainChannel(server)?.name ?? '',
    replicationTags: replicationTags(server),
    haveBinlog: state?.binlog ?? false,
    HaveBinlogSlaveUpdates: state?.logReplicaUpdates ?? false,
    haveGtidStrictMode: state?.gtid.strict ?? false,
    haveMariadbGtid: mariadb && state.gtid.enabled,
    haveMysqlGtid: state !== undefined && !mariadb && state.gtid.enabled,
    haveSemiSync: (state?.semiSync.sourceEnabled || state?.semiSync.replicaEnabled) ?? false,
    semiSyncMasterStatus: answers && state?.semiSync.sourceActive === true,
    semiSyncSlaveStatus: answers && state?.semiSync.replicaActive === true,
  }
}

function positions({ state, slow }: ServerSnapshot) {
  const mariadb = state?.identity.flavour === 'mariadb'
  const { binlogs = noBinlogs } = slow ?? {}
  const list = (text: string | undefined) => (mariadb ? gtidList(text ?? '') : [])
  return {
    currentGtid: list(state?.gtid.text.current),
    slaveGtid: list(state?.gtid.text.replica),
    gtidBinlogPos: list(state?.gtid.text.binlog),
    gtidExecuted: mariadb ? '' : (state?.gtid.text.executed ?? ''),
    binaryLogFile: slow?.binlogFile ?? '',
    binaryLogPos: slow ? `${slow.binlogPosition}` : '',
    binaryLogFileOldest: binlogs.oldest,
    binaryLogFilesCount: binlogs.count,
    binaryLogFilePrevious: binlogs.files.at(-2)?.[0] ?? '',
    binaryLogFiles: Object.fromEntries(binlogs.files),
    relayLogSize: state?.channels.reduce((sum, { relayLogBytes }) => sum + relayLogBytes, 0) ?? 0,
    binlogDumpThreads: slow?.dumpThreads ?? 0,
    masterStatus: {
      file: slow?.binlogFile ?? '',
      position: slow?.binlogPosition ?? 0,
      binlogDoDB: slow?.binlogDoDb ?? '',
      binlogIgnoreDB: slow?.binlogIgnoreDb ?? '',
    },
  }
}

const noBinlogs: BinaryLogs = { count: 0, oldest: '', files: [] }

function variables({ slow }: ServerSnapshot) {
  const value = (name: string): string => textOf(slow?.variables, name) ?? ''
  return {
    strict: value('gtid_strict_mode'),
    longQueryTime: value('long_query_time'),
    slowQueryLog: value('slow_query_log'),
    logOutput: value('log_output'),
    hostname: value('hostname'),
    slaveVariables: {
      slaveParallelMaxQueued: Number(value('slave_parallel_max_queued')),
      slaveParallelMode: value('slave_parallel_mode'),
      slaveParallelThreads: Number(value('slave_parallel_threads')),
      slaveParallelWorkers: Number(value('slave_parallel_workers') || value('replica_parallel_workers')),
      slaveTypeConversions: value('slave_type_conversions'),
    },
  }
}

const needFlags = (needs: readonly Need[]) => ({
  needProvision: needs.includes('prov'),
  needUnprovision: needs.includes('unprov'),
  needRestart: needs.includes('restart'),
  needReprov: needs.includes('reprov'),
  needConfigChange: needs.includes('config-change'),
  needStart: needs.includes('start'),
  needStop: needs.includes('stop'),
})
