// How the cluster was at a moment: the topology that was recorded last before it, and what lasted then.

import type { Failure } from '../../../client/failure.js'
import type { Condition } from '../../../model/cluster/server.js'
import type { Moment } from '../../../model/cluster/timeline.js'
import type { State } from '../../../model/state.js'
import { Failed, Loading } from '../../../parts/basic/empty.js'
import { Panel } from '../../../parts/basic/panel.js'
import { StateMark } from '../../../parts/basic/state-mark.js'
import { Table } from '../../../parts/list/table.js'
import { now } from '../../../store/clock.js'
import { renderFullMoment, renderMoment } from '../../../text/moments.js'
import { renderDuration } from '../../../text/numbers.js'
import { kindWords } from './days.js'

const states: Readonly<Record<Condition, State>> = {
  ...{ well: 'healthy', away: 'unknown', late: 'degraded', unsure: 'unknown', error: 'broken', down: 'down' },
}

export interface MomentPanelProps {
  readonly at: number
  readonly moment: Moment | undefined
  readonly failure: Failure | undefined
  readonly onRetry: () => void
  readonly onClose: () => void
}

export function MomentPanel({ at, moment, failure, onRetry, onClose }: MomentPanelProps) {
  return (
    <Panel
      title={`At ${renderMoment(at, now.peek())}`}
      class="moment-panel"
      aside={
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      }
    >
      <p class="muted number">{renderFullMoment(at)}</p>
      {moment ? <Then moment={moment} /> : failure ? <Failed failure={failure} onRetry={onRetry} /> : <Loading />}
    </Panel>
  )
}

function Then({ moment: { form, servers, recordedAt, until, open, down, time } }: { readonly moment: Moment }) {
  const today = now.peek()
  return (
    <>
      {down && (
        <p class="stale-note">
          No manager ran from {renderMoment(down.from, today)} to {renderMoment(down.until, today)}: what is shown is
          from before.
        </p>
      )}
      {recordedAt === undefined ? (
        <p class="empty">No topology so old is kept.</p>
      ) : (
        <>
          <Table
            caption="Servers at this moment"
            columns={[
              { key: 'name', head: 'Server', cell: ({ name }) => name },
              {
                key: 'state',
                head: 'State',
                cell: ({ word, condition }) => <StateMark state={states[condition]} word={word} />,
              },
              { key: 'sources', head: 'Replicates from', cell: ({ sources }) => sources.join(', ') || '–' },
              {
                key: 'lag',
                head: 'Lag',
                align: 'end',
                hint: 'When it became so',
                cell: ({ lag }) => (lag === undefined ? '' : lag === 0 ? '0 s' : renderDuration(lag * 1_000)),
              },
              {
                key: 'since',
                head: 'Since',
                cell: ({ since }) =>
                  since === undefined ? '' : <span class="number">{renderMoment(since, today)}</span>,
              },
            ]}
            rows={servers}
            keyOf={({ id }) => id}
          />
          <p class="muted moment-dated">
            {form !== undefined && <>{form}; </>}recorded {renderMoment(recordedAt, today)},{' '}
            {until === undefined ? 'unchanged since then.' : `changed ${renderMoment(until, today)}.`}
          </p>
        </>
      )}
      {open.length > 0 && (
        <>
          <h3>Lasted then</h3>
          <ul class="moment-open">
            {open.map(({ id, at, kind, tone, text }) => (
              <li key={id}>
                <StateMark
                  state={tone === 'error' ? 'broken' : tone === 'warning' ? 'degraded' : 'unknown'}
                  word={kindWords[kind]}
                  compact
                />
                <span>
                  {text}
                  {time > at && <span class="muted number"> for {renderDuration(time - at)}</span>}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
