// The lanes of a timeline as a drawing; the list below says the same in words, so it is hidden from screen readers.
import { useLocation } from 'preact-iso/router'
import type { Entry } from '../../../model/cluster/timeline.js'
import { now } from '../../../store/clock.js'
import { renderClock, renderMoment } from '../../../text/moments.js'
import { type Bar, layLanes, rangeOf, ticksOf } from './lanes.js'

const ROW = 12
const GAP = 4
const POINT = 3

export interface LanesProps {
  readonly entries: readonly Entry[]
  /** Milliseconds: the present, or where the list ends. */
  readonly end: number
  readonly servers: readonly string[]
  readonly names: Readonly<Record<string, string>>
  readonly at?: number | undefined
  readonly addressOf: (at: number) => string
}

export function LanesView({ entries, end, servers, names, at, addressOf }: LanesProps) {
  const { route } = useLocation()
  const range = rangeOf(entries, end)
  if (!range) return null
  const lanes = layLanes(entries, range, servers)
  const ticks = ticksOf(range, -new Date(range.from).getTimezoneOffset() * 60_000)
  const isLong = range.to - range.from > 86_400_000
  const tickText = (tick: number) => (isLong ? renderMoment(tick, now.peek()) : renderClock(tick)).replace(/:00$/, '')
  const go = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target.closest('[data-at]') : null
    const moment = Number(target?.getAttribute('data-at') ?? Number.NaN)
    if (Number.isFinite(moment)) route(addressOf(moment))
  }
  const place = at === undefined ? undefined : (100 * (at - range.from)) / (range.to - range.from)
  const line = place !== undefined && place >= 0 && place <= 100 ? `${place}%` : undefined
  return (
    <div class="lanes" aria-hidden="true" onClick={go}>
      {lanes.map(({ server, rows, bars, points }) => (
        <div key={server} class="lane">
          <span class={server === '' ? 'muted' : undefined}>
            {server === '' ? 'cluster' : (names[server] ?? server)}
          </span>
          <svg aria-hidden="true" width="100%" height={rows * (ROW + GAP) + GAP}>
            {ticks.map((tick) => (
              <line key={tick.at} class="lane-tick" x1={`${tick.x}%`} x2={`${tick.x}%`} y1="0" y2="100%" />
            ))}
            {bars.map((bar) => (
              <rect
                key={bar.id}
                class={barClass(bar)}
                data-at={bar.at}
                x={`${bar.x}%`}
                width={`${bar.width}%`}
                y={GAP + bar.row * (ROW + GAP)}
                height={ROW}
                rx="2"
              >
                <title>{`${renderClock(bar.at)} ${bar.text}`}</title>
              </rect>
            ))}
            {points.map((point) => (
              <circle
                key={point.id}
                class={`lane-point lane-${point.tone}`}
                data-at={point.at}
                cx={`${point.x}%`}
                cy={GAP + ROW / 2}
                r={POINT}
              >
                <title>{`${renderClock(point.at)} ${point.text}`}</title>
              </circle>
            ))}
            {line && <line class="lane-moment" x1={line} x2={line} y1="0" y2="100%" />}
          </svg>
        </div>
      ))}
      <div class="lane lane-axis">
        <span />
        <svg aria-hidden="true" width="100%" height="16">
          {ticks.map((tick) => (
            <text
              key={tick.at}
              x={`${tick.x}%`}
              y="12"
              text-anchor={tick.x < 4 ? 'start' : tick.x > 96 ? 'end' : 'middle'}
            >
              {tickText(tick.at)}
            </text>
          ))}
        </svg>
      </div>
    </div>
  )
}

const barClass = ({ form, tone, lasts }: Bar): string =>
  `lane-bar lane-${form} lane-${tone} ${lasts ? 'lane-lasts' : ''}`
