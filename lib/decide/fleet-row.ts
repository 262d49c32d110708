// A cluster as one row of the fleet.
import { type FindingCode, findings as registry } from '../model/findings.js'
import type { FleetRow } from '../model/fleet/row.js'
import type { Memory } from '../model/memory.js'
import type { Roll } from '../model/operation/roll.js'
import { findServer, type ServerSnapshot, type Snapshot } from '../model/snapshot.js'
import type { FailoverVerdict, LossForecast } from '../model/verdict.js'
import { topologyTexts } from '../model/wire.js'
import { weightyWarnings } from './cluster-state.js'
import { channelOf } from './situation/channel.js'

export interface FleetRowSettings {
  readonly 'failover-mode': string
  readonly 'monitoring-pause': boolean
  readonly 'monitoring-observe': boolean
  readonly 'replication-source-name': string
  readonly 'cluster-tags': readonly string[]
}

export interface FleetRowInput {
  readonly snapshot: Snapshot
  readonly memory: Memory
  readonly verdict: Pick<FailoverVerdict, 'loss'>
  readonly settings: FleetRowSettings
  /** Every server was probed since the start: before that nothing is known of the cluster as a whole. */
  readonly ready: boolean
  readonly roll?: Pick<Roll, 'phase' | 'kind'> | undefined
  /** Transactions a second that the primary wrote lately. */
  readonly wps: number | undefined
}

export function fleetRow({ snapshot, memory, verdict, settings, ready, roll, wps }: FleetRowInput): FleetRow {
  const { servers } = snapshot
  const primary = findServer(snapshot, snapshot.primary)
  const { condition } = memory
  let [errors, warnings] = [0, 0]
  for (const { code } of snapshot.findings) {
    if (registry[code].severity === 'error') errors += 1
    else warnings += 1
  }
  return {
    name: snapshot.cluster,
    state: ready && condition ? condition.state : 'unknown',
    primary: primary?.name ?? '',
    topology: topologyTexts[snapshot.topology],
    mode: settings['failover-mode'] === 'manual' ? 'manual' : 'automatic',
    flags: [
      ...(settings['monitoring-pause'] ? (['paused'] as const) : []),
      ...(settings['monitoring-observe'] ? (['observed'] as const) : []),
    ],
    up: servers.filter(({ observation }) => observation === 'answered').length,
    of: servers.length,
    lag: mostLag(servers, settings),
    semi: semiOf(primary, memory),
    loss: lossOf(verdict.loss),
    errors,
    warnings,
    worst: worstOf(snapshot),
    op: snapshot.operation?.kind ?? (roll?.phase === 'running' ? `rolling-${roll.kind}` : null),
    at: condition?.since ?? 0,
    wps:
      wps === undefined || primary?.observation !== 'answered'
        ? null
        : wps < 10
          ? Math.round(wps * 10) / 10
          : Math.round(wps),
    tags: settings['cluster-tags'],
  }
}

/** Without an intended delay, and without servers in maintenance. */
function mostLag(servers: readonly ServerSnapshot[], settings: FleetRowSettings): number | null {
  let most: number | null = null
  for (const server of servers) {
    const channel = server.maintenance ? undefined : channelOf(server, settings)
    if (channel?.lagSeconds === undefined) continue
    most = Math.max(most ?? 0, channel.lagSeconds - channel.delaySeconds)
  }
  return most
}

function semiOf(primary: ServerSnapshot | undefined, { semiSync }: Memory): FleetRow['semi'] {
  const state = primary?.state?.semiSync
  if (state?.sourceActive) return 'on'
  return state?.sourceEnabled || semiSync ? 'off' : 'none'
}

/** To two digits, so that the rows of busy clusters do not change with every commit: an upper bound up, a lower one down. */
function lossOf({ kind, transactions = 0 }: LossForecast): number | null {
  if (kind === 'unknown') return null
  if (kind === 'none') return 0
  const unit = transactions < 100 ? 1 : 10 ** (Math.floor(Math.log10(transactions)) - 1)
  return (kind === 'at-most' ? Math.ceil(transactions / unit) : Math.floor(transactions / unit)) * unit
}

/** What others follow from, the first of them that is open: without a server that answers there is no primary either. */
const causes: readonly FindingCode[] = [
  ...(['ERR00022', 'ERR00063', 'ERR00068', 'ERR00181', 'ERR00055'] as const),
  ...(['ERR00021', 'ERR00189', 'ERR00002'] as const),
  ...(['ERR00062', 'ERR00004', 'ERR00182', 'ERR00183', 'ERR00012'] as const),
]

/** The cause of others before them, an error before any warning, a warning of weight before advice. */
function worstOf({ findings }: Snapshot): string | null {
  const cause = causes.find((code) => findings.some((finding) => finding.code === code))
  if (cause !== undefined) return cause
  const worst =
    findings.find(({ code }) => registry[code].severity === 'error') ??
    findings.find(({ code }) => weightyWarnings.has(code)) ??
    findings[0]
  return worst?.code ?? null
}
