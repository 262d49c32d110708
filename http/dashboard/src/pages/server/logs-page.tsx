// The error log and the slow log of a server, the latest entries first.
import { readLogLines } from '../../model/server/logs.js'
import { readStatements } from '../../model/server/statements.js'
import { useQuery } from '../../parts/address.js'
import { Empty } from '../../parts/basic/empty.js'
import type { PageProps } from '../../parts/page-props.js'
import { ActionButton } from '../../plan/action-button.js'
import { renderCount, renderDuration } from '../../text/numbers.js'
import { toggleOf } from './actions/server-actions.js'
import { ReadPanel, ServerFrame } from './kit/frame.js'
import { useOfServer, useSubject } from './kit/subject.js'

export function page(props: PageProps) {
  const subject = useSubject(props)
  const { server, details, cluster } = subject
  const { query, setQuery } = useQuery()
  const errors = useOfServer('GET /api/clusters/:cluster/servers/:server/errorlog', subject, { every: 10_000 })
  const slow = useOfServer('GET /api/clusters/:cluster/servers/:server/slow-queries', subject, { every: 10_000 })
  const wanted = (query.q ?? '').toLowerCase()
  const isOn = details?.isSlowLogOn
  return (
    <ServerFrame subject={subject}>
      <search class="server-filter">
        <input
          type="search"
          aria-label="Filter logs"
          placeholder="text of an entry"
          value={query.q ?? ''}
          onInput={(event) => setQuery({ q: event.currentTarget.value })}
        />
      </search>
      <ReadPanel
        title="Error log"
        reading={errors}
        read={readLogLines}
        isEmpty={(lines) => lines.length === 0}
        empty="It has no entry."
      >
        {(all) => {
          const lines = all.filter(({ text }) => text.toLowerCase().includes(wanted))
          if (lines.length === 0) return <Empty>No entry fits.</Empty>
          return lines.slice(0, 500).map(({ at, level, text }, index) => (
            <div
              key={`${at} ${index}`}
              class={`log-line ${/^err/i.test(level) ? 'log-error' : /^warn/i.test(level) ? 'log-warning' : ''}`}
            >
              <time>{at}</time>
              <span>{level.toLowerCase()}</span>
              <p>{text}</p>
            </div>
          ))
        }}
      </ReadPanel>
      <ReadPanel
        title="Slow log"
        reading={slow}
        read={readStatements}
        isEmpty={(entries) => entries.length === 0}
        empty={isOn === false ? 'The slow log is off.' : 'It has no entry.'}
        aside={
          server &&
          isOn !== undefined && (
            <ActionButton
              action={toggleOf(cluster, server, {
                row: 'POST /api/clusters/:cluster/servers/:server/actions/toogle-slow-query/:state',
                title: isOn ? 'Turn the slow log off' : 'Turn the slow log on',
                state: isOn ? 'off' : 'on',
              })}
            >
              {isOn ? 'Turn the slow log off' : 'Turn the slow log on'}
            </ActionButton>
          )
        }
      >
        {(all) => {
          const entries = all.filter(({ text }) => text.toLowerCase().includes(wanted))
          if (entries.length === 0) return <Empty>No entry fits.</Empty>
          return entries
            .slice(0, 200)
            .map(({ digest, lastSeen = '', text, totalMs, rowsExamined, rowsSent }, index) => (
              <div key={`${digest} ${lastSeen} ${index}`} class="log-line">
                <time>{lastSeen.slice(0, 19)}</time>
                <span class="number">{totalMs === undefined ? '' : renderDuration(totalMs)}</span>
                <p>
                  {text}
                  {rowsExamined !== undefined && (
                    <small class="muted">
                      {' '}
                      {renderCount(rowsExamined)} rows read, {renderCount(rowsSent ?? 0)} sent
                    </small>
                  )}
                </p>
              </div>
            ))
        }}
      </ReadPanel>
    </ServerFrame>
  )
}
