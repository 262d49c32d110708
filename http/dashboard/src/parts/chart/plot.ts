// Draws lines by uPlot, in the colours of the theme.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { renderClock, renderTicks } from '../../text/moments.js'
import { type ChartUnit, renderValue } from './values.js'

export interface Line {
  readonly name: string
  /** As many as times; null: nobody measured. */
  readonly values: readonly (number | null)[]
}

export interface Mark {
  readonly at: number
  readonly text: string
  /** Beside its line, where its text is elsewhere. */
  readonly sign?: string
}

export interface LineSet {
  /** Milliseconds. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  readonly unit?: ChartUnit
  /** Moments worth a line of their own: a failover, a change. */
  readonly marks?: readonly Mark[]
  /** Each value is a point, joined to the next one of its line: for values that are far apart. */
  readonly hasPoints?: boolean
}

export interface Drawn {
  update(set: LineSet): void
  remove(): void
}

/** Draws into the element, follows its width and the theme. */
export function drawPlot(frame: HTMLElement, first: LineSet, height: number): Drawn {
  let set = first
  const draw = () =>
    new uPlot(
      optionsOf(frame, () => set, height),
      dataOf(set),
      frame,
    )
  let plot = draw()
  const again = () => {
    plot.destroy()
    plot = draw()
  }
  const sizes = new ResizeObserver(() => plot.setSize({ width: frame.clientWidth, height }))
  sizes.observe(frame)
  const themes = new MutationObserver(again)
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', again)
  return {
    update: (next) => {
      set = next
      plot.setData(dataOf(next))
    },
    remove: () => {
      sizes.disconnect()
      themes.disconnect()
      system.removeEventListener('change', again)
      plot.destroy()
    },
  }
}

const dataOf = ({ times, lines }: LineSet): uPlot.AlignedData => [
  times.map((at) => at / 1_000),
  ...lines.map(({ values }) => [...values]),
]

function optionsOf(frame: HTMLElement, current: () => LineSet, height: number): uPlot.Options {
  const { lines, unit = 'count', hasPoints = false } = current()
  const colour = (name: string) => resolveColour(frame, name)
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } }
  const font = `11px ${getComputedStyle(frame).fontFamily}`
  return {
    width: frame.clientWidth,
    height,
    legend: { show: lines.length > 1, live: true },
    cursor: { points: { size: 5 }, drag: { x: true, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : unit === 'ms' ? 1_000 : 1] } },
    axes: [
      { ...axis, font, size: 26, space: 64, values: (_plot, splits) => renderTicks(splits.map((at) => at * 1_000)) },
      { ...axis, font, size: 56, values: (_plot, splits) => splits.map((value) => renderValue(unit, value)) },
    ],
    series: [
      { label: 'At', value: (_plot: uPlot, at: number | null) => (at === null ? '–' : renderClock(at * 1_000)) },
      ...lines.map(({ name }, index) => ({
        label: name,
        stroke: colour(`--line-${(index % 6) + 1}`),
        width: 1.5,
        points: { show: hasPoints, size: 6 },
        spanGaps: hasPoints,
        value: (_plot: uPlot, value: number | null) => (value === null ? '–' : renderValue(unit, value)),
      })),
    ],
    hooks: {
      draw: [
        (plot) => drawMarks(plot, current().marks ?? [], { line: colour('--muted'), ground: colour('--surface') }),
      ],
    },
  }
}

interface MarkColours {
  readonly line: string
  /** Behind the sign, which a line of values may cross. */
  readonly ground: string
}

function drawMarks(plot: uPlot, marks: NonNullable<LineSet['marks']>, { line, ground }: MarkColours): void {
  const { ctx, bbox } = plot
  const pixel = devicePixelRatio
  ctx.save()
  ctx.strokeStyle = line
  ctx.font = `${11 * pixel}px sans-serif`
  ctx.setLineDash([3, 3])
  for (const { at, sign } of marks) {
    const x = Math.round(plot.valToPos(at / 1_000, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    if (sign === undefined) continue
    ctx.fillStyle = ground
    ctx.fillRect(x + pixel, bbox.top, ctx.measureText(sign).width + 4 * pixel, 14 * pixel)
    ctx.fillStyle = line
    ctx.fillText(sign, x + 3 * pixel, bbox.top + 11 * pixel)
  }
  ctx.restore()
}

/** A canvas knows no custom properties and no `light-dark()`: the browser computes them on an element. */
function resolveColour(frame: HTMLElement, name: string): string {
  const before = frame.style.color
  frame.style.color = `var(${name})`
  const colour = getComputedStyle(frame).color
  frame.style.color = before
  return colour
}
