// Statements by how long they took.
import { readResponseTimes } from '../../model/server/logs.js'
import type { PageProps } from '../../parts/page-props.js'
import { ActionButton } from '../../plan/action-button.js'
import { renderCount, renderDuration } from '../../text/numbers.js'
import { toggleOf } from './actions/server-actions.js'
import { ReadPanel, ServerFrame } from './kit/frame.js'
import { useOfServer, useSubject } from './kit/subject.js'

export function page(props: PageProps) {
  const subject = useSubject(props)
  const { server, details, cluster } = subject
  const reading = useOfServer('GET /api/clusters/:cluster/servers/:server/query-response-time', subject, {
    every: 'live',
  })
  const isOn = details?.hasResponseTimes === true
  return (
    <ServerFrame subject={subject}>
      <ReadPanel
        title="Response times"
        reading={reading}
        read={readResponseTimes}
        isEmpty={(times) => times.length === 0}
        empty="Nothing was counted."
        aside={
          server &&
          details && (
            <ActionButton
              action={toggleOf(cluster, server, {
                row: 'POST /api/clusters/:cluster/servers/:server/actions/toogle-query-response-time/:state',
                title: isOn ? 'Stop counting response times' : 'Count response times',
                state: isOn ? 'off' : 'on',
              })}
            >
              {isOn ? 'Stop counting' : 'Count response times'}
            </ActionButton>
          )
        }
      >
        {(times) => {
          const most = Math.max(...times.map(({ count }) => count))
          const all = times.reduce((sum, { count }) => sum + count, 0)
          return (
            <div class="bars">
              {times.map(({ upTo, count, seconds }) => [
                <span key={`${upTo} time`} class="number">
                  up to {upTo < 0.001 ? `${Math.round(upTo * 1e6)} µs` : renderDuration(upTo * 1_000)}
                </span>,
                <meter key={`${upTo} bar`} min={0} max={most} value={count} aria-label={`${count} statements`} />,
                <span key={`${upTo} count`} class="number end">
                  {renderCount(count)} ({((count / all) * 100).toFixed(1)} %)
                </span>,
                <span key={`${upTo} sum`} class="number end muted">
                  {renderDuration(seconds * 1_000)} together
                </span>,
              ])}
            </div>
          )
        }}
      </ReadPanel>
    </ServerFrame>
  )
}
