// What just happened in the fleet: findings and operations that began and ended.

import type { FleetNote } from '../../../../../lib/model/fleet/row.js'
import { Moment } from '../../parts/basic/moment.js'
import { notes } from '../../store/fleet/fleet.js'

const SHOWN = 14

const kinds: Readonly<Record<FleetNote['kind'], string>> = {
  'finding-opened': 'opened',
  'finding-closed': 'closed',
  'operation-began': 'began',
  'operation-ended': 'ended',
}

/** Lines of findings begin with the word that the log has for it. */
const withoutWord = (text: string): string => text.replace(/^(OPENED|RESOLV) +/, '').replace(/^(\w+) : /, '$1: ')

export function Happened() {
  const shown = notes.value.slice(0, SHOWN)
  if (shown.length === 0) return null
  return (
    <aside class="happened" aria-label="What just happened">
      <h2>Just happened</h2>
      <ol>
        {shown.map(({ c, at, kind, text }) => (
          <li key={`${c} ${at} ${text}`} class={`happened-${kind}`}>
            <a href={`/c/${encodeURIComponent(c)}/timeline?at=${at}`}>{c}</a> <Moment at={at} />
            <p>
              {kinds[kind]}: {withoutWord(text)}
            </p>
          </li>
        ))}
      </ol>
    </aside>
  )
}
