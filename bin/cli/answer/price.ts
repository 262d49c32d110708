// A statement for people: what each cluster and unit family costs, how much of the month it covers, and the sums.
import type { ClusterStatement, MonthStatement, UnitRow } from '../../../lib/price/index.js'
import { paint } from '../output/paint.js'
import { type Column, renderTable } from '../output/table.js'

interface Line {
  readonly cluster: string
  readonly row: UnitRow
}

const quantity = (value: number): string => value.toFixed(3)
const money = (value: number): string => value.toFixed(2)

const columns: readonly Column<Line>[] = [
  { title: 'family', isKey: true, text: ({ row }) => row.family },
  { title: 'unit', text: ({ row }) => row.unit },
  { title: 'price', align: 'right', text: ({ row }) => (row.priced ? String(row.unitPrice) : '-') },
  { title: 'plan', align: 'right', text: ({ row }) => quantity(row.monthPlan) },
  { title: 'over', align: 'right', text: ({ row }) => quantity(row.monthOverCommit) },
  { title: 'under', align: 'right', text: ({ row }) => quantity(row.monthUnderCommit) },
  { title: 'cost', align: 'right', text: ({ row }) => money(row.monthCost) },
  { title: 'projected', align: 'right', text: ({ row }) => money(row.projected) },
]

const clusterColumn: Column<Line> = { title: 'cluster', isKey: true, text: ({ cluster }) => cluster }

/** The reply of `C/price`. */
export interface ClusterMonth {
  readonly month: string
  readonly final: boolean
  readonly elapsedPct: number
  readonly currency: string
  readonly cluster: ClusterStatement
}

type Heading = Pick<MonthStatement, 'month' | 'final' | 'elapsedPct' | 'currency'>

/** The statement of one cluster. */
export function renderClusterPrice({ cluster, ...heading }: ClusterMonth): string {
  const lines = linesOf(cluster)
  return [
    paint('bold', headingText(cluster.cluster, heading)),
    ...identities(cluster),
    '',
    ...(lines.length === 0 ? ['Nothing was accounted.'] : [renderTable(columns, lines)]),
    '',
    totalText(cluster, heading),
    ...(lines.length === 0 ? [] : [`Accounted from ${cluster.firstSeen} to ${cluster.lastSeen}, ${hours(cluster)} h.`]),
  ].join('\n')
}

/** The statement of all clusters, and the months that have one. */
export function renderPrice({
  statement,
  months,
}: {
  readonly statement: MonthStatement
  readonly months: readonly string[]
}): string {
  const lines = Object.values(statement.clusters).flatMap(linesOf)
  return [
    paint('bold', headingText('All clusters', statement)),
    '',
    ...(lines.length === 0 ? ['Nothing was accounted.'] : [renderTable([clusterColumn, ...columns], lines)]),
    '',
    totalText(statement, statement),
    `Months with a statement: ${months.join(', ') || 'none'}.`,
  ].join('\n')
}

const headingText = (what: string, { month, final, elapsedPct }: Heading): string =>
  `${what}, ${month}${final ? ', final' : `, running (${elapsedPct} % of the month)`}`

const identities = ({ partners, sponsors }: ClusterStatement): readonly string[] => [
  ...(sponsors.length === 0 ? [] : [`Sponsors: ${sponsors.join(', ')}`]),
  ...(partners.length === 0 ? [] : [`Partners: ${partners.join(', ')}`]),
]

/** Families of which nothing was counted in the month are left out. */
const linesOf = ({ cluster, units }: ClusterStatement): readonly Line[] =>
  units
    .filter(({ monthPlan, monthOverCommit, rate }) => monthPlan > 0 || monthOverCommit > 0 || rate > 0)
    .map((row) => ({ cluster, row }))

function totalText(
  { monthCost, projected }: Pick<MonthStatement, 'monthCost' | 'projected'>,
  { final, currency }: Heading,
): string {
  const sum = `Cost: ${money(monthCost)} ${currency}`
  return final
    ? `${sum}.`
    : `${sum} so far, ${money(projected)} ${currency} at the end of the month if nothing changes.`
}

const hours = ({ accountedSeconds }: ClusterStatement): string => (accountedSeconds / 3600).toFixed(1)
