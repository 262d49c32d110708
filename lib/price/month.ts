// Months in UTC: `2026-11`, where they begin and end, and how a span of time falls into them. Pure.

/** `YYYY-MM`. */
export type Month = string

/** Milliseconds since the epoch: `from` included, `to` excluded. */
export interface Span {
  readonly from: number
  readonly to: number
}

export const monthPattern = /^\d{4}-(0[1-9]|1[0-2])$/

/** The month of a moment. */
export const monthOf = (at: number): Month => new Date(at).toISOString().slice(0, 7)

/** The span of a month. */
export function spanOfMonth(month: Month): Span {
  const from = Date.parse(`${month}-01T00:00:00Z`)
  const next = new Date(from)
  next.setUTCMonth(next.getUTCMonth() + 1)
  return { from, to: next.getTime() }
}

export const lengthOf = ({ from, to }: Span): number => Math.max(0, to - from)

/** The parts of a span, one for each month that it touches; none for an empty span. */
export function splitByMonth({ from, to }: Span): readonly (Span & { readonly month: Month })[] {
  if (to <= from) return []
  const month = monthOf(from)
  const end = Math.min(to, spanOfMonth(month).to)
  return [{ month, from, to: end }, ...splitByMonth({ from: end, to })]
}

/** How much of the month has passed at a moment: 0 to 1. */
export function elapsedOf(month: Month, at: number): number {
  const span = spanOfMonth(month)
  return Math.min(1, Math.max(0, (at - span.from) / lengthOf(span)))
}
