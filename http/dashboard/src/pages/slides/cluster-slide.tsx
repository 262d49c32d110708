// One cluster on a slide: its servers, or whether it would fail over and what is open on it. Read while it is shown.
import { stateOfCondition } from '../../model/cluster/condition.js'
import { readFindings } from '../../model/cluster/finding.js'
import { lossText, readReadiness, waitsOf } from '../../model/cluster/readiness.js'
import { readServers } from '../../model/cluster/server.js'
import { Failed, Loading } from '../../parts/basic/empty.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { fleet } from '../../store/fleet/fleet.js'
import { useReading } from '../../store/reading.js'
import { lagText, stateLine } from '../cluster/topology/words.js'
import { renderTrouble, renderWrites } from '../fleet/facts.js'

export interface ClusterSlideProps {
  readonly type: 'servers' | 'readiness'
  readonly cluster: string
}

export function ClusterSlide({ type, cluster }: ClusterSlideProps) {
  void fleet.changes.value
  const row = fleet.row(cluster)?.value
  if (!row) return <p class="wall-calm">{cluster} is no longer monitored.</p>
  return (
    <div class="wall">
      <header class={`slide-head state-${row.state}`}>
        <h2>{cluster}</h2>
        <StateMark state={row.state} />
        {row.op !== null && <span class="tag tag-note">{row.op}</span>}
        {row.mode === 'manual' && <span class="tag tag-warning">manual failover</span>}
      </header>
      <p class="slide-line">
        {[
          row.primary === '' ? 'no primary' : `primary ${row.primary}`,
          `${row.up} of ${row.of} up`,
          renderWrites(row.wps),
          renderTrouble(row),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {type === 'servers' ? <Servers cluster={cluster} /> : <Verdict cluster={cluster} />}
    </div>
  )
}

function Servers({ cluster }: { readonly cluster: string }) {
  const reading = useReading('GET /api/clusters/:cluster/topology/servers', { params: { cluster }, every: 'live' })
  if (reading.value === undefined) return reading.failure ? <Failed failure={reading.failure} /> : <Loading />
  return (
    <ul class={reading.isStale ? 'slide-servers stale' : 'slide-servers'}>
      {readServers(reading.value).map((server) => (
        <li key={server.id}>
          <StateMark state={stateOfCondition[server.condition]} word={stateLine(server)} />
          <b>{server.name}</b>
          <span class="number muted">{server.lag === undefined ? '' : lagText(server.lag)}</span>
        </li>
      ))}
    </ul>
  )
}

const MOST_FINDINGS = 6

function Verdict({ cluster }: { readonly cluster: string }) {
  const verdict = useReading('GET /api/clusters/:cluster/failover/explain', { params: { cluster }, every: 'live' })
  const alerts = useReading('GET /api/clusters/:cluster/topology/alerts', { params: { cluster }, every: 'live' })
  const readiness = readReadiness(verdict.value)
  const findings = readFindings(alerts.value)
  if (!readiness) return verdict.failure ? <Failed failure={verdict.failure} /> : <Loading />
  const { loss, candidate, primary } = readiness
  const waits = waitsOf(readiness)
  return (
    <div class={verdict.isStale ? 'stale' : ''}>
      <dl class="slide-verdict">
        <div>
          <dt>If {primary ?? 'the primary'} died now</dt>
          <dd>
            <StateMark
              state={loss.kind === 'none' ? 'healthy' : loss.kind === 'unknown' ? 'unknown' : 'degraded'}
              word={`${lossText(loss)} would be lost`}
            />
          </dd>
        </div>
        <div>
          <dt>Then</dt>
          <dd>
            {candidate === undefined ? (
              <StateMark state="broken" word="no server could take over" />
            ) : (
              `${candidate} would take over${waits === undefined ? '' : `, late: ${waits}`}`
            )}
          </dd>
        </div>
      </dl>
      <ul class="slide-findings">
        {findings.slice(0, MOST_FINDINGS).map(({ code, severity, text, server }) => (
          <li key={`${code} ${server ?? ''} ${text}`}>
            <StateMark state={severity === 'error' ? 'broken' : 'degraded'} word={code} />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {findings.length > MOST_FINDINGS && <p class="muted">and {findings.length - MOST_FINDINGS} more</p>}
      {alerts.value !== undefined && findings.length === 0 && <p class="wall-calm">No finding is open.</p>}
    </div>
  )
}
