// The sessions of a server: what runs now, how long, and the end of one.
import { useLocation } from 'preact-iso/router'
import { readSessions, type Session } from '../../model/server/sessions.js'
import { useQuery } from '../../parts/address.js'
import { Tag } from '../../parts/basic/tag.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { renderCount, renderDuration } from '../../text/numbers.js'
import { killSession, killStatement } from './actions/kill.js'
import { ReadPanel, ServerFrame } from './kit/frame.js'
import { type Subject, useOfServer, useSubject } from './kit/subject.js'
import { fitsSession } from './narrow-sessions.js'

export function page(props: PageProps) {
  const subject = useSubject(props)
  const { query, setQuery } = useQuery()
  const { path } = useLocation()
  const wanted = query.q ?? ''
  const isPaused = query.pause === '1'
  const showsAll = query.all === '1'
  const reading = useOfServer(
    'GET /api/clusters/:cluster/servers/:server/processlist',
    subject,
    isPaused ? {} : { every: 'live' },
  )
  return (
    <ServerFrame subject={subject}>
      <ReadPanel
        title="Sessions"
        reading={reading}
        read={readSessions}
        aside={
          <button
            type="button"
            class="button"
            aria-pressed={isPaused}
            onClick={() => setQuery({ pause: isPaused ? undefined : '1' })}
          >
            {isPaused ? 'Paused' : 'Live'}
          </button>
        }
      >
        {(sessions) => {
          const shown = sessions.filter((session) => (showsAll || !session.isOfServer) && fitsSession(session, wanted))
          const hidden = sessions.filter(({ isOfServer }) => isOfServer).length
          return (
            <>
              <search class="server-filter">
                <input
                  type="search"
                  aria-label="Filter sessions"
                  placeholder="user, host, schema, text of the statement"
                  value={wanted}
                  onInput={(event) => setQuery({ q: event.currentTarget.value })}
                />
                {hidden > 0 && (
                  <label>
                    <input
                      type="checkbox"
                      checked={showsAll}
                      onChange={(event) => setQuery({ all: event.currentTarget.checked ? '1' : undefined })}
                    />{' '}
                    with {hidden} of the server and its replicas
                  </label>
                )}
                <span class="muted number">
                  {shown.length} of {sessions.length}
                </span>
              </search>
              <Table
                key={path}
                caption="Sessions"
                columns={columnsFor(subject)}
                rows={shown}
                keyOf={({ id }) => String(id)}
                sort={{ key: 'time', down: true }}
                empty={sessions.length === 0 ? 'No session runs.' : 'No session fits.'}
              />
            </>
          )
        }}
      </ReadPanel>
    </ServerFrame>
  )
}

function columnsFor(subject: Subject): readonly Column<Session>[] {
  const acts = me.value?.readOnly === false && !subject.isDown
  return [
    { key: 'id', head: 'Id', align: 'end', cell: ({ id }) => id, sort: ({ id }) => id },
    {
      key: 'time',
      head: 'Time',
      align: 'end',
      cell: ({ ms }) => (ms === undefined ? null : renderDuration(ms)),
      sort: ({ ms }) => ms,
    },
    {
      key: 'user',
      head: 'User',
      cell: ({ user, host }) => (
        <>
          {user} <span class="muted">{host}</span>
        </>
      ),
      sort: ({ user }) => user,
    },
    { key: 'schema', head: 'Schema', cell: ({ schema }) => schema ?? null, sort: ({ schema }) => schema },
    {
      key: 'state',
      head: 'State',
      cell: ({ command, state }) => (
        <>
          {command} {state !== undefined && <Tag tone={/lock/i.test(state) ? 'warning' : 'plain'}>{state}</Tag>}
        </>
      ),
      sort: ({ state, command }) => state ?? command,
    },
    {
      key: 'statement',
      head: 'Statement',
      wide: true,
      cell: ({ statement, rowsExamined }) =>
        statement === undefined ? null : (
          <>
            <code class="statement statement-cut" title={statement}>
              {statement}
            </code>
            {rowsExamined !== undefined && <small class="muted">{renderCount(rowsExamined)} rows read</small>}
          </>
        ),
    },
    ...(acts
      ? [
          {
            key: 'end',
            head: 'End',
            cell: (session: Session) => <Ends subject={subject} session={session} />,
          },
        ]
      : []),
  ]
}

function Ends({ subject, session }: { readonly subject: Subject; readonly session: Session }) {
  if (session.isOfServer) return null
  return (
    <span class="in-line">
      {session.statement !== undefined && (
        <ActionButton action={killStatement(subject, session.id)}>Statement</ActionButton>
      )}
      <ActionButton action={killSession(subject, session.id)}>Session</ActionButton>
    </span>
  )
}
