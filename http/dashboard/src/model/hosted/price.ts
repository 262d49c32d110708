// Statements of months: what clusters cost by unit family, as pages show them.
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

/** What is counted in each family of units. */
const titles: Readonly<Record<string, string>> = {
  dbu: 'database servers',
  stateful_dbu: 'stateful applications',
  apu: 'applications and proxies',
  bku: 'local backups',
  bau: 'archives',
}

/** One family of a cluster. Quantities of the month are in unit-months, amounts in the currency. */
export interface FamilyRow {
  readonly family: string
  readonly title: string
  readonly unit: string
  /** Of one unit for a month; absent: it has none. */
  readonly unitPrice?: number
  /** Units now: sold, and used. */
  readonly planNow?: number
  readonly usedNow?: number
  readonly plan?: number
  readonly over?: number
  readonly under?: number
  readonly planCost?: number
  readonly overCost?: number
  readonly underCredit?: number
  readonly cost?: number
  /** At the end of the month, if nothing changes. */
  readonly projected?: number
}

export interface Sums {
  readonly cost?: number
  readonly projected?: number
  /** What a whole month costs as it is now. */
  readonly rate?: number
}

export interface ClusterStatement extends Sums {
  readonly cluster: string
  readonly partners: readonly string[]
  readonly sponsors: readonly string[]
  /** Families of which anything was used or sold. */
  readonly families: readonly FamilyRow[]
  /** For how much of the month it was accounted. */
  readonly accountedMs?: number
}

interface MonthTraits {
  /** "2026-11". */
  readonly month: string
  readonly isFinal: boolean
  readonly elapsedPct?: number
  readonly currency: string
}

export interface ClusterMonth extends MonthTraits {
  readonly statement: ClusterStatement
}

export interface ServiceMonth extends MonthTraits, Sums {
  readonly clusters: readonly ClusterStatement[]
  /** Newest first. */
  readonly months: readonly string[]
}

type Wire = ReturnType<typeof fieldsOf>

/** Of `C/price`; undefined for a reply that names no month. */
export function readClusterMonth(reply: unknown): ClusterMonth | undefined {
  const wire = fieldsOf(wireOf<'GET /api/clusters/:cluster/price'>(reply))
  const traits = readTraits(wire)
  return traits && { ...traits, statement: readStatement(fieldsOf(wire.cluster)) }
}

/** Of `/api/global/price`: clusters by name. */
export function readServiceMonth(reply: unknown): ServiceMonth | undefined {
  const wire = fieldsOf(wireOf<'GET /api/global/price'>(reply))
  const statement = fieldsOf(wire.statement)
  const traits = readTraits(statement)
  if (!traits) return undefined
  return {
    ...traits,
    ...readSums(statement),
    clusters: Object.values(fieldsOf(statement.clusters)).map((cluster) => readStatement(fieldsOf(cluster) as Wire)),
    months: Array.isArray(wire.months) ? wire.months.map(String).toSorted().toReversed() : [],
  }
}

function readTraits(wire: Wire): MonthTraits | undefined {
  const month = textOf(wire.month)
  if (month === undefined) return undefined
  return present<MonthTraits>({
    ...{ month, isFinal: wire.final === true, elapsedPct: numberOf(wire.elapsedPct) },
    currency: textOf(wire.currency) ?? '',
  })
}

const readSums = (wire: Wire): Sums =>
  present<Sums>({ cost: numberOf(wire.monthCost), projected: numberOf(wire.projected), rate: numberOf(wire.rate) })

function readStatement(wire: Wire): ClusterStatement {
  const seconds = numberOf(wire.accountedSeconds)
  return present<ClusterStatement>({
    ...{ cost: undefined, projected: undefined, rate: undefined, ...readSums(wire) },
    ...{ cluster: textOf(wire.cluster) ?? '', partners: textsOf(wire.partners), sponsors: textsOf(wire.sponsors) },
    families: listOf(wire.units).map(readFamily).filter(isUsed),
    accountedMs: seconds === undefined ? undefined : seconds * 1_000,
  })
}

function readFamily(wire: Wire): FamilyRow {
  const family = textOf(wire.family) ?? ''
  return present<FamilyRow>({
    ...{ family, title: titles[family] ?? family, unit: textOf(wire.unit) ?? '' },
    unitPrice: wire.priced === false ? undefined : numberOf(wire.unitPrice),
    ...{ planNow: numberOf(wire.plan), usedNow: numberOf(wire.billable) },
    ...{ plan: numberOf(wire.monthPlan), over: numberOf(wire.monthOverCommit), under: numberOf(wire.monthUnderCommit) },
    ...{ planCost: numberOf(wire.monthPlanCost), overCost: numberOf(wire.monthOverCost) },
    ...{ underCredit: numberOf(wire.monthUnderCredit), cost: numberOf(wire.monthCost) },
    projected: numberOf(wire.projected),
  })
}

const isUsed = ({ planNow = 0, usedNow = 0, plan = 0, over = 0 }: FamilyRow): boolean =>
  planNow > 0 || usedNow > 0 || plan > 0 || over > 0

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

/** "6 DBU, 2 APU": what is used now. */
export const renderUsed = ({ families }: ClusterStatement): string =>
  families
    .flatMap(({ usedNow, unit, family }) =>
      usedNow === undefined || usedNow === 0 ? [] : [`${usedNow} ${unit === '' ? family : unit}`],
    )
    .join(', ')

/** "55.51 EUR". */
export const renderAmount = (amount: number | undefined, currency: string): string | undefined =>
  amount === undefined ? undefined : `${amount.toFixed(2)}${currency === '' ? '' : ` ${currency}`}`

/** Unit-months with three digits. */
export const renderUnits = (units: number | undefined): string | undefined => units?.toFixed(3)

/** "2026-11" moved by so many months; undefined for another text. */
export function monthBeside(month: string, by: number): string | undefined {
  const [, year, of] = /^(\d{4})-(\d{2})$/.exec(month) ?? []
  if (year === undefined || of === undefined) return undefined
  const count = Number(year) * 12 + Number(of) - 1 + by
  return `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, '0')}`
}
