// The state an actor begins with: settings and memory, nothing seen yet.
import { judgeFailover } from '../../../lib/decide/failover/failover.js'
import { freshFigures } from '../../../lib/metrics/figures.js'
import type { Memory } from '../../../lib/model/memory.js'
import type { Appointment } from '../../../lib/model/operation/appointment.js'
import type { Roll } from '../../../lib/model/operation/roll.js'
import type { DelayHour } from '../../../lib/model/server/delay-hour.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { Snapshot } from '../../../lib/model/snapshot.js'
import { importSettings } from '../../../lib/settings/index.js'
import type { ClusterInit } from '../../protocol/cluster.js'
import { maintainedIn } from './maintained.js'
import { listMembers, unseen } from './members.js'
import { resumeSla, type Sla, startSla } from './sla.js'
import type { ClusterState } from './state.js'

export interface Remembered {
  readonly memory: Memory
  readonly sla?: Sla
  readonly slaHistory?: readonly Sla[]
  /** The latest scheduled switchover. */
  readonly appointment?: Appointment
  /** Delay statistics of the replicas. */
  readonly delays?: Readonly<Record<ServerId, readonly DelayHour[]>>
  /** The latest rolling work. */
  readonly roll?: Roll
  /** What is wrong with the files it was read from. */
  readonly damage: readonly string[]
}

export function initialState(
  { name, settings: plain, announced = [] }: ClusterInit,
  { memory, sla, slaHistory = [], delays = {}, roll, appointment, damage }: Remembered,
  now: number,
): ClusterState {
  const settings = importSettings(plain)
  const maintenance = maintainedIn({ memory, ...(roll ? { roll } : {}) })
  const servers = listMembers(name, settings, { maintenance }).map((spec) => {
    const known = delays[spec.id]
    return { ...unseen(spec, memory), ...(known ? { delays: known } : {}) }
  })
  const snapshot: Snapshot = {
    cluster: name,
    at: now,
    topology: 'unknown',
    servers,
    findings: [],
    ...(memory.primary === undefined ? {} : { primary: memory.primary }),
  }
  return {
    name,
    settings,
    memory,
    snapshot,
    verdict: judgeFailover({ snapshot, settings, memory, now }),
    ready: false,
    waiting: [],
    ...(roll ? { roll } : {}),
    ...(appointment ? { appointment } : {}),
    standing: damage.map((detail) => ({ code: 'WARN0301', detail })),
    announced,
    proxies: [],
    log: [],
    lastEvent: 0,
    sla: sla ? resumeSla(sla, now) : startSla(now),
    slaHistory,
    queryRates: {},
    cookies: {},
    restUntil: {},
    figures: freshFigures,
  }
}
