// Alerts: where they go and whether they arrive, who takes care of what, what is silenced until when.
import { readAlertBoard, renderClusters } from '../../model/upkeep/alert-board.js'
import { Panel } from '../../parts/basic/panel.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { useReading } from '../../store/reading.js'
import { renderDuration } from '../../text/numbers.js'
import { AnsweredTable } from './answered-table.js'
import { ReceiversTable } from './receivers-table.js'
import { SilenceForm } from './silence-form.js'
import { SilencesTable } from './silences-table.js'
import './alerts.css'

const EVERY_MS = 5_000

export function page() {
  const reading = useReading('GET /api/alerts', { every: EVERY_MS })
  const { receivers, escalation, answered, silences } = readAlertBoard(reading.value)
  const stale = reading.isStale
  if (reading.value === undefined)
    return (
      <div class="page">
        <h1>Alerts</h1>
        <NotRead reading={reading} />
      </div>
    )
  return (
    <div class="page alerts-page">
      <h1>Alerts</h1>
      <Panel title="Receivers" stale={stale} aside={<AsOf reading={reading} />}>
        <ReceiversTable receivers={receivers} />
      </Panel>
      <Panel title="Silences" stale={stale}>
        <SilencesTable silences={silences} />
        <SilenceForm />
      </Panel>
      <Panel title="Acknowledged, silenced or escalated" stale={stale}>
        <AnsweredTable answered={answered} />
      </Panel>
      {escalation.length > 0 && (
        <Panel title="Escalation" stale={stale}>
          <ul class="escalation">
            {escalation.map(({ afterMs, clusters }) => (
              <li key={afterMs} title={clusters.join(', ')}>
                {afterMs === 0 ? (
                  <>Never: an error that nobody acknowledges is sent once only</>
                ) : (
                  <>
                    After <strong>{renderDuration(afterMs)}</strong> without an acknowledgement an error is sent again
                  </>
                )}{' '}
                <span class="muted">({renderClusters(clusters)})</span>
              </li>
            ))}
          </ul>
          <p class="muted">Set by alert-escalation-time and alert-escalation-mail-to.</p>
        </Panel>
      )}
    </div>
  )
}
