// What happened last, on the page of a cluster; loaded after it.
import { Panel } from '../../../parts/basic/panel.js'
import { momentAddress } from './days.js'
import { EntryLine } from './entry-line.js'
import { useTimeline } from './use-timeline.js'
import './timeline.css'

const SHOWN = 10

/** Nothing until something is known. */
export function LatestPanel({
  cluster,
  names,
}: {
  readonly cluster: string
  readonly names: Readonly<Record<string, string>>
}) {
  const { shown, failure } = useTimeline({ cluster, limit: SHOWN })
  if (!shown || shown.entries.length === 0) return null
  return (
    <Panel
      title="Latest"
      stale={failure !== undefined}
      aside={<a href={`/c/${encodeURIComponent(cluster)}/timeline`}>Timeline</a>}
    >
      <ol class="entries">
        {shown.entries.slice(0, SHOWN).map((entry) => (
          <EntryLine
            key={entry.id}
            entry={entry}
            {...(entry.server === undefined ? {} : { server: names[entry.server] ?? entry.server })}
            href={momentAddress(cluster, entry.at)}
          />
        ))}
      </ol>
    </Panel>
  )
}
