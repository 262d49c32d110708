// The statement of a month as files, the API and people read it, from its ledger. Pure.
import { familyRows, overOf, type PerFamily, perFamily, type UnitFamily, underOf, unitFamilies } from './family.js'
import { LONGEST_GAP_MS, type MonthLedger, type Reading } from './ledger.js'
import { elapsedOf, lengthOf, type Month, spanOfMonth } from './month.js'
import { type Accrual, type Cost, costOf, joinAccruals, type Tariff } from './tariff.js'

/** One family of a cluster. Amounts are in the currency, with two digits; quantities of the month in unit-months. */
export interface UnitRow {
  readonly family: UnitFamily
  readonly unit: string
  /** At the latest reading, in units; 0 for a cluster that was dropped. */
  readonly plan: number
  readonly billable: number
  readonly overCommit: number
  readonly underCommit: number
  /** In force at the latest reading: of one unit for a month. */
  readonly unitPrice: number
  readonly overCommitPct: number
  readonly underCommitPct: number
  readonly priced: boolean
  /** What a whole month costs at the latest reading. */
  readonly rate: number
  readonly monthPlan: number
  readonly monthOverCommit: number
  readonly monthUnderCommit: number
  /** `monthCost` = `monthPlanCost` + `monthOverCost` − `monthUnderCredit`, to the cent. */
  readonly monthPlanCost: number
  readonly monthOverCost: number
  readonly monthUnderCredit: number
  readonly monthCost: number
  /** At the end of the month, if nothing changes. */
  readonly projected: number
}

export interface ClusterStatement {
  readonly cluster: string
  /** The first of `partners`; empty when there is none. */
  readonly partner: string
  readonly partners: readonly string[]
  readonly sponsors: readonly string[]
  readonly units: readonly UnitRow[]
  readonly rate: number
  readonly monthCost: number
  readonly projected: number
  /** RFC 3339; empty when it was not seen in the month. */
  readonly firstSeen: string
  readonly lastSeen: string
  /** For how much of the month it was accounted. */
  readonly accountedSeconds: number
  /** What the amounts are made of: for each tariff, units × milliseconds. Prices in ten-thousandths. */
  readonly accrued: PerFamily<readonly Accrual[]>
}

export interface MonthStatement {
  readonly month: Month
  readonly currency: string
  readonly final: boolean
  readonly elapsedPct: number
  /** Of one unit for a month, as configured now; those of the last day for a closed month. */
  readonly defaultPrices: PerFamily<number>
  readonly generatedAt: string
  readonly clusters: Readonly<Record<string, ClusterStatement>>
  readonly rate: number
  readonly monthCost: number
  readonly projected: number
}

export interface StatementTraits {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly prices: PerFamily<number>
}

/** Clusters in the order of their names; each sum is that of the amounts shown. */
export const renderStatement = (ledger: MonthLedger, traits: StatementTraits): MonthStatement =>
  joinStatements(
    ledger,
    clustersOf(ledger).map((cluster) => renderCluster(ledger, cluster, traits.at)),
    traits,
  )

/** The clusters of a month in the order of their names. */
export const clustersOf = ({ clusters }: MonthLedger): readonly string[] => Object.keys(clusters).toSorted()

/** The month of its clusters' statements. */
export function joinStatements(
  ledger: MonthLedger,
  clusters: readonly ClusterStatement[],
  { at, prices }: StatementTraits,
): MonthStatement {
  return {
    ...{ month: ledger.month, currency: ledger.currency, final: ledger.final },
    elapsedPct: percent(elapsedOf(ledger.month, at)),
    defaultPrices: perFamily((family) => prices[family] / 10_000),
    generatedAt: new Date(at).toISOString(),
    clusters: Object.fromEntries(clusters.map((statement) => [statement.cluster, statement])),
    ...sums(clusters),
  }
}

/** The statement of a cluster that was not seen in the month. */
export const emptyStatement = (cluster: string): ClusterStatement => ({
  ...{ cluster, partner: '', partners: [], sponsors: [], units: [], rate: 0, monthCost: 0, projected: 0 },
  ...{ firstSeen: '', lastSeen: '', accountedSeconds: 0, accrued: perFamily(() => []) },
})

/** One cluster of the month; an empty statement when it was not seen in it. */
export function renderCluster({ month, final, clusters }: MonthLedger, cluster: string, at: number): ClusterStatement {
  const ledger = clusters[cluster]
  if (!ledger) return emptyStatement(cluster)
  const isCurrent = !final && ledger.mark !== undefined && at - ledger.lastSeen <= LONGEST_GAP_MS
  const units = unitFamilies.map((family) =>
    renderRow({ family, reading: ledger.readings[family], accrued: ledger.accrued[family], isCurrent }, month, at),
  )
  return {
    ...{ cluster, partner: ledger.partners[0] ?? '', partners: ledger.partners, sponsors: ledger.sponsors, units },
    ...sums(units),
    firstSeen: new Date(ledger.firstSeen).toISOString(),
    lastSeen: new Date(ledger.lastSeen).toISOString(),
    accountedSeconds: Math.floor(ledger.accountedMs / 1000),
    accrued: ledger.accrued,
  }
}

interface RowParts {
  readonly family: UnitFamily
  readonly reading: Reading
  readonly accrued: readonly Accrual[]
  /** It is being accounted now: what follows of the month is known. */
  readonly isCurrent: boolean
}

function renderRow({ family, reading, accrued, isCurrent }: RowParts, month: Month, at: number): UnitRow {
  const monthMs = lengthOf(spanOfMonth(month))
  const leftMs = isCurrent ? Math.max(0, spanOfMonth(month).to - Math.max(at, spanOfMonth(month).from)) : 0
  const cost = costOf(accrued, monthMs)
  const { planMs, overMs, underMs } = joinAccruals(accrued)
  const { plan, billable, tariff } = reading
  return {
    ...{ family, unit: familyRows[family].unit, plan: 0, billable: 0, overCommit: 0, underCommit: 0 },
    ...(isCurrent ? { plan, billable, overCommit: overOf(reading), underCommit: underOf(reading) } : {}),
    ...shownTariff(tariff),
    rate: isCurrent ? amount(costOf([during(reading, monthMs)], monthMs).total) : 0,
    ...{ monthPlan: share(planMs, monthMs), monthOverCommit: share(overMs, monthMs) },
    monthUnderCommit: share(underMs, monthMs),
    ...shownCost(cost),
    projected: amount(costOf([...accrued, during(reading, leftMs)], monthMs).total),
  }
}

/** The integrals of a reading that lasts. */
const during = (reading: Reading, ms: number): Accrual => ({
  tariff: reading.tariff,
  ...{ planMs: reading.plan * ms, overMs: overOf(reading) * ms, underMs: underOf(reading) * ms },
})

const shownTariff = ({ price, overPct, underPct }: Tariff) => ({
  ...{ unitPrice: price / 10_000, overCommitPct: overPct, underCommitPct: underPct, priced: price > 0 },
})

const shownCost = ({ plan, over, under, total }: Cost) => ({
  ...{ monthPlanCost: amount(plan), monthOverCost: amount(over), monthUnderCredit: amount(under) },
  monthCost: amount(total),
})

/** Cents as an amount of the currency. */
const amount = (cents: number): number => cents / 100

const share = (ms: number, monthMs: number): number => Math.round((ms / monthMs) * 1e6) / 1e6

const percent = (ratio: number): number => Math.round(ratio * 10_000) / 100

interface Sums {
  readonly rate: number
  readonly monthCost: number
  readonly projected: number
}

/** Sums in cents: amounts with two digits add up. */
function sums(parts: readonly Sums[]): Sums {
  const of = (field: keyof Sums) => amount(parts.reduce((sum, part) => sum + Math.round(part[field] * 100), 0))
  return { rate: of('rate'), monthCost: of('monthCost'), projected: of('projected') }
}
