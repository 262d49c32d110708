// What every tab of a server has above it: its state, and what is wrong when it does not answer.
import type { ComponentChildren } from 'preact'
import type { Condition } from '../../../model/cluster/server.js'
import type { State } from '../../../model/state.js'
import { Empty, Failed, Loading } from '../../../parts/basic/empty.js'
import { Moment } from '../../../parts/basic/moment.js'
import { Panel } from '../../../parts/basic/panel.js'
import { StateMark } from '../../../parts/basic/state-mark.js'
import { Tag } from '../../../parts/basic/tag.js'
import type { Reading } from '../../../store/reading.js'
import type { Subject } from './subject.js'
import './server.css'

export const stateOf: Readonly<Record<Condition, State>> = {
  ...{ well: 'healthy', late: 'degraded', away: 'unknown', unsure: 'unknown', error: 'broken', down: 'down' },
}

export interface ServerFrameProps {
  readonly subject: Subject
  readonly children: ComponentChildren
  /** Beside the state: controls of the tab. */
  readonly aside?: ComponentChildren
}

export function ServerFrame({ subject, children, aside }: ServerFrameProps) {
  const { server, reading, cluster, name, isDown } = subject
  if (reading.value === undefined)
    return (
      <div class="page">
        {reading.failure ? <Failed failure={reading.failure} onRetry={reading.reload} /> : <Loading />}
      </div>
    )
  if (!server)
    return (
      <div class="page">
        <Empty>
          {cluster} has no server {name}. <a href={`/c/${encodeURIComponent(cluster)}`}>All its servers</a>
        </Empty>
      </div>
    )
  return (
    <div class="page server-page">
      <div class="row server-state">
        <StateMark state={stateOf[server.condition]} word={server.word} />
        {server.version !== undefined && <span class="muted">{server.version}</span>}
        {server.isMaintenance && <Tag tone="warning">maintenance</Tag>}
        {server.needs.map((need) => (
          <Tag key={need} tone="warning">
            needs {need}
          </Tag>
        ))}
        {reading.isStale && reading.at !== undefined && (
          <Tag tone="warning">
            as of <Moment at={reading.at} as="time" />
          </Tag>
        )}
        <span class="server-aside">{aside}</span>
      </div>
      {isDown && (
        <p class="failed" role="alert">
          {server.name} does not answer. {server.error} What is shown below was read before.
        </p>
      )}
      {children}
    </div>
  )
}

export interface ReadPanelProps<T> {
  readonly title: string
  readonly reading: Reading<unknown>
  /** The reply in the words of pages. */
  readonly read: (reply: unknown) => T
  readonly children: (value: T) => ComponentChildren
  readonly aside?: ComponentChildren
  /** Nothing at all is shown where there is nothing to show. */
  readonly isEmpty?: (value: T) => boolean
  readonly empty?: ComponentChildren
}

/** A panel over one reading: dated when it is old, with the reason when there is nothing. */
export function ReadPanel<T>({ title, reading, read, children, aside, isEmpty, empty }: ReadPanelProps<T>) {
  const { value, failure, isStale, at, emptyBecause, reload } = reading
  const shown = value === undefined ? undefined : read(value)
  const isNothing = shown !== undefined && isEmpty?.(shown) === true
  return (
    <Panel
      title={title}
      stale={isStale && !isNothing}
      aside={
        <>
          {isStale && at !== undefined && (
            <Tag tone="warning">
              read <Moment at={at} />
            </Tag>
          )}
          {aside}
        </>
      }
    >
      {shown === undefined && !failure && <Loading />}
      {failure && (shown === undefined || failure.status === 403) && <Failed failure={failure} onRetry={reload} />}
      {isNothing && <Empty>{emptyBecause ?? empty ?? 'None.'}</Empty>}
      {shown !== undefined && !isNothing && failure?.status !== 403 && children(shown)}
    </Panel>
  )
}
