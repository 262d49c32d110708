// What only one server has, for people: a table of rows, one line for each transaction, and what settling it would do.
import { counted } from '../../../lib/base/counted.js'
import { isoTime } from '../../../lib/base/time.js'
import type {
  DivergedImage,
  DivergedRow,
  DivergedTransaction,
  Divergence,
  DivergencePlan,
} from '../../../lib/model/operation/divergence.js'
import { type Column, renderTable } from '../output/table.js'

interface Line {
  readonly transaction: DivergedTransaction
  readonly row: DivergedRow
}

const kinds = {
  errant: 'has errant transactions',
  lost: 'does not replicate, and has transactions that the primary is missing',
  saved: 'had transactions that the primary was missing; they are saved',
  none: 'has nothing that the primary is missing',
} as const

const columns: readonly Column<Line>[] = [
  { title: 'gtid', isKey: true, text: ({ transaction }) => transaction.gtid },
  { title: 'time', text: ({ transaction }) => isoTime(transaction.at) },
  { title: 'by', text: ({ transaction }) => clientOf(transaction) },
  { title: 'table', text: ({ row }) => row.table },
  { title: 'change', text: ({ row }) => row.kind },
  { title: 'key', text: ({ row }) => imageText(row.key) },
  { title: 'before', text: ({ row }) => imageText(changed(row.before, row.after, row)) },
  { title: 'after', text: ({ row }) => imageText(changed(row.after, row.before, row)) },
]

const clientOf = ({ serverId, thread }: DivergedTransaction): string =>
  `server_id ${serverId}${thread === undefined ? '' : `, connection ${thread}`}`

const imageText = (image: DivergedImage = {}): string =>
  Object.entries(image)
    .map(([name, value]) => `${name}=${value === null ? 'NULL' : value.replace(/\s+/g, ' ').slice(0, 60)}`)
    .join(' ')

/** Of an update only what it changed. */
const changed = (image: DivergedImage = {}, other: DivergedImage = {}, { kind }: DivergedRow): DivergedImage =>
  kind === 'update' ? Object.fromEntries(Object.entries(image).filter(([name, value]) => other[name] !== value)) : image

export function renderDivergence(divergence: Divergence): string {
  const { name, kind, extra, saved, missing, tables, transactions } = divergence
  const lines = transactions.flatMap((transaction) => transaction.rows.map((row) => ({ transaction, row })))
  const unfit = transactions.flatMap((each) =>
    each.unfit === undefined ? [] : [`${each.gtid} cannot be applied or undone: ${each.unfit}`],
  )
  return [
    `${name} ${kinds[kind]}${extra === '' ? '' : `: ${extra}`}.`,
    ...(saved === undefined ? [] : [`Saved: ${saved}`]),
    ...(missing === '' ? [] : [`No binary log has ${missing} any more.`]),
    ...tables.map(
      ({ table, inserted, updated, deleted }) =>
        `${table}: ${counted(inserted, 'row')} inserted, ${updated} updated, ${deleted} deleted`,
    ),
    ...unfit,
    ...(lines.length === 0 ? [] : ['', renderTable(columns, lines)]),
  ].join('\n')
}

export function renderDivergencePlan({ id, possible, refusal, conflicts, steps, effect }: DivergencePlan): string {
  if (!possible) return `Not possible: ${refusal ?? ''}`
  return [
    ...steps.map((step, at) => `${at + 1}. ${step}`),
    effect,
    ...conflicts.map((conflict) => `Conflict: ${conflict}`),
    conflicts.length === 0 ? `Plan: ${id}` : 'Nothing is changed while there is a conflict.',
  ].join('\n')
}
