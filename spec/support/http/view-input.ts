// A small healthy cluster as the views see it: one primary, two replicas, all of it changeable.
import type { ViewInput } from '../../../http/api/views/kit/input.js'
import { freshFigures } from '../../../lib/metrics/figures.js'
import { freshMemory } from '../../../lib/model/memory.js'
import { parsePosition, parseState } from '../../../lib/model/server/gtid.js'
import { named } from '../../../lib/model/server/named.js'
import type { Channel, ServerState, SlowReading } from '../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import { fleetRowOf } from './fleet-rows.js'

export const channel = (changes: Partial<Channel> = {}): Channel => ({
  name: '',
  source: { host: 'db1', port: 3306, serverNumber: 1, user: 'repl' },
  io: 'running',
  sql: 'running',
  ioError: { code: 0, message: '' },
  sqlError: { code: 0, message: '' },
  lagSeconds: 0,
  received: parsePosition('0-1-150'),
  applied: parsePosition('0-1-150'),
  heartbeats: 7,
  receivedMark: 'binlog.000001:400',
  heartbeatPeriodSeconds: 1,
  usesGtid: true,
  delaySeconds: 0,
  sqlThreadState: 'Slave has read all relay log',
  readFile: 'binlog.000001',
  readPosition: 400,
  executedFile: 'binlog.000001',
  executedPosition: 400,
  relayLogBytes: 900,
  ...changes,
})

export const serverState = (changes: Partial<ServerState> = {}): ServerState => ({
  identity: {
    flavour: 'mariadb',
    version: { major: 10, minor: 11, patch: 6 },
    versionText: '10.11.6-MariaDB-log',
  },
  serverNumber: 1,
  readOnly: false,
  superReadOnly: false,
  eventScheduler: false,
  uptimeSeconds: 100,
  binlog: true,
  logReplicaUpdates: true,
  gtid: {
    enabled: true,
    strict: true,
    domain: 0,
    executed: parsePosition('0-1-150'),
    byOrigin: parseState('0-1-150'),
    text: { binlog: '0-1-150', current: '0-1-150', replica: '0-1-150', executed: '0-1-150' },
  },
  semiSync: {
    sourceEnabled: true,
    sourceActive: true,
    replicaEnabled: false,
    replicaActive: false,
    waitPoint: 'after-sync',
    timeoutMs: 10_000,
    waitsWithoutReplica: true,
    clients: 2,
    unacknowledged: 0,
  },
  channels: [],
  ...changes,
})

export const slowReading = (server: string, changes: Partial<SlowReading> = {}): SlowReading => ({
  server,
  at: 1_000,
  tookMs: 0,
  variables: named({ hostname: server, binlog_format: 'ROW', long_query_time: '10.000000', max_connections: '151' }),
  status: named({ threads_connected: '3', queries: '900', rpl_status: 'AUTH_MASTER' }),
  plugins: [],
  binlogFile: 'binlog.000001',
  binlogPosition: 400,
  binlogDoDb: '',
  binlogIgnoreDb: '',
  binlogs: { count: 1, oldest: 'binlog.000001', files: [['binlog.000001', 400]] },
  dumpThreads: 2,
  statementHistory: false,
  ...changes,
})

export const server = (id: string, changes: Partial<ServerSnapshot> = {}): ServerSnapshot => ({
  id,
  name: id,
  host: id,
  port: 3306,
  rating: 'unrated',
  maintenance: false,
  readOnlyIgnored: false,
  delaySeconds: 0,
  role: 'primary',
  stateName: 'primary',
  previousStateName: 'primary',
  observation: 'answered',
  observedAt: 1_000,
  probeMs: 0.4,
  failures: 0,
  refusals: 0,
  startedWithoutPrimary: false,
  stoppedOnRequest: false,
  state: serverState(),
  stateAt: 1_000,
  slow: slowReading(id),
  ...changes,
})

export const replica = (id: string, changes: Partial<ServerSnapshot> = {}): ServerSnapshot =>
  server(id, {
    role: 'replica',
    stateName: 'replica',
    previousStateName: 'replica',
    sourceId: 'db1',
    state: serverState({ readOnly: true, serverNumber: 2, channels: [channel()] }),
    ...changes,
  })

/** `servers` replaces the members; the first is the primary. */
export function viewInput(
  changes: Partial<ViewInput> = {},
  servers: readonly ServerSnapshot[] = [server('db1'), replica('db2'), replica('db3')],
): ViewInput {
  return {
    snapshot: { cluster: 'demo', at: 1_000, topology: 'primary-replica', servers, primary: 'db1', findings: [] },
    fleetRow: fleetRowOf('demo'),
    memory: { ...freshMemory, discovered: true, primary: 'db1' },
    verdict: {
      at: 1_000,
      wouldFailOver: false,
      primaryDead: false,
      evidence: 'none',
      rows: [
        {
          rule: 'failover-mode',
          code: 'ERR00002',
          state: 'clear',
          value: 'automatic',
          limit: 'automatic',
          sentence: 'On.',
        },
      ],
      primary: 'db1',
      candidate: 'db2',
      ranking: [
        { server: 'db2', eligible: true, rank: 1, reason: 'received most', received: {}, unapplied: 0, missing: 0 },
      ],
      loss: { kind: 'none', reason: 'acknowledged by a replica' },
    },
    proxies: [],
    log: [{ group: 'demo', level: 'INFO', at: Date.UTC(2026, 10, 21, 7, 40, 12), text: 'Monitoring begins' }],
    sla: { since: 0, at: 1_000, upMs: 1_000, failableMs: 999.999, syncMs: 500 },
    now: 1_000,
    config: { failoverMode: 'automatic', provDbTags: 'semisync,row', replicationCredential: '*:*' },
    workingDirectory: '/var/lib/manager/demo',
    active: true,
    provisioned: true,
    figures: freshFigures,
    ...changes,
  }
}
