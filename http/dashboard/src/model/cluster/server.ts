// A server of a cluster as pages show it, from the server object of the interface.
import { type Fields, fieldsOf, listOf, nullable, numberOf, present, textOf, wireOf } from '../wire.js'

/** What a server is, independent of how it does. */
export type Role = 'primary' | 'replica' | 'relay' | 'member' | 'standalone' | 'unknown'

/** How it does, in the order of urgency from the end. */
export type Condition = 'well' | 'away' | 'late' | 'unsure' | 'error' | 'down'

export type Thread = 'running' | 'connecting' | 'stopped'

export interface Channel {
  /** Empty: the default one. */
  readonly name: string
  readonly sourceHost: string
  readonly sourcePort: string
  /** Id of the member that it names; absent for a source outside the cluster. */
  readonly source?: string
  readonly io: Thread
  readonly sql: Thread
  /** Seconds; absent where the database reports none. */
  readonly lag?: number
  readonly error?: string
}

export interface Server {
  readonly id: string
  readonly name: string
  readonly address: string
  readonly role: Role
  readonly condition: Condition
  /** The state in one or two words. */
  readonly word: string
  readonly channels: readonly Channel[]
  /** Seconds of the slowest channel that reports any. */
  readonly lag?: number
  readonly gtid?: string
  readonly readOnly?: boolean
  /** acknowledged: a commit waits for a replica; acknowledging: it acknowledges; off: configured, and not in force. */
  readonly semiSync?: 'acknowledged' | 'acknowledging' | 'off'
  readonly version?: string
  readonly queriesPerSecond?: number
  readonly connections?: number
  readonly probeMs?: number
  readonly error?: string
  readonly isMaintenance: boolean
  readonly isDelayed: boolean
  readonly rating?: 'preferred' | 'ignored'
  /** Its host needs a restart or a rebuild to be as configured. */
  readonly needs: readonly string[]
}

type State = readonly [word: string, condition: Condition, role?: Role]

const states: Readonly<Record<string, State>> = {
  Master: ['Primary', 'well', 'primary'],
  Slave: ['Replica', 'well', 'replica'],
  SlaveErr: ['Replication error', 'error', 'replica'],
  SlaveLate: ['Replica late', 'late', 'replica'],
  Relay: ['Relay', 'well', 'relay'],
  RelayErr: ['Relay error', 'error', 'relay'],
  RelayLate: ['Relay late', 'late', 'relay'],
  StandAlone: ['Standalone', 'unsure', 'standalone'],
  Wsrep: ['Synced', 'well', 'member'],
  WsrepDonor: ['Donor', 'late', 'member'],
  WsrepUnsync: ['Not synced', 'error', 'member'],
  Suspect: ['Suspect', 'unsure'],
  Failed: ['Down', 'down'],
  ErrorAuth: ['Login refused', 'error'],
  Maintenance: ['Maintenance', 'away'],
}

/** A state as it was recorded, in the words of pages. */
export function readState(state: string): Pick<Server, 'word' | 'condition'> {
  const [word, condition] = states[state] ?? [state || 'Not probed yet', 'unsure' as const]
  return { word, condition }
}

/** `topology/servers`. */
export function readServers(reply: unknown): readonly Server[] {
  const wires = listOf(wireOf<'GET /api/clusters/:cluster/topology/servers'>(reply))
  return wires.map((wire) => readServer(wire, (channel) => sourceIdOf(channel, wire, wires)))
}

/** The member that a channel reads from: by its address, else, where replicas reach it at another one, by the server_id that it gave. */
function sourceIdOf(channel: Fields, own: Fields, wires: readonly Fields[]): string | undefined {
  const [host, port] = [nullable(channel.masterHost), nullable(channel.masterPort)]
  const number = numberOf(channel.masterServerId) ?? 0
  const [named, ...more] = number > 0 ? wires.filter((wire) => wire.id !== own.id && wire.serverId === number) : []
  const found = wires.find((wire) => textOf(wire.host) === host && textOf(wire.port) === port)
  return textOf((found ?? (more.length > 0 ? undefined : named))?.id)
}

function readServer(wire: Fields, sourceId: (channel: Fields) => string | undefined): Server {
  const state = textOf(wire.state) ?? ''
  const [word, condition, ofState] = states[state] ?? [state || 'Not probed yet', 'unsure' as const]
  const channels = listOf(wire.replications).map((channel) => readChannel(channel, sourceId(channel)))
  const lags = channels.flatMap(({ lag }) => lag ?? [])
  const role: Role = wire.isMaster === true ? 'primary' : (ofState ?? roleBehind(wire, channels))
  return present<Server>({
    id: textOf(wire.id) ?? '',
    name: textOf(wire.name) ?? textOf(wire.url) ?? '',
    address: textOf(wire.url) ?? `${textOf(wire.host)}:${textOf(wire.port)}`,
    role,
    condition,
    word: condition === 'down' && role === 'primary' ? 'Primary down' : word,
    channels,
    lag: lags.length === 0 ? undefined : Math.max(...lags),
    gtid: positionOf(wire),
    readOnly: wire.readOnly === 'ON' ? true : wire.readOnly === 'OFF' ? false : undefined,
    semiSync: semiSyncOf(wire),
    version: versionOf(wire.dbVersion),
    queriesPerSecond: numberOf(wire.qps),
    connections: undefined,
    probeMs: numberOf(wire.probeMs),
    error: textOf(wire.lastError),
    isMaintenance: wire.isMaintenance === true,
    isDelayed: wire.isDelayed === true,
    rating: wire.prefered === true ? 'preferred' : wire.ignored === true ? 'ignored' : undefined,
    needs: needs.flatMap(([key, text]) => (wire[key] === true ? [text] : [])),
  })
}

const needs = [
  ['needRestart', 'restart'],
  ['needReprov', 'rebuild'],
  ['needConfigChange', 'new configuration'],
] as const

const roleBehind = (wire: Fields, channels: readonly Channel[]): Role =>
  wire.isRelay === true ? 'relay' : wire.isSlave === true || channels.length > 0 ? 'replica' : 'unknown'

const threads: Readonly<Record<string, Thread>> = { Yes: 'running', Connecting: 'connecting' }

function readChannel(wire: Fields, source: string | undefined): Channel {
  const sourceHost = nullable(wire.masterHost) ?? ''
  const sourcePort = nullable(wire.masterPort) ?? ''
  const lag = nullable(wire.secondsBehindMaster)
  return present<Channel>({
    name: nullable(wire.connectionName) ?? nullable(wire.channelName) ?? '',
    sourceHost,
    sourcePort,
    source,
    io: threads[nullable(wire.slaveIoRunning) ?? ''] ?? 'stopped',
    sql: threads[nullable(wire.slaveSqlRunning) ?? ''] ?? 'stopped',
    lag: lag === undefined ? undefined : Number(lag),
    error: nullable(wire.lastSqlError) || nullable(wire.lastIoError) || undefined,
  })
}

function semiSyncOf(wire: Fields): Server['semiSync'] {
  if (wire.semiSyncMasterStatus === true) return 'acknowledged'
  if (wire.semiSyncSlaveStatus === true) return 'acknowledging'
  return wire.haveSemiSync === true ? 'off' : undefined
}

function versionOf(wire: unknown): string | undefined {
  const { flavor, major, minor, release } = fieldsOf(wire)
  return textOf(flavor) === undefined ? undefined : `${flavor} ${major}.${minor}.${release}`
}

/** `0-1-4711`, or the executed set of MySQL. */
function positionOf(wire: Fields): string | undefined {
  const gtids = listOf(wire.currentGtid).length > 0 ? listOf(wire.currentGtid) : listOf(wire.slaveGtid)
  const text = gtids.map(({ domainId, serverId, seqNo }) => `${domainId}-${serverId}-${seqNo}`).join(',')
  return text === '' ? textOf(wire.gtidExecuted) : text
}
