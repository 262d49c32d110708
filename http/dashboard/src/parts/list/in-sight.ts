// Which lines of a list are in sight: of their tops, what is scrolled away above, and the height of the window. Pure.

/** Tops of the lines; the last value is the height of all. */
export function topsOf(count: number, heightOf: (index: number) => number): Float64Array {
  const tops = new Float64Array(count + 1)
  for (let index = 0; index < count; index++) tops[index + 1] = (tops[index] ?? 0) + heightOf(index)
  return tops
}

export interface Sight {
  /** Pixels of the list above the window; negative while the list begins below its upper edge. */
  readonly above: number
  readonly height: number
}

/** From the first to before the last line in sight, with some more on either side. */
export function linesInSight(
  tops: Float64Array,
  { above, height }: Sight,
  spare: number,
): { readonly from: number; readonly to: number } {
  const count = tops.length - 1
  const first = lineAt(tops, above)
  const last = lineAt(tops, above + height)
  return { from: Math.max(0, first - spare), to: Math.min(count, last + 1 + spare) }
}

/** The line that covers the pixel; the nearest one outside of the list. */
function lineAt(tops: Float64Array, pixel: number): number {
  let low = 0
  let high = Math.max(0, tops.length - 2)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((tops[middle] ?? 0) <= pixel) low = middle
    else high = middle - 1
  }
  return low
}
