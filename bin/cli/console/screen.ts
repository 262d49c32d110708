// The console's screen: its state as lines that fit the terminal. Pure.
import { counted } from '../../../lib/base/counted.js'
import { isoTime } from '../../../lib/base/time.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import { stateOf, summarise } from '../answer/explanation.js'
import { modeText, serverColumns } from '../command/topology.js'
import type { Style } from '../output/paint.js'
import { cutCell, fitWidths, leastOf, wrap } from '../output/table.js'
import { cutText, padText, tame, textWidth } from '../output/text-width.js'
import { keys } from './keys.js'
import type { ConsoleState, View } from './state.js'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** A part of a line with one style. */
export interface Piece {
  readonly text: string
  readonly style?: Style | undefined
}

export type Line = readonly Piece[]

/** Exactly as many lines as the terminal has, none wider than it. */
export function renderScreen(state: ConsoleState, size: Size): readonly Line[] {
  const { above, body, space } = arrange(state, size)
  const below = [noteLine(state), footLine(state, size)]
  const passed = Math.min(state.scrolled, Math.max(0, body.length - space))
  // Of events the last ones are seen first, of everything else the beginning.
  const first = state.view === 'events' ? Math.max(0, body.length - space - passed) : passed
  const shown = body.slice(first, first + space)
  const filled = [...shown, ...Array.from({ length: Math.max(0, space - shown.length) }, () => [])]
  const part = { first, shown: shown.length, all: body.length }
  const lines = [...above, [{ text: titleOf(state.view, part), style: 'bold' as const }], ...filled, ...below]
  return lines.slice(0, size.rows).map((line) => fitLine(line, size.columns))
}

/** Lines of the view that can be passed over on such a terminal. */
export function scrollLimit(state: ConsoleState, size: Size): number {
  const { body, space } = arrange(state, size)
  return Math.max(0, body.length - space)
}

function arrange(state: ConsoleState, { columns, rows }: Size) {
  const servers = serverLines(state, columns)
  // Two lines are the head and the foot, one each the titles of the table and of what is below it.
  const room = Math.max(1, Math.min(servers.length - 1, rows - 6))
  const first = Math.min(Math.max(0, state.selected - room + 1), Math.max(0, servers.length - 1 - room))
  const above = [headLine(state), ...servers.slice(0, 1), ...servers.slice(1 + first, 1 + first + room)]
  return { above, body: bodies[state.view](state, columns), space: Math.max(0, rows - above.length - FOOT - 1) }
}

/** Lines below the view: the question or message, and the keys. */
const FOOT = 2

const titleOf = (view: View, { first, shown, all }: { first: number; shown: number; all: number }): string =>
  shown === 0 || shown === all
    ? titles[view]
    : `${titles[view]}  ${first + 1} to ${first + shown} of ${all} lines (space, b)`

const titles: Readonly<Record<View, string>> = {
  events: 'Events',
  findings: 'Open findings',
  explain: 'Would it fail over now?',
  help: 'Keys',
}

/** The line cut to so many columns; control characters of what databases say are gone. */
function fitLine(line: Line, columns: number): Line {
  const fitted: Piece[] = []
  let room = columns
  for (const { text, style } of line) {
    const cut = cutText(tame(text), room)
    if (cut !== '') fitted.push({ text: cut, style })
    room -= textWidth(cut)
  }
  return fitted
}

function headLine({ cluster, clusters, topology, alerts, lost, seenAt }: ConsoleState): Line {
  const place = clusters.length > 1 ? ` (${clusters.indexOf(cluster) + 1} of ${clusters.length})` : ''
  if (lost !== undefined) {
    const old = topology && seenAt !== undefined ? `as of ${clockTime(seenAt)}: ` : ''
    return [
      { text: `${cluster}${place}  `, style: 'bold' },
      { text: `${old}${lost}`, style: 'red' },
    ]
  }
  const [errors, warnings] = [alerts?.errors.length ?? 0, alerts?.warnings.length ?? 0]
  return [
    { text: `${cluster}${place}`, style: 'bold' },
    { text: `  ${topology?.topology ?? '…'}  failover ${topology ? modeText(topology) : '…'}  ` },
    { text: counted(errors, 'error'), style: errors > 0 ? 'red' : 'green' },
    { text: '  ' },
    { text: counted(warnings, 'warning'), style: warnings > 0 ? 'yellow' : 'green' },
  ]
}

/** The title of the table, then a line for each server, the selected one inverse. */
function serverLines({ topology, selected }: ConsoleState, columns: number): readonly Line[] {
  const servers = topology?.servers ?? []
  const titles = serverColumns.map(({ title }) => title.toUpperCase())
  const cells = servers.map((server) => serverColumns.map((column) => tame(column.text(server))))
  const natural = serverColumns.map((_, index) =>
    Math.max(...[titles, ...cells].map((row) => textWidth(row[index] ?? ''))),
  )
  const widths = fitWidths(natural, columns, leastOf(serverColumns, natural))
  const lineOf = (texts: readonly string[], styleOf: (index: number) => Style | undefined): Line =>
    widths.map((width, index) => ({
      text: `${padText(cutCell(serverColumns[index], texts[index] ?? '', width), width)}${index === widths.length - 1 ? '' : '  '}`,
      style: styleOf(index),
    }))
  return [
    lineOf(titles, () => 'bold'),
    ...servers.map((server, place) =>
      lineOf(cells[place] ?? [], (index) => (place === selected ? 'inverse' : serverColumns[index]?.style?.(server))),
    ),
  ]
}

/** Below the list of findings. */
const RUNBOOK = 'manager-cli runbook <code> shows what a finding means, how to check it and what to do.'

const bodies: Readonly<Record<View, (state: ConsoleState, columns: number) => readonly Line[]>> = {
  events: ({ events }, columns) =>
    events.length === 0
      ? [[{ text: 'None yet.', style: 'dim' }]]
      : events.flatMap(({ at, level, text }) =>
          wrapped(text, columns, { text: `${clockTime(at)} `, style: 'dim' }).map(([mark = { text: '' }, ...words]) => [
            mark,
            ...words.map((piece) => ({ ...piece, style: levels[level] })),
          ]),
        ),
  findings: ({ alerts }, columns) => {
    const lines = [
      ...(alerts?.errors ?? []).map((alert) => ({ ...alert, style: 'red' as const })),
      ...(alerts?.warnings ?? []).map((alert) => ({ ...alert, style: 'yellow' as const })),
    ].flatMap(({ number, desc, hint = '', style }) => [
      ...wrapped(desc, columns, { text: `${number} `, style }),
      ...(hint === ''
        ? []
        : wrap(tame(hint), Math.max(10, columns - 4)).map((text) => [{ text: `    ${text}`, style: 'dim' as const }])),
    ])
    if (lines.length === 0) return [[{ text: 'None.', style: 'green' }]]
    return [...lines, [], ...wrapped(RUNBOOK, columns, { text: '' })]
  },
  explain: ({ verdict }, columns) => {
    if (!verdict) return [[{ text: 'Asking …', style: 'dim' }]]
    return [
      ...summarise(verdict).flatMap(({ head, style, text }) => wrapped(text, columns, { text: head, style })),
      ...verdict.rows.flatMap((row) => {
        const { word, style } = stateOf(row, verdict)
        return wrapped(row.sentence, columns, { text: padText(word, 9), style })
      }),
    ]
  },
  help: () =>
    Object.values(keys).map(({ keys: shown, text }): Line => [{ text: padText(shown, 4), style: 'bold' }, { text }]),
}

/** A sentence as lines below each other, the first one behind a mark. */
function wrapped(text: string, columns: number, mark: Piece = { text: '' }): readonly Line[] {
  const indent = textWidth(mark.text)
  const before = (index: number): Piece => (index === 0 ? mark : { text: ' '.repeat(indent) })
  return wrap(tame(text), Math.max(10, columns - indent)).map((each, index) => [before(index), { text: each }])
}

const levels: Readonly<Partial<Record<ClusterEvent['level'], Style>>> = {
  ERROR: 'red',
  ALERT: 'red',
  WARN: 'yellow',
  ALERTOK: 'green',
  DEBUG: 'dim',
}

const clockTime = (at: number): string => isoTime(at).slice(11, 19)

const noteLine = ({ question, message }: ConsoleState): Line =>
  question ? [{ text: `${question.text} [y/N]`, style: 'bold' }] : message ? [message] : []

/** The keys that are asked for most; where there is no room for all, help and the way out stay. */
function footLine({ view }: ConsoleState, { columns }: Size): Line {
  const back = view === 'events' ? [] : ['d events']
  const most = [...back, 's switchover', 'f failover', 'm maintenance', 'a findings', 'x explain']
  const last = ['h help', 'q quit']
  let text = [...most, ...last].join(GAP)
  while (textWidth(text) > columns && most.pop() !== undefined) text = [...most, ...last].join(GAP)
  return [{ text, style: 'dim' }]
}

const GAP = '  '
