// What a box and an edge of the topology say, in words: the same for the eye and for a screen reader. Pure.
import type { Channel, Server } from '../../../model/cluster/server.js'
import { renderDuration, renderShort } from '../../../text/numbers.js'
import type { Fold } from './fold.js'
import type { Box } from './layout.js'

export const lagText = (seconds: number): string => (seconds === 0 ? '0 s' : renderDuration(seconds * 1_000))

/** What stands at the edge to a replica: trouble first, else its lag. */
export function edgeText(channel: Channel, server: Server | undefined): string {
  const name = channel.name === '' ? '' : `${channel.name}: `
  if (channel.io === 'stopped' && channel.sql === 'stopped') return `${name}stopped`
  if (channel.sql === 'stopped') return `${name}SQL thread stopped`
  if (channel.io === 'stopped') return `${name}not receiving`
  if (channel.io === 'connecting') return `${name}connecting`
  const lag = channel.lag === undefined ? '' : `${lagText(channel.lag)}${channel.lag === 0 ? '' : ' behind'}`
  const sync = server?.semiSync === 'acknowledging' ? (lag === '' ? 'semi-sync' : ' · semi-sync') : ''
  return `${name}${lag}${sync}`
}

export type EdgeTone = 'well' | 'late' | 'broken' | 'unknown'

export function edgeTone(channel: Channel, server: Server | undefined): EdgeTone {
  if (server?.condition === 'down' || server?.condition === 'unsure') return 'unknown'
  if (channel.io === 'stopped' || channel.sql === 'stopped') return 'broken'
  if (channel.io === 'connecting' || server?.condition === 'late') return 'late'
  return 'well'
}

/** The second line of a server: its state and what is remarkable. */
export function stateLine(server: Server): string {
  const { word, role, readOnly, condition, rating, isMaintenance } = server
  const notes = [
    word,
    ...(condition === 'down' ? [] : role === 'primary' && readOnly === true ? ['read-only'] : []),
    ...(condition === 'down' ? [] : role === 'replica' && readOnly === false ? ['writable'] : []),
    ...(isMaintenance && condition !== 'away' ? ['maintenance'] : []),
    ...(rating === undefined ? [] : [rating]),
  ]
  return notes.join(' · ')
}

export const foldLine = ({ servers }: Fold): string => `${servers} more replica${servers === 1 ? '' : 's'}`

export function foldDetail({ worstLag, troubled }: Fold): string {
  const lag = worstLag === undefined ? '' : `worst lag ${lagText(worstLag)}`
  return [lag, troubled === 0 ? '' : `${troubled} not well`].filter((text) => text !== '').join(' · ') || 'all well'
}

/** Of a box as a whole, for a screen reader. */
export function boxLabel(box: Box, byId: ReadonlyMap<string, Server>): string {
  if (box.fold) return `${foldLine(box.fold)}, ${foldDetail(box.fold)}`
  if (box.outsider) return `${box.outsider.address}, a source outside of this cluster`
  const { server } = box
  if (!server) return ''
  const from = server.channels.map((channel) => {
    const source = byId.get(channel.source ?? '')?.name ?? `${channel.sourceHost}:${channel.sourcePort}`
    return `replicates from ${source}, ${edgeText(channel, server) || 'lag not known'}`
  })
  // What the box shows comes first, in its order: people who speak to their computer say what they see.
  const rate =
    server.queriesPerSecond === undefined || server.condition === 'down' ? [] : [rateText(server.queriesPerSecond)]
  return [server.name, stateLine(server), ...rate, ...from].join(', ')
}

export const rateText = (perSecond: number): string => `${renderShort(perSecond)}/s`

/** At most so many characters, the middle left out: both ends of a host name distinguish it. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.ceil((most - 1) / 2)
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`
}
