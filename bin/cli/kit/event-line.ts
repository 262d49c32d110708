// One event as a line for people.
import type { StreamItem } from '../../../http/client/events.js'
import { isoTime } from '../../../lib/base/time.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import { paint, type Style } from '../output/paint.js'

const styles: Readonly<Partial<Record<ClusterEvent['level'], Style>>> = {
  ERROR: 'red',
  ALERT: 'red',
  WARN: 'yellow',
  ALERTOK: 'green',
  DEBUG: 'dim',
}

export function renderItem(item: StreamItem, stream: NodeJS.WriteStream): string {
  switch (item.type) {
    case 'event':
      return eventLine(item.event, stream)
    case 'missed':
      return paint('yellow', 'Events were missed here.', stream)
    case 'lost':
      return paint('yellow', 'The connection is lost; trying again.', stream)
    case 'refused':
    case 'failed':
      return paint('red', 'The stream has ended.', stream)
  }
}

function eventLine({ at, level, text, data }: ClusterEvent, stream: NodeJS.WriteStream): string {
  const took = typeof data?.tookMs === 'number' ? paint('dim', ` (${Math.round(data.tookMs)} ms)`, stream) : ''
  return `${paint('dim', isoTime(at).slice(11, 23), stream)} ${paint(styles[level], text, stream)}${took}`
}
