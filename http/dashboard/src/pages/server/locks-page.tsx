// Who waits for whom: a tree of sessions, and the metadata locks that are held.
import {
  buildWaitTree,
  type MetadataLock,
  readMetadataLocks,
  readRowLockWaits,
  type WaitNode,
} from '../../model/server/locks.js'
import { readSessions } from '../../model/server/sessions.js'
import { Empty, Failed, Loading } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { ActionButton } from '../../plan/action-button.js'
import { renderCount, renderDuration } from '../../text/numbers.js'
import { killSession } from './actions/kill.js'
import { toggleOf } from './actions/server-actions.js'
import { ReadPanel, ServerFrame } from './kit/frame.js'
import { type Subject, useOfServer, useSubject } from './kit/subject.js'

export function page(props: PageProps) {
  const subject = useSubject(props)
  const { server, details, cluster } = subject
  const traits = { every: 'live', when: !subject.isDown } as const
  const rows = useOfServer('GET /api/clusters/:cluster/servers/:server/lock-waits', subject, traits)
  const metadata = useOfServer('GET /api/clusters/:cluster/servers/:server/meta-data-locks', subject, traits)
  const sessions = useOfServer('GET /api/clusters/:cluster/servers/:server/processlist', subject, traits)
  const isRead = rows.value !== undefined && sessions.value !== undefined
  const tree = buildWaitTree({
    rows: readRowLockWaits(rows.value),
    metadata: readMetadataLocks(metadata.value),
    sessions: readSessions(sessions.value),
  })
  return (
    <ServerFrame
      subject={subject}
      aside={
        server &&
        details && (
          <ActionButton
            action={toggleOf(cluster, server, {
              row: 'POST /api/clusters/:cluster/servers/:server/actions/toogle-meta-data-locks/:state',
              title: details.hasMetadataLocks ? 'Stop listing metadata locks' : 'List metadata locks',
              state: details.hasMetadataLocks ? 'off' : 'on',
            })}
          >
            {details.hasMetadataLocks ? 'Stop listing metadata locks' : 'List metadata locks'}
          </ActionButton>
        )
      }
    >
      {!subject.isDown && (
        <Panel title="Waiting sessions" stale={rows.isStale}>
          {!isRead && !rows.failure && <Loading />}
          {rows.failure && !isRead && <Failed failure={rows.failure} onRetry={rows.reload} />}
          {isRead && tree.length === 0 && <Empty>No session waits for a lock.</Empty>}
          {tree.length > 0 && (
            <ul class="wait-tree" aria-label="Sessions that hold others up">
              {tree.map((node) => (
                <li key={node.thread} class="wait-root">
                  <Wait node={node} subject={subject} />
                </li>
              ))}
            </ul>
          )}
        </Panel>
      )}
      {!subject.isDown && (
        <ReadPanel
          title="Metadata locks"
          reading={metadata}
          read={readMetadataLocks}
          isEmpty={(locks) => locks.length === 0}
          empty="None is held."
        >
          {(locks) => (
            <Table
              caption="Metadata locks"
              columns={columns}
              rows={locks}
              keyOf={(lock) => JSON.stringify(lock)}
              sort={{ key: 'thread', down: false }}
            />
          )}
        </ReadPanel>
      )}
    </ServerFrame>
  )
}

function Wait({ node, subject }: { readonly node: WaitNode; readonly subject: Subject }) {
  const { thread, user, statement, waitedMs, heldMs, changedRows, waitsFor, children } = node
  return (
    <>
      <div class="wait">
        <div class="row">
          <strong class="number">{thread}</strong>
          {user !== undefined && <span>{user}</span>}
          {waitedMs !== undefined && <Tag tone="warning">waits {renderDuration(waitedMs)}</Tag>}
          {waitsFor !== undefined && <span class="muted">for a {waitsFor}</span>}
          {waitsFor === undefined && children.length > 0 && <Tag tone="error">holds {children.length} up</Tag>}
          {heldMs !== undefined && <span class="muted">its transaction is open for {renderDuration(heldMs)}</span>}
          {changedRows !== undefined && <span class="muted">{renderCount(changedRows)} rows changed</span>}
          <ActionButton action={killSession(subject, thread)}>End the session</ActionButton>
        </div>
        {statement === undefined ? (
          <span class="muted">runs no statement</span>
        ) : (
          <code class="statement statement-cut" title={statement}>
            {statement}
          </code>
        )}
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <li key={child.thread}>
              <Wait node={child} subject={subject} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const columns: readonly Column<MetadataLock>[] = [
  { key: 'thread', head: 'Session', align: 'end', cell: ({ thread }) => thread, sort: ({ thread }) => thread },
  {
    key: 'object',
    head: 'On',
    cell: ({ schema, name, kind }) => [schema, name].filter(Boolean).join('.') || (kind ?? null),
    sort: ({ schema, name }) => `${schema}.${name}`,
  },
  { key: 'kind', head: 'Kind', cell: ({ kind }) => kind ?? null, sort: ({ kind }) => kind },
  {
    key: 'mode',
    head: 'Mode',
    cell: ({ mode }) => mode?.toLowerCase().replaceAll('_', ' ') ?? null,
    sort: ({ mode }) => mode,
  },
  {
    key: 'ms',
    head: 'Held',
    align: 'end',
    cell: ({ ms }) => (ms === undefined ? null : renderDuration(ms)),
    sort: ({ ms }) => ms,
  },
]
