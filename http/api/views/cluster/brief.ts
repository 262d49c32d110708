// A cluster in one line: what a view of the whole fleet shows of it, a few hundred bytes.
import { judgeCondition } from '../../../../lib/decide/condition.js'
import { channelOf } from '../../../../lib/decide/situation/channel.js'
import { findings as registry } from '../../../../lib/model/findings.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import { topologyTexts } from '../../../../lib/model/wire.js'
import type { ViewInput } from '../kit/input.js'
import { renderFinding } from './alerts.js'

/** One entry of `/api/fleet`. */
export function renderBrief({ snapshot, memory, config }: ViewInput) {
  const { servers, operation } = snapshot
  const primary = findServer(snapshot, snapshot.primary)
  const { failable, healthy, faults } = judgeCondition(snapshot, memory)
  const [errors, warnings] = (['error', 'warning'] as const).map((severity) =>
    snapshot.findings.filter(({ code }) => registry[code].severity === severity),
  )
  const worst = errors?.[0] ?? warnings?.[0]
  const shown = worst === undefined ? undefined : renderFinding(worst)
  return {
    name: snapshot.cluster,
    topology: topologyTexts[snapshot.topology],
    failoverMode: config.failoverMode,
    isPaused: config.monitoringPause === true,
    isObserved: config.monitoringObserve === true,
    primary: primary?.name ?? '',
    isDown: primary === undefined || primary.stateName === 'failed',
    isHealthy: healthy,
    isFailable: failable,
    fault: faults[0] ?? '',
    servers: servers.length,
    answering: servers.filter(({ observation }) => observation === 'answered').length,
    lag: mostLag(servers.map((server) => channelOf(server, sourceName(config))?.lagSeconds)),
    errors: errors?.length ?? 0,
    warnings: warnings?.length ?? 0,
    worst: shown ? { number: shown.number, desc: shown.desc } : null,
    operation: operation ? { id: operation.id, kind: operation.kind } : null,
  }
}

const sourceName = (config: ViewInput['config']) => ({
  'replication-source-name': typeof config.replicationSourceName === 'string' ? config.replicationSourceName : '',
})

/** Seconds of the slowest replica that reports them; null where none does. */
function mostLag(lags: readonly (number | null | undefined)[]): number | null {
  const known = lags.filter((lag) => typeof lag === 'number')
  return known.length === 0 ? null : Math.max(...known)
}
