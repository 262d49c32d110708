// Links from charts to what keeps longer history, where the manager is set to one: the same cluster, server and span there.
import { type HistoryPlaces, me } from '../../store/me.js'
import { type HistorySubject, historyLinks } from './history-links.js'

export function LongerHistory(subject: HistorySubject) {
  const places: HistoryPlaces | undefined = me.value?.history
  const links = places ? historyLinks(places, subject) : []
  if (links.length === 0) return null
  return (
    <span class="longer-history">
      {links.map(({ title, href }) => (
        <a key={title} href={href} target="_blank" rel="noopener noreferrer" title={`Longer history in ${title}`}>
          {title}
          <span class="hidden">, longer history, opens another tab</span>
          <span aria-hidden="true"> ↗</span>
        </a>
      ))}
    </span>
  )
}
