// The page of all clusters: those in trouble first, searched by typing, opened with Enter. Pure.
import { matches, sortByTrouble } from '../../../http/client/fleet.js'
import type { FleetRow } from '../../../lib/model/fleet/row.js'
import { fleetColumns, fleetText } from '../command/read/fleet.js'
import { cutText } from '../output/text-width.js'
import { type Line, lostText, type Size, tableLines } from './lines.js'

export interface FleetPage {
  /** As the manager last answered it; absent before its first answer. */
  readonly rows?: readonly FleetRow[]
  /** When that was, in milliseconds. */
  readonly seenAt?: number
  /** Name of the selected cluster: it stays selected where the order changes. */
  readonly selected?: string
  readonly search: string
  /** Keys are letters of the search. */
  readonly isTyping: boolean
}

export const emptyFleet: FleetPage = { search: '', isTyping: false }

/** The clusters that match the search, those in trouble first. */
export const listed = ({ rows = [], search }: FleetPage): readonly FleetRow[] =>
  sortByTrouble(rows.filter((row) => matches(row, search)))

export const placeOf = (page: FleetPage): number =>
  Math.max(
    0,
    listed(page).findIndex(({ name }) => name === page.selected),
  )

export function moveInFleet(page: FleetPage, by: number): FleetPage {
  const all = listed(page)
  const place = Math.min(all.length - 1, Math.max(0, placeOf(page) + by))
  const selected = all[place]?.name
  return selected === undefined ? page : { ...page, selected }
}

/** What a keystroke makes of the search; Enter keeps it, Escape clears it. */
export function typeInSearch(page: FleetPage, stroke: string): FleetPage {
  const { selected: _, ...rest } = page
  if (stroke === '\r' || stroke === '\n') return { ...page, isTyping: false }
  if (stroke === '\u001b') return { ...rest, search: '', isTyping: false }
  if (stroke === '\u007f' || stroke === '\b') return { ...rest, search: page.search.slice(0, -1) }
  return /^[\p{L}\p{N}\p{P}\p{S} ]$/u.test(stroke) ? { ...rest, search: page.search + stroke } : page
}

/** Exactly as many lines as there is room for: head, table around the selected cluster, search. */
export function fleetLines(page: FleetPage, { columns, rows }: Size, lost: string | undefined): readonly Line[] {
  const all = listed(page)
  const place = placeOf(page)
  const room = Math.max(1, rows - HEAD - TITLES)
  const first = Math.min(Math.max(0, place - room + 1), Math.max(0, all.length - room))
  const [titles = [], ...lines] = tableLines(fleetColumns, all, { width: columns, selected: place })
  const shown = lines.slice(first, first + room)
  return [
    headLine(page, lost),
    searchLine(page, all.length),
    titles,
    ...(all.length === 0 ? [[{ text: page.rows ? 'No cluster.' : 'Asking …', style: 'dim' as const }]] : shown),
    ...Array.from({ length: Math.max(0, room - Math.max(1, shown.length)) }, () => []),
  ].map((line) => line.map((piece) => ({ ...piece, text: cutText(piece.text, columns) })))
}

const HEAD = 2
const TITLES = 1

function headLine({ rows, seenAt }: FleetPage, lost: string | undefined): Line {
  if (lost !== undefined) return [{ text: `All clusters  ${lostText(lost, seenAt)}`, style: 'red' }]
  return [{ text: rows ? fleetText(rows) : 'All clusters', style: 'bold' }]
}

function searchLine({ search, isTyping }: FleetPage, found: number): Line {
  if (!isTyping && search === '') return [{ text: '/ searches', style: 'dim' }]
  return [
    { text: `/${search}${isTyping ? '_' : ''}`, style: 'bold' },
    { text: `  ${found} found`, style: 'dim' },
  ]
}
