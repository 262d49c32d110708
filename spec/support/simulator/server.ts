// A database server of the simulated cluster: an ordered log, a relay log, two threads, flags. No time, no network.
import type { GtidSet } from '../../../lib/model/server/gtid.js'
import { namedOf } from '../../../lib/model/server/named.js'
import type { Channel, ServerState, SlowReading } from '../../../lib/model/server/reading.js'
import { channel, gtid, semiSyncOff, stateOf } from './situation.js'

export interface Transaction {
  readonly origin: number
  readonly sequence: number
  /** Which write it is: servers do not see it, and a name may be given twice. */
  readonly write: number
  /** It enables the event: a replica that applies it has the event of a replica from then on. */
  readonly enables?: true
}

export interface Link {
  source: number
  io: Channel['io']
  sql: Channel['sql']
  ioCode: number
  sqlCode: number
  relay: Transaction[]
  heartbeats: number
}

/** Everything that changes about a server; the world changes it. */
export interface SimulatedServer {
  readonly number: number
  up: boolean
  hung: boolean
  readOnly: boolean
  /** What its own file says: it comes back so after a restart. */
  readOnlyByFile: boolean
  frozen: boolean
  /** The running manager has sent it the order to take writes. */
  ordered: boolean
  startedAt: number
  log: Transaction[]
  link: Link | undefined
  sourceEnabled: boolean
  replicaEnabled: boolean
  /** Transactions applied per step; 0 holds the applier. */
  applyRate: number
  /** It keeps what it wrote itself when its source sends it back; servers drop that. */
  keepsOwn: boolean
  /** Its event scheduler is on. */
  scheduler: boolean
  /** What its own file says of that. */
  schedulerByFile: boolean
  /** An event of root is enabled, and not a copy of that of a source; undefined: it has none. */
  event: 'enabled' | 'dormant' | undefined
}

export const idOf = (number: number): string => `db${number}`
export const numberOf = (id: string): number => Number(id.slice(2))

export const newServer = (number: number, startedAt: number): SimulatedServer => ({
  number,
  up: true,
  hung: false,
  readOnly: true,
  readOnlyByFile: true,
  frozen: false,
  ordered: false,
  startedAt,
  log: [],
  link: undefined,
  sourceEnabled: false,
  replicaEnabled: false,
  applyRate: Number.POSITIVE_INFINITY,
  keepsOwn: false,
  scheduler: false,
  schedulerByFile: false,
  event: undefined,
})

export const newLink = (source: number): Link => ({
  source,
  io: 'running',
  sql: 'running',
  ioCode: 0,
  sqlCode: 0,
  relay: [],
  heartbeats: 0,
})

const lastOf = (log: readonly Transaction[]): Transaction | undefined => log.at(-1)

/** By name, as servers compare. */
export const same = (a: Transaction | undefined, b: Transaction | undefined): boolean =>
  a?.origin === b?.origin && a?.sequence === b?.sequence

export const nameOf = ({ origin, sequence }: Transaction): string => `0-${origin}-${sequence}`

const position = (log: readonly Transaction[]): string => {
  const last = lastOf(log)
  return last ? nameOf(last) : ''
}

/** The latest of each origin, as a binary log state. */
const binlogState = (log: readonly Transaction[]): string =>
  [...new Map(log.map((one) => [one.origin, one])).values()].map(nameOf).join(',')

export interface Surroundings {
  readonly now: number
  /** Semi-synchronous replicas that are connected to it. */
  readonly clients: number
}

/** What a probe reads of it. */
export function readState(server: SimulatedServer, { now, clients }: Surroundings): ServerState {
  const { link, log } = server
  const applied = position(log)
  return stateOf(server.number, {
    readOnly: server.readOnly,
    eventScheduler: server.scheduler,
    uptimeSeconds: Math.floor((now - server.startedAt) / 1000),
    gtid: gtid(binlogState(log), applied),
    semiSync: {
      ...semiSyncOff,
      sourceEnabled: server.sourceEnabled,
      sourceActive: server.sourceEnabled,
      replicaEnabled: server.replicaEnabled,
      replicaActive: server.replicaEnabled && link?.io === 'running',
      clients,
    },
    channels: link ? [readLink(link, log)] : [],
  })
}

function readLink(link: Link, log: readonly Transaction[]): Channel {
  const received = position([...log, ...link.relay])
  return channel({
    source: link.source,
    received,
    applied: position(log),
    io: link.io,
    sql: link.sql,
    ioError: { code: link.ioCode, message: link.ioCode === 0 ? '' : refusalOf(link.ioCode, received) },
    sqlError: { code: link.sqlCode, message: link.sqlCode === 0 ? '' : `error ${link.sqlCode}` },
    heartbeats: link.heartbeats,
    receivedMark: received,
    lagSeconds: link.relay.length > 0 ? 1 : 0,
  })
}

/** A source names the position that it refuses. */
const refusalOf = (code: number, received: string): string =>
  code === 1236 ? `error 1236: GTID ${received} is not in the binary log` : `error ${code}`

const READ_MS = 1

/** What a slow probe reads of it that decides anything. */
export const readSlowly = ({ number, event }: SimulatedServer, now: number): SlowReading => ({
  ...{
    server: idOf(number),
    at: now,
    tookMs: READ_MS,
    variables: namedOf([]),
    status: namedOf([]),
    plugins: [],
    statementHistory: false,
  },
  ...{ binlogFile: '', binlogPosition: 0, binlogDoDb: '', binlogIgnoreDb: '', dumpThreads: 0 },
  binlogs: { count: 0, oldest: '', files: [] },
  events: event === 'enabled' ? [{ schema: 'app', name: 'tick', definer: 'root@%', privileged: true }] : [],
})

/** For comparing servers in claims. */
export const holdings = ({ log }: SimulatedServer): readonly string[] => log.map(nameOf)

export type { GtidSet }
