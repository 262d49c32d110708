// ProxySQL as a proxy of the cluster, configured and read through its admin interface.
import { done, fail, ok, type Result } from '../../base/result.js'
import { now } from '../../base/time.js'
import type { Proxy as ProxyAdapter, ProxyBackend, ProxyProcess, ProxyReading, ProxyTarget } from '../kit/index.js'
import { changesFor, differences, type Groups, wantedRows } from './changes.js'
import { alignExtras, type Extras } from './extras.js'
import { renewMonitor } from './login.js'
import { fillRules } from './rules.js'
import {
  type PoolRow,
  parsePool,
  parseProcess,
  parseRule,
  parseServer,
  parseVersion,
  type ServerRow,
  type ServerTable,
  selectPool,
  selectRules,
  selectServers,
  selectUptime,
  selectVersion,
} from './tables.js'
import { fillUsers } from './users.js'
import { type Administration, type Ask, converse, execute } from './wire.js'

export interface ProxysqlConfig extends Administration {
  readonly id: string
  readonly name: string
  readonly groups: Groups
  readonly extras: Extras
  /** Changes are also saved to its disk (`proxysql-save-to-disk`). */
  readonly save: boolean
  /** Its query rules are read (`monitoring-query-rules`). */
  readonly rules: boolean
  /** The users of the databases are added to it (`proxysql-bootstrap-users`). */
  readonly users: boolean
  /** Rules of the manager split reads from writes (`proxysql-bootstrap-query-rules`). */
  readonly makeRules: boolean
  /** Longest time of either, milliseconds: nothing waits for it. */
  readonly fillMs: number
}

export const createProxysql = (config: ProxysqlConfig): ProxyAdapter => ({
  id: config.id,
  name: config.name,
  kind: 'proxysql',
  read: (signal) => readProxysql(config, signal),
  apply: (target, signal) => converse(config, signal, (ask) => applyTo(config, target, ask)),
  renewLogin: ({ logins }, signal) => converse(config, signal, (ask) => renewMonitor(ask, { ...config, logins })),
  ...(config.users
    ? {
        fillUsers: (filling, signal) =>
          converse({ ...config, timeoutMs: config.fillMs }, signal, (ask) => fillUsers(ask, { ...config, ...filling })),
      }
    : {}),
  ...(config.makeRules
    ? {
        fillRules: (signal) =>
          converse({ ...config, timeoutMs: config.fillMs }, signal, (ask) => fillRules(ask, config)),
      }
    : {}),
  close: async () => undefined,
})

interface Found {
  readonly version: string
  readonly process: ProxyProcess
  readonly pool: readonly PoolRow[]
  readonly rules?: NonNullable<ProxyReading['rules']>
}

async function readProxysql(config: ProxysqlConfig, signal: AbortSignal): Promise<ProxyReading> {
  const { id, name, host, port, groups } = config
  const seen = { id, name, kind: 'proxysql', host, port, at: now() }
  const found = await converse(config, signal, (ask) => readState(config, ask))
  if (!found.ok) return { ...seen, alive: false, error: found.failure.message, version: '', backends: [] }
  const { version, process, pool, rules } = found.value
  const of = (number: number, group: ProxyBackend['group']) =>
    pool.filter((row) => row.group === number).map((row) => backendOf(row, group))
  const backends = [...of(groups.writer, 'write'), ...of(groups.reader, 'read')]
  return { ...seen, alive: true, version, process, backends, ...(rules ? { rules } : {}) }
}

async function readState({ rules: withRules }: ProxysqlConfig, ask: Ask): Promise<Result<Found>> {
  const version = await ask(selectVersion)
  if (!version.ok) return version
  const pool = await ask(selectPool)
  if (!pool.ok) return pool
  const uptime = await ask(selectUptime)
  const process = uptime.ok ? parseProcess(uptime.value) : {}
  const found = { version: parseVersion(version.value), process, pool: pool.value.map(parsePool) }
  if (!withRules) return ok(found)
  const rules = await ask(selectRules)
  return rules.ok ? ok({ ...found, rules: rules.value.map(parseRule) }) : rules
}

/** In and out as clients see it: what ProxySQL sends to a database came in from a client. */
const backendOf = (row: PoolRow, group: ProxyBackend['group']): ProxyBackend => ({
  host: row.host,
  port: row.port,
  state: row.status,
  group,
  connections: row.used,
  bytesIn: row.bytesSent,
  bytesOut: row.bytesReceived,
  latencyMs: row.latencyUs / 1_000,
})

/** Writes what differs, loads it, and reads back the runtime state of ProxySQL. */
async function applyTo(config: ProxysqlConfig, target: ProxyTarget, ask: Ask): Promise<Result<void>> {
  const { groups, save, extras } = config
  const present = await servers(ask, 'mysql_servers')
  if (!present.ok) return present
  const runtime = await servers(ask, 'runtime_mysql_servers')
  if (!runtime.ok) return runtime
  const wanted = wantedRows(target, groups, present.value)
  const changes = changesFor(wanted, present.value, groups)
  const isRight = changes.length === 0 && differences(wanted, runtime.value, groups).length === 0
  const routed = isRight ? await saved(config, ask, wanted) : await route(config, ask, { wanted, changes })
  return routed.ok ? alignExtras(ask, { name: config.name, target, groups, extras, save }) : routed
}

interface Routes {
  readonly wanted: readonly ServerRow[]
  readonly changes: readonly string[]
}

async function route(
  { groups, name, save }: ProxysqlConfig,
  ask: Ask,
  { wanted, changes }: Routes,
): Promise<Result<void>> {
  const executed = await execute(ask, [...changes, 'LOAD MYSQL SERVERS TO RUNTIME'])
  if (!executed.ok) return executed
  const after = await servers(ask, 'runtime_mysql_servers')
  if (!after.ok) return after
  const left = differences(wanted, after.value, groups)
  if (left.length > 0) return fail('proxy-failed', `${name}: ${left.join('; ')}`)
  return save ? execute(ask, ['SAVE MYSQL SERVERS TO DISK']) : done
}

/** Routes come before the disk, which may be slow: what a killed manager left unsaved is saved now. */
async function saved({ groups, save }: ProxysqlConfig, ask: Ask, wanted: readonly ServerRow[]): Promise<Result<void>> {
  if (!save) return done
  const kept = await servers(ask, 'disk.mysql_servers')
  if (!kept.ok) return kept
  return differences(wanted, kept.value, groups).length === 0 ? done : execute(ask, ['SAVE MYSQL SERVERS TO DISK'])
}

async function servers(ask: Ask, table: ServerTable): Promise<Result<readonly ServerRow[]>> {
  const rows = await ask(selectServers(table))
  return rows.ok ? ok(rows.value.map(parseServer)) : rows
}
