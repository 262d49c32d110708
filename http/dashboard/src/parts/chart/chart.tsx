// Lines over time. The library that draws them is loaded with the first chart.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Drawn, LineSet } from './plot.js'
import { renderValue } from './values.js'

export type { Line, LineSet, Mark } from './plot.js'

export interface ChartProps extends LineSet {
  readonly title: string
  readonly height?: number
}

export function Chart({ title, height = 140, ...set }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const drawn = useRef<Drawn | undefined>(undefined)
  const problem = useSignal(false)
  const shape = set.lines.map(({ name }) => name).join('\n')
  const latest = useRef(set)
  latest.current = set

  // New lines need a new drawing, new values do not.
  useEffect(() => {
    let gone = false
    import('./plot.js').then(
      ({ drawPlot }) => {
        if (gone || !frame.current) return
        drawn.current = drawPlot(frame.current, latest.current, height)
      },
      () => {
        problem.value = true
      },
    )
    return () => {
      gone = true
      drawn.current?.remove()
      drawn.current = undefined
    }
  }, [shape, set.unit, height])

  useEffect(() => drawn.current?.update(set))

  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      {problem.value ? (
        <p class="empty">The chart could not be loaded.</p>
      ) : (
        <div ref={frame} class="chart-frame" role="img" aria-label={describe(title, set)} />
      )}
    </figure>
  )
}

/** The last value of each line, in words. */
function describe(title: string, { lines, unit }: LineSet): string {
  const said = lines.map(({ name, values }) => {
    const last = values.findLast((value) => value !== null)
    return `${name}: ${last === undefined || last === null ? 'no value' : renderValue(unit, last)}`
  })
  return `${title}; last values: ${said.join(', ')}`
}
