// What was accrued in a month, cluster by cluster, and how a tick adds to it. Pure: the moment and the readings are arguments.
import { overOf, type PerFamily, perFamily, type Quantity, underOf } from './family.js'
import { lengthOf, type Month, monthOf, type Span, spanOfMonth, splitByMonth } from './month.js'
import { type Accrual, addAccrual, type Tariff } from './tariff.js'

/** A longer time between two readings is not billed: nothing was monitored meanwhile. */
export const LONGEST_GAP_MS = 300_000

/** Most identities that a month keeps of one cluster. */
const MOST_IDENTITIES = 100

/** A moment by the clock of the day, which may be set, and by the steady one of the boot named, which is not. Whole milliseconds. */
export interface Instant {
  readonly wall: number
  readonly steady: number
  readonly boot: string
}

/** Where the integral of a cluster ends. The term is that of the ownership: while it is the same, no other manager counted. */
export interface Mark extends Instant {
  readonly term: number
}

/** One family of a cluster as last read. */
export interface Reading extends Quantity {
  readonly tariff: Tariff
}

/** What is read of a cluster at a tick. */
export interface Sample {
  readonly cluster: string
  readonly term: number
  readonly readings: PerFamily<Reading>
  /** Users that operate it from outside, and those that pay for it. */
  readonly partners: readonly string[]
  readonly sponsors: readonly string[]
}

/** One cluster in one month. */
export interface ClusterLedger {
  readonly partners: readonly string[]
  readonly sponsors: readonly string[]
  /** Milliseconds since the epoch. */
  readonly firstSeen: number
  readonly lastSeen: number
  /** How long it was accounted in this month, milliseconds. */
  readonly accountedMs: number
  readonly readings: PerFamily<Reading>
  readonly accrued: PerFamily<readonly Accrual[]>
  /** Absent: the next reading begins a new stretch. */
  readonly mark?: Mark
}

export interface MonthLedger {
  readonly month: Month
  /** Of all amounts of the month: that in force when it began. */
  readonly currency: string
  /** Closed: nothing is added any more. */
  readonly final: boolean
  readonly clusters: Readonly<Record<string, ClusterLedger>>
}

export interface Tick {
  readonly instant: Instant
  readonly currency: string
  /** Of the clusters that answered and are owned here. */
  readonly samples: readonly Sample[]
  /** Every cluster that is configured; absent: no other is missing. One that is not has been dropped: it keeps its days. */
  readonly known?: ReadonlySet<string>
}

export type Ledgers = Readonly<Record<Month, MonthLedger>>

/** The months that a tick may write to: those of the longest gap before it. */
export const monthsOfTick = ({ wall }: Instant): readonly Month[] => [
  ...new Set([monthOf(wall - LONGEST_GAP_MS), monthOf(wall)]),
]

/**
 * Adds what passed since the reading before, at the quantities of this one. Time is counted by the steady clock, so that a clock
 * of the day that is set back or forward loses and repeats nothing; it only decides the month. `ledgers` has the months of the tick
 * that are on disk.
 */
export function addTick(ledgers: Ledgers, tick: Tick): Ledgers {
  const { known } = tick
  const months = new Map(
    Object.entries(ledgers).map(([month, ledger]) => [month, known ? withoutDropped(ledger, known) : ledger]),
  )
  const writing = new Map<Month, Record<string, ClusterLedger>>()
  const clustersOf = (month: Month): Record<string, ClusterLedger> => {
    const clusters = writing.get(month) ?? { ...months.get(month)?.clusters }
    writing.set(month, clusters)
    return clusters
  }
  const current = monthOf(tick.instant.wall)
  for (const sample of tick.samples) {
    const span = spanSince(latestMark([...months.values()], sample.cluster), { ...tick.instant, term: sample.term })
    const parts = splitByMonth(span)
    for (const part of parts) if (months.get(part.month)?.final !== true) addPart(clustersOf(part.month), sample, part)
    if (months.get(current)?.final !== true) addMark(clustersOf(current), sample, tick.instant)
  }
  for (const [month, clusters] of writing)
    months.set(month, {
      ...{ month, final: false, clusters },
      currency: months.get(month)?.currency ?? tick.currency,
    })
  return Object.fromEntries(months)
}

/** The time since the mark: empty where it cannot be known, was too long, or another manager may have counted it. */
function spanSince(mark: Mark | undefined, { wall, steady, boot, term }: Mark): Span {
  const none = { from: wall, to: wall }
  if (!mark || mark.term !== term) return none
  const ms = mark.boot === boot ? steady - mark.steady : wall - mark.wall
  return ms > 0 && ms <= LONGEST_GAP_MS ? { from: wall - ms, to: wall } : none
}

/** Of the months in memory one has the mark: the latest that the cluster was seen in. */
function latestMark(ledgers: readonly MonthLedger[], cluster: string): Mark | undefined {
  const marks = ledgers.flatMap(({ clusters }) => clusters[cluster]?.mark ?? [])
  return marks.reduce<Mark | undefined>((latest, mark) => (latest && !isLater(mark, latest) ? latest : mark), undefined)
}

const isLater = (one: Mark, other: Mark): boolean =>
  one.boot === other.boot ? one.steady > other.steady : one.wall > other.wall

/** Adds one stretch, all of it in the month of these clusters. */
function addPart(clusters: Record<string, ClusterLedger>, sample: Sample, span: Span): void {
  const ms = lengthOf(span)
  const ledger = seen(clusters[sample.cluster], sample, span)
  clusters[sample.cluster] = {
    ...ledger,
    accountedMs: ledger.accountedMs + ms,
    accrued: perFamily((family) => {
      const reading = sample.readings[family]
      const more = { planMs: reading.plan * ms, overMs: overOf(reading) * ms, underMs: underOf(reading) * ms }
      const isNothing = more.planMs === 0 && more.overMs === 0
      return isNothing
        ? ledger.accrued[family]
        : addAccrual(ledger.accrued[family], { tariff: reading.tariff, ...more })
    }),
  }
}

function addMark(clusters: Record<string, ClusterLedger>, sample: Sample, instant: Instant): void {
  const at = { from: instant.wall, to: instant.wall }
  clusters[sample.cluster] = {
    ...seen(clusters[sample.cluster], sample, at),
    mark: { ...instant, term: sample.term },
  }
}

const seen = (ledger: ClusterLedger | undefined, sample: Sample, { from, to }: Span): ClusterLedger => ({
  ...(ledger ?? { firstSeen: from, accountedMs: 0, accrued: perFamily(() => []) }),
  lastSeen: Math.max(ledger?.lastSeen ?? to, to),
  readings: sample.readings,
  partners: joined(ledger?.partners, sample.partners),
  sponsors: joined(ledger?.sponsors, sample.sponsors),
})

/** Everyone that was one in the month, in order. */
function joined(before: readonly string[] = [], more: readonly string[]): readonly string[] {
  if (more.every((name) => before.includes(name))) return before
  return [...new Set([...before, ...more])].toSorted().slice(0, MOST_IDENTITIES)
}

/** A dropped cluster that is created again begins a new stretch. */
function withoutDropped(ledger: MonthLedger, known: ReadonlySet<string>): MonthLedger {
  const isDropped = ([name, { mark }]: [string, ClusterLedger]) => mark !== undefined && !known.has(name)
  const entries = Object.entries(ledger.clusters)
  if (!entries.some(isDropped)) return ledger
  return {
    ...ledger,
    clusters: Object.fromEntries(entries.map((entry) => (isDropped(entry) ? unmarked(entry) : entry))),
  }
}

const unmarked = ([name, { mark: _, ...rest }]: [string, ClusterLedger]): [string, ClusterLedger] => [name, rest]

/** The ledger whose clusters all begin a new stretch with the next reading: metering ends on request. */
export const withoutMarks = (ledger: MonthLedger): MonthLedger => ({
  ...ledger,
  clusters: Object.fromEntries(Object.entries(ledger.clusters).map(unmarked)),
})

/** Whether a month has ended for so long that no stretch before its end can come any more. */
export const mayClose = (month: Month, wall: number): boolean => wall >= spanOfMonth(month).to + 2 * LONGEST_GAP_MS

/** The closed month. */
export const closeMonth = (ledger: MonthLedger): MonthLedger => ({ ...withoutMarks(ledger), final: true })
