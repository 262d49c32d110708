// The console's screen: its state as lines that fit the terminal. Pure.
import { counted } from '../../../lib/base/counted.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import { stateOf, summarise } from '../answer/explanation.js'
import { modeText, serverColumns } from '../command/read/topology.js'
import type { Style } from '../output/paint.js'
import { wrap } from '../output/table.js'
import { padText, tame, textWidth } from '../output/text-width.js'
import { fleetLines } from './fleet-page.js'
import { keys } from './keys.js'
import { clockTime, fitLine, type Line, lostText, type Size, tableLines, wrapped } from './lines.js'
import { runbookLines } from './runbook-page.js'
import { serverLines } from './server-page.js'
import { type ConsoleState, serverAt, type View } from './state.js'

/** Exactly as many lines as the terminal has, none wider than it. */
export function renderScreen(state: ConsoleState, size: Size): readonly Line[] {
  const below = [noteLine(state), footLine(state, size)]
  if (state.page === 'fleet')
    return [...fleetLines(state.fleet, { ...size, rows: size.rows - below.length }, state.lost), ...below]
      .slice(0, size.rows)
      .map((line) => fitLine(line, size.columns))
  const { above, body, space } = arrange(state, size)
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
  const servers = serverTable(state, columns)
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
  runbooks: 'Runbooks of the open findings',
  explain: 'Would it fail over now?',
  server: 'Server',
  help: 'Keys',
}

function headLine({ cluster, clusters, topology, alerts, lost, seenAt }: ConsoleState): Line {
  const place = clusters.length > 1 ? ` (${clusters.indexOf(cluster) + 1} of ${clusters.length})` : ''
  if (lost !== undefined) {
    return [
      { text: `${cluster}${place}  `, style: 'bold' },
      { text: lostText(lost, topology && seenAt), style: 'red' },
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

/** The servers of the cluster as a table, below its titles. */
const serverTable = ({ topology, selected }: ConsoleState, width: number): readonly Line[] =>
  tableLines(serverColumns, topology?.servers ?? [], { width, selected })

const noEvents: Readonly<Record<ConsoleState['past'], string>> = {
  reading: 'Reading what happened before …',
  read: 'Nothing has happened yet.',
  unread: 'None since the console shows this cluster; earlier ones could not be read.',
}

const bodies: Readonly<Record<View, (state: ConsoleState, columns: number) => readonly Line[]>> = {
  events: ({ events, past }, columns) =>
    events.length === 0
      ? [[{ text: noEvents[past], style: 'dim' }]]
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
  runbooks: runbookLines,
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
  server: (state, columns) => {
    const server = serverAt(state)
    return server ? serverLines(server, state.alerts, columns) : [[{ text: 'No server is selected.', style: 'dim' }]]
  },
  help: () =>
    Object.values(keys).map(({ keys: shown, text }): Line => [{ text: padText(shown, 4), style: 'bold' }, { text }]),
}

/** Below the list of findings. */
const RUNBOOK =
  'o shows their runbooks: what each means, how to check it and what to do; so does manager-cli runbook <code>.'

const levels: Readonly<Partial<Record<ClusterEvent['level'], Style>>> = {
  ERROR: 'red',
  ALERT: 'red',
  WARN: 'yellow',
  ALERTOK: 'green',
  DEBUG: 'dim',
}

const noteLine = ({ question, message }: ConsoleState): Line =>
  question ? [{ text: `${question.text} [y/N]`, style: 'bold' }] : message ? [message] : []

/** The keys that are asked for most; where there is no room for all, help and the way out stay. */
function footLine({ page, view, clusters }: ConsoleState, { columns }: Size): Line {
  const back = view === 'events' ? [] : ['d events']
  const all = clusters.length > 1 ? ['c clusters'] : []
  const most =
    page === 'fleet'
      ? ['⏎ open', '/ search', 'd back']
      : [
          ...back,
          's switchover',
          'f failover',
          'm maintenance',
          'a findings',
          'o runbooks',
          'x explain',
          '⏎ server',
          ...all,
        ]
  const last = ['h help', 'q quit']
  let text = [...most, ...last].join(GAP)
  while (textWidth(text) > columns && most.pop() !== undefined) text = [...most, ...last].join(GAP)
  return [{ text, style: 'dim' }]
}

const GAP = '  '
