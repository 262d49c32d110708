// What happened to a cluster: lanes of its servers and a list by days, newest first; a link to a moment shows the cluster as it was then.
import { Fragment } from 'preact'
import { useEffect } from 'preact/hooks'
import { type Moment, readMoment } from '../../../model/cluster/timeline.js'
import { useQuery } from '../../../parts/address.js'
import { Failed, Loading } from '../../../parts/basic/empty.js'
import { Panel } from '../../../parts/basic/panel.js'
import type { PageProps } from '../../../parts/page-props.js'
import { now } from '../../../store/clock.js'
import { useReading } from '../../../store/reading.js'
import { renderFullMoment, renderMoment } from '../../../text/moments.js'
import {
  entryBefore,
  groupByDay,
  isChosen,
  kindGroups,
  kindsOf,
  lastedAt,
  momentAddress,
  momentOf,
  turnGroup,
} from './days.js'
import { EntryLine } from './entry-line.js'
import { LanesView } from './lanes-view.js'
import { MomentPanel } from './moment-panel.js'
import { type Shown, useTimeline } from './use-timeline.js'
import './timeline.css'

export function page({ params: { cluster = '' } }: PageProps) {
  const { query, setQuery } = useQuery()
  const at = momentOf(query.at)
  const chosen = kindsOf(query.kind)
  const timeline = useTimeline({
    cluster,
    ...(chosen.length > 0 ? { kind: chosen.join(',') } : {}),
    ...(query.server ? { server: query.server } : {}),
    ...(at === undefined ? {} : { at }),
  })
  const current = useReading('GET /api/clusters/:cluster/at', { params: { cluster }, every: 60_000 })
  const then = useReading('GET /api/clusters/:cluster/at', {
    params: { cluster },
    query: { time: at === undefined ? at : String(at) },
    when: at !== undefined,
  })
  const moment = at === undefined ? undefined : readMoment(then.value)
  const members = readMoment(current.value)?.servers ?? []
  const names: Readonly<Record<string, string>> = Object.fromEntries(
    [...(moment?.servers ?? []), ...members].map(({ id, name }) => [id, name]),
  )
  usePrintedWhole()
  const { shown, failure } = timeline
  const isStale = failure !== undefined
  return (
    <div class={`page timeline-page ${at === undefined ? '' : 'timeline-at'}`}>
      <header class="report-head">
        <h1>Report of {cluster}</h1>
        <p>
          {shown && rangeText(shown)} Printed {renderFullMoment(now.value)}.
        </p>
      </header>
      <search class="timeline-filter">
        {kindGroups.map((group) => (
          <button
            key={group.title}
            type="button"
            class="button"
            aria-pressed={isChosen(group, chosen)}
            onClick={() => setQuery({ kind: turnGroup(group, chosen) })}
          >
            {group.title}
          </button>
        ))}
        <select
          aria-label="Server"
          value={query.server ?? ''}
          onChange={(event) => setQuery({ server: event.currentTarget.value })}
        >
          <option value="">All servers</option>
          {query.server && !(query.server in names) && <option value={query.server}>{query.server}</option>}
          {Object.entries(names).map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <button type="button" class="button timeline-print" onClick={() => window.print()}>
          Print as report
        </button>
      </search>
      {isStale && shown && (
        <p class="stale-note" role="status">
          {failure.text} This is what was known at {renderMoment(shown.at, now.value)}.
        </p>
      )}
      {!shown &&
        (failure ? (
          <Failed failure={failure} onRetry={timeline.retry} />
        ) : (
          <Loading what={`Reading the timeline of ${cluster}`} />
        ))}
      {shown && (
        <>
          {shown.entries.length > 0 && (
            <Panel title="Lanes" stale={isStale} class="lanes-panel">
              <LanesView
                entries={shown.entries}
                end={shown.upTo === undefined ? shown.at : Math.min(shown.upTo, shown.at)}
                servers={members.map(({ id }) => id)}
                {...{ names, at }}
                addressOf={(time) => momentAddress(cluster, time, query)}
              />
            </Panel>
          )}
          <div class="timeline-body">
            <Panel
              title="What happened"
              stale={isStale}
              class="timeline-list"
              aside={
                shown.upTo === undefined ? undefined : (
                  <LaterNote upTo={shown.upTo} onLatest={() => setQuery({ at: '' })} />
                )
              }
            >
              <Entries {...{ cluster, shown, names, at, query }} />
              {shown.next !== undefined && (
                <p class="timeline-more">
                  <button type="button" class="button" aria-disabled={timeline.isReadingOlder} onClick={timeline.older}>
                    Earlier entries
                  </button>
                </p>
              )}
            </Panel>
            {at !== undefined && (
              <MomentPanel
                {...{ at, moment: moment as Moment | undefined }}
                failure={then.failure}
                onRetry={then.reload}
                onClose={() => setQuery({ at: '' })}
              />
            )}
          </div>
        </>
      )}
    </div>
  )
}

const rangeText = ({ entries, upTo, at }: Shown): string => {
  const oldest = entries.at(-1)
  return oldest ? `From ${renderFullMoment(oldest.at)} to ${renderFullMoment(Math.min(upTo ?? at, at))}.` : ''
}

const LaterNote = ({ upTo, onLatest }: { readonly upTo: number; readonly onLatest: () => void }) => (
  <span class="row">
    <span class="muted">up to {renderMoment(upTo, now.peek())}</span>
    <button type="button" class="button" onClick={onLatest}>
      Show the latest
    </button>
  </span>
)

interface EntriesProps {
  readonly cluster: string
  readonly shown: Shown
  readonly names: Readonly<Record<string, string>>
  readonly at: number | undefined
  readonly query: Readonly<Record<string, string>>
}

function Entries({ cluster, shown: { entries, next }, names, at, query }: EntriesProps) {
  const before = at === undefined ? undefined : entryBefore(entries, at)
  const hasEnded = next === undefined
  useEffect(() => {
    const line = document.querySelector('.moment-line')
    const room = line?.closest('main')
    if (!line || !room || at === undefined) return
    const [{ top }, frame] = [line.getBoundingClientRect(), room.getBoundingClientRect()]
    // A line that is in sight stays where it is.
    if (top < frame.top || top > frame.bottom - 48) room.scrollTop += top - frame.top - frame.height / 3
  }, [at])
  if (entries.length === 0)
    return (
      <p class="empty">{query.kind || query.server ? 'Nothing of this kind is recorded.' : 'Nothing is recorded.'}</p>
    )
  return (
    <>
      {groupByDay(entries).map((day) => (
        <section key={`${day.title} ${day.entries[0]?.id}`} class="day" aria-label={day.title}>
          <h3>{day.title}</h3>
          <ol class="entries">
            {day.entries.map((entry) => (
              <Fragment key={entry.id}>
                {entry.id === before && at !== undefined && <MomentLine at={at} />}
                <EntryLine
                  entry={entry}
                  {...(entry.server === undefined ? {} : { server: names[entry.server] ?? entry.server })}
                  href={momentAddress(cluster, entry.at, query)}
                  isMarked={at !== undefined && lastedAt(entry, at)}
                />
              </Fragment>
            ))}
          </ol>
        </section>
      ))}
      {at !== undefined && before === undefined && hasEnded && (
        <ol class="entries">
          <MomentLine at={at} />
        </ol>
      )}
    </>
  )
}

const MomentLine = ({ at }: { readonly at: number }) => (
  <li class="moment-line">
    <span class="number">{renderFullMoment(at)}</span>
  </li>
)

/** Steps are part of a printed report. */
function usePrintedWhole(): void {
  useEffect(() => {
    const closed: HTMLDetailsElement[] = []
    const open = () => {
      for (const details of document.querySelectorAll<HTMLDetailsElement>('.entry-steps:not([open])')) {
        closed.push(details)
        details.open = true
      }
    }
    const close = () => {
      for (const details of closed.splice(0)) details.open = false
    }
    addEventListener('beforeprint', open)
    addEventListener('afterprint', close)
    return () => {
      removeEventListener('beforeprint', open)
      removeEventListener('afterprint', close)
    }
  }, [])
}
