// A statement as CSV (RFC 4180): a line for each family of each cluster, amounts as in the statement. Pure.
import type { ClusterStatement, MonthStatement, UnitRow } from './statement.js'

type Cell = string | number | boolean

const columns: readonly (keyof UnitRow)[] = [
  ...(['family', 'unit', 'unitPrice', 'overCommitPct', 'underCommitPct', 'monthPlan', 'monthOverCommit'] as const),
  ...(['monthUnderCommit', 'monthPlanCost', 'monthOverCost', 'monthUnderCredit', 'monthCost'] as const),
]

const heads = ['month', 'final', 'currency', 'cluster', 'partners', 'sponsors', 'firstSeen', 'lastSeen', ...columns]

type Listed = Pick<MonthStatement, 'month' | 'final' | 'currency'> & {
  readonly clusters: Readonly<Record<string, Omit<ClusterStatement, 'accrued'>>>
}

/** Lines end with CR LF; families without units in the month are left out. */
export function renderCsv({ month, final, currency, clusters }: Listed): string {
  const lines = Object.values(clusters).flatMap(({ cluster, partners, sponsors, firstSeen, lastSeen, units }) =>
    units
      .filter(({ monthPlan, monthOverCommit }) => monthPlan > 0 || monthOverCommit > 0)
      .map((row) => [
        ...[month, final, currency, cluster, partners.join(' '), sponsors.join(' '), firstSeen, lastSeen],
        ...columns.map((column) => row[column]),
      ]),
  )
  return [heads, ...lines].map((line) => `${line.map(renderCell).join(',')}\r\n`).join('')
}

/** A text that a spreadsheet would take for a formula begins with an apostrophe. */
function renderCell(cell: Cell): string {
  const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
