// Prices and the formula of a statement, in whole numbers: no sum depends on the order of its parts. Pure.

/** What one unit of a family costs. */
export interface Tariff {
  /** Ten-thousandths of the currency for one unit during one month. */
  readonly price: number
  /** Surcharge on a unit above the plan, and reduction of a unit of the plan that is not used: percent of the price. */
  readonly overPct: number
  readonly underPct: number
}

/** Integrals over time: units × milliseconds. */
export interface Integral {
  readonly planMs: number
  readonly overMs: number
  readonly underMs: number
}

/** Integrals under the tariff that was in force meanwhile. */
export interface Accrual extends Integral {
  readonly tariff: Tariff
}

/** Cents of the currency. `total` is plan + over − under. */
export interface Cost {
  readonly plan: number
  readonly over: number
  readonly under: number
  readonly total: number
}

/** A price in text, with at most four digits behind the point, in ten-thousandths. */
export const pricePattern = /^\d{1,7}(\.\d{1,4})?$/

export function parsePrice(text: string): number {
  const [units = '0', fraction = ''] = text.split('.')
  return Number(units) * 10_000 + Number(fraction.padEnd(4, '0'))
}

export const sameTariff = (one: Tariff, other: Tariff): boolean =>
  one.price === other.price && one.overPct === other.overPct && one.underPct === other.underPct

/**
 * What the integrals of one month cost: for each tariff, price × (plan + over × (100 + over %) / 100 − under × under % / 100). Each of
 * the three parts is rounded once, to the cent, half up.
 */
export function costOf(accruals: readonly Accrual[], monthMs: number): Cost {
  const part = (field: keyof Integral, percentOf: (tariff: Tariff) => number): number =>
    roundedCents(
      accruals.reduce(
        (sum, { tariff, [field]: ms }) => sum + BigInt(tariff.price) * BigInt(percentOf(tariff)) * BigInt(ms),
        0n,
      ),
      monthMs,
    )
  const plan = part('planMs', () => 100)
  const over = part('overMs', ({ overPct }) => 100 + overPct)
  const under = part('underMs', ({ underPct }) => underPct)
  return { plan, over, under, total: plan + over - under }
}

/** Millionths of the currency × milliseconds, as cents of a month. */
function roundedCents(sum: bigint, monthMs: number): number {
  const divisor = BigInt(monthMs) * 10_000n
  return Number((2n * sum + divisor) / (2n * divisor))
}

/** The integrals together. */
export const joinAccruals = (accruals: readonly Accrual[]): Integral =>
  accruals.reduce<Integral>(
    (sum, one) => ({
      planMs: sum.planMs + one.planMs,
      overMs: sum.overMs + one.overMs,
      underMs: sum.underMs + one.underMs,
    }),
    { planMs: 0, overMs: 0, underMs: 0 },
  )

/** Adds to the integrals under the same tariff; a new tariff begins a line of its own. */
export function addAccrual(accruals: readonly Accrual[], more: Accrual): readonly Accrual[] {
  const index = accruals.findIndex(({ tariff }) => sameTariff(tariff, more.tariff))
  const known = accruals[index]
  return known ? accruals.with(index, { tariff: known.tariff, ...joinAccruals([known, more]) }) : [...accruals, more]
}
