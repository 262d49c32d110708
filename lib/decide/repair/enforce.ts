// The settings force-…: what running servers are made to be, one server at a time, where they are not.
import { MINUTE, SECOND } from '../../base/time.js'
import { type EnforcedSetting, enforcedVariable } from '../../dialect/index.js'
import type { Command } from '../../model/operation/command.js'
import { textOf } from '../../model/server/named.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable } from '../situation/channel.js'
import { missingWait } from '../situation/durability.js'
import type { DecideSettings, Situation } from '../situation/situation.js'
import { refusedLogin } from '../situation/topology/source-login.js'
import { isBelow } from '../situation/topology/sources.js'
import { checkLogin } from '../switchover/login.js'

/** One standing repair that is due. */
export interface Repair {
  readonly reason: string
  readonly commands: readonly Command[]
  /** When one of them fails; nothing by default. */
  readonly undo?: readonly Command[]
  /** As a plan has it: for what is repeated in vain at a price. */
  readonly restMs?: number
}

interface Row {
  readonly setting: EnforcedSetting
  /** Replicas only; otherwise the primary as well. */
  readonly replicas?: true
  readonly wanted: (settings: DecideSettings) => boolean
}

const rows: readonly Row[] = [
  { setting: 'sync-binlog', wanted: (settings) => settings['force-sync-binlog'] },
  { setting: 'sync-innodb', wanted: (settings) => settings['force-sync-innodb'] },
  { setting: 'row-events', wanted: (settings) => settings['force-binlog-row'] },
  { setting: 'annotated-events', wanted: (settings) => settings['force-binlog-annotate'] },
  { setting: 'compressed-binlog', wanted: (settings) => settings['force-binlog-compress'] },
  { setting: 'logged-slow-applier', wanted: (settings) => settings['force-binlog-slowqueries'] },
  { setting: 'binlog-checksums', wanted: (settings) => settings['force-binlog-checksum'] },
  { setting: 'strict-gtid', wanted: (settings) => settings['force-slave-gtid-mode-strict'] },
  { setting: 'strict-applier', replicas: true, wanted: (settings) => settings['force-slave-strict'] },
  {
    setting: 'idempotent-applier',
    replicas: true,
    wanted: (settings) => settings['force-slave-idempotent'] && !settings['force-slave-strict'],
  },
  { setting: 'parallel-applier', replicas: true, wanted: (settings) => settings['force-slave-parallel-mode'] !== '' },
]

interface Assignment {
  readonly name: string
  readonly value: string
  readonly stopped: boolean
}

/** Variables of the first server that differs; those that can be set only while replication is stopped come separately. */
export function enforceVariables(situation: Situation): Repair | undefined {
  const active = rows.filter(({ wanted }) => wanted(situation.settings))
  if (active.length === 0) return undefined
  for (const server of subjectsOf(situation.snapshot)) {
    const missing = active.flatMap((row) => missingOf(row, server, situation))
    const live = missing.filter(({ stopped }) => !stopped)
    const chosen = live.length > 0 ? live : missing
    if (chosen.length === 0) continue
    const values = Object.fromEntries(chosen.map(({ name, value }) => [name, value]))
    const set: Command = { type: 'set-variables', server: server.id, values }
    const reason = `set on ${server.name}: ${chosen.map(({ name, value }) => `${name}=${value}`).join(', ')}`
    return { reason, ...(live.length > 0 ? { commands: [set] } : whileStopped(server, set)), restMs: MINUTE }
  }
  return undefined
}

/** It replicates again whether or not the variable could be set. */
function whileStopped({ id }: ServerSnapshot, command: Command): Pick<Repair, 'commands' | 'undo'> {
  const start: Command = { type: 'start-replication', server: id }
  return { commands: [{ type: 'stop-replication', server: id }, command, start], undo: [start] }
}

function missingOf(
  { setting, replicas }: Row,
  { id, state, slow }: ServerSnapshot,
  { settings, snapshot }: Situation,
): readonly Assignment[] {
  const variable = state && enforcedVariable(state.identity, setting)
  if (!variable || (replicas && id === snapshot.primary)) return []
  const value = setting === 'parallel-applier' ? settings['force-slave-parallel-mode'] : variable.value
  const name = variable.names.find((one) => textOf(slow?.variables, one) !== undefined)
  if (name === undefined || textOf(slow?.variables, name)?.toUpperCase() === value.toUpperCase()) return []
  return [{ name, value, stopped: variable.stopped ?? false }]
}

/** Servers in their regular role: other problems of the rest are repaired first. */
const subjectsOf = ({ servers, primary }: Situation['snapshot']): readonly ServerSnapshot[] =>
  servers.filter(
    (server) => isReachable(server) && !server.maintenance && (server.id === primary || server.sourceId !== undefined),
  )

/**
 * The wait of `durability-policy`, on every server, since each may become the primary; and the source side of the primary:
 * always on under lossless, off under async. With semi-sync it follows the replicas, by the standing repair.
 */
export function enforceDurability({ snapshot, settings }: Situation): Repair | undefined {
  const policy = settings['durability-policy']
  if (policy === 'observed') return undefined
  for (const server of subjectsOf(snapshot)) {
    const { id, name, state } = server
    if (!state || state.semiSync.waitPoint === 'none') continue
    const { sourceEnabled, replicaEnabled } = state.semiSync
    const isPrimary = id === snapshot.primary
    const source = isPrimary && policy !== 'semi-sync' ? policy === 'lossless' : sourceEnabled
    const waitMs = missingWait(server, settings)
    if (waitMs === undefined && source === sourceEnabled) continue
    const sides = { source, replica: replicaEnabled, ...(waitMs === undefined ? {} : { waitMs }) }
    return {
      reason: `durability-policy ${policy} on ${name}`,
      commands: [{ type: 'set-semi-sync', server: id, ...sides }],
    }
  }
  return undefined
}

/**
 * `force-slave-semisync` and the policies that need acknowledgements: a replica acknowledges from its next connection on. The
 * primary follows by the standing repair.
 */
export function enforceSemiSync({ snapshot, settings }: Situation): Repair | undefined {
  const policy = settings['durability-policy']
  if (!settings['force-slave-semisync'] && policy !== 'lossless' && policy !== 'semi-sync') return undefined
  const { servers, primary } = snapshot
  // Below one that has lost the role, or is out of sight, it would acknowledge what the cluster does not have.
  if (primary === undefined || !servers.some((one) => one.id === primary && isReachable(one))) return undefined
  const server = followersIn(snapshot).find(
    ({ id, state }) =>
      state && state.semiSync.waitPoint !== 'none' && !state.semiSync.replicaEnabled && isBelow(servers, id, primary),
  )
  if (!server) return undefined
  const { id, name } = server
  return {
    reason: `${name} is to acknowledge what it receives`,
    commands: [
      { type: 'set-semi-sync', server: id, source: false, replica: true },
      { type: 'stop-receiving', server: id },
      { type: 'start-replication', server: id },
    ],
  }
}

/** Heartbeats differ by rounding. */
const SAME_SECONDS = 0.01

/** `force-slave-heartbeat`, `force-slave-gtid-mode` and `replication-delayed-hosts`: how replicas that replicate do so. */
export function enforceChannel(situation: Situation): Repair | undefined {
  const { snapshot, settings } = situation
  const wanted = settings['force-slave-heartbeat-time']
  for (const { id, name, sourceId, delaySeconds, state } of followersIn(snapshot)) {
    const server = findServer(snapshot, id)
    const channel = server && channelOf(server, settings)
    if (sourceId === undefined || channel?.io !== 'running' || channel.sql !== 'running') continue
    const byPosition = settings['force-slave-gtid-mode'] && !channel.usesGtid && state?.gtid.enabled === true
    const beats = Math.abs(channel.heartbeatPeriodSeconds - wanted) > SAME_SECONDS
    const early = delaySeconds > 0 && channel.delaySeconds !== delaySeconds && channel.usesGtid
    const changes = [
      ...(byPosition ? ['enable GTID replication'] : []),
      ...(settings['force-slave-heartbeat'] && beats && channel.usesGtid ? [`heartbeat interval ${wanted} s`] : []),
      ...(early ? [`delay ${delaySeconds} s`] : []),
    ]
    const source = findServer(snapshot, sourceId)
    // Its replication runs: it is not begun again where it may not come back.
    if (changes.length === 0 || !source || refusedLogin(source, situation) !== undefined) continue
    const delay = delaySeconds > 0 ? { delaySeconds } : {}
    return {
      reason: `replication of ${name}: ${changes.join(', ')}`,
      commands: [
        checkLogin(situation, source),
        { type: 'repoint', server: id, source: sourceId, renew: true, patient: true, timeoutMs: 25 * SECOND, ...delay },
      ],
    }
  }
  return undefined
}

const followersIn = (snapshot: Situation['snapshot']): readonly ServerSnapshot[] =>
  subjectsOf(snapshot).filter(({ id, sourceId }) => id !== snapshot.primary && sourceId !== undefined)
