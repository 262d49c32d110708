// Charts of what the manager measured: how far back, what moved the role meanwhile, and the same as a table.
import { useSignal } from '@preact/signals'
import { readSeries, type SeriesSet } from '../../model/cluster/series.js'
import { readTimeline } from '../../model/cluster/timeline.js'
import { useQuery } from '../../parts/address.js'
import { Empty, Failed, Loading } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import { Chart, type Mark } from '../../parts/chart/chart.js'
import { renderValue } from '../../parts/chart/values.js'
import { type Reading, useReading } from '../../store/reading.js'
import { renderMoment } from '../../text/moments.js'
import { momentAddress } from '../cluster/timeline/days.js'
import { LongerHistory } from './longer-history.js'
import type { TitledLines } from './server-forms.js'
import { marksOf, type SpanName, spanOf, spans } from './spans.js'
import './charts.css'

export interface ChartsPanelProps {
  readonly cluster: string
  /** As the address names it; absent: of every server. */
  readonly server?: string
  readonly names: readonly string[]
  readonly chartsOf: (series: SeriesSet) => readonly TitledLines[]
}

/** The manager has a new point every ten seconds. */
const EVERY_MS = 10_000

export function ChartsPanel({ cluster, server, names, chartsOf }: ChartsPanelProps) {
  const { query, setQuery } = useQuery()
  const span = spanOf(query.span)
  const reading = useReading('GET /api/clusters/:cluster/series', {
    params: { cluster },
    query: { names: names.join(','), last: spans[span].seconds, ...(server === undefined ? {} : { server }) },
    every: EVERY_MS,
  })
  const operations = useReading('GET /api/clusters/:cluster/timeline', {
    params: { cluster },
    query: { kind: 'operation', limit: 100 },
    every: EVERY_MS,
  })
  const instance = instanceIn(reading.value)
  return (
    <Panel
      title="Charts"
      stale={reading.isStale}
      aside={
        <>
          {server === undefined ? (
            <LongerHistory cluster={cluster} span={span} />
          ) : (
            instance !== undefined && <LongerHistory cluster={cluster} span={span} instance={instance} />
          )}
          <SpanChoice span={span} choose={(word) => setQuery({ span: word === '1h' ? undefined : word })} />
        </>
      }
    >
      <Shown reading={reading} chartsOf={chartsOf} cluster={cluster} operations={operations.value} />
    </Panel>
  )
}

/** What metrics call the server that was asked for. */
const instanceIn = (series: unknown): string | undefined =>
  readSeries(series).lines.find(({ instance }) => instance !== undefined)?.instance

function SpanChoice({ span, choose }: { readonly span: SpanName; readonly choose: (span: SpanName) => void }) {
  return (
    <label class="row">
      <span class="muted">The latest</span>
      <select value={span} onChange={(event) => choose(spanOf(event.currentTarget.value))}>
        {Object.entries(spans).map(([word, { title }]) => (
          <option key={word} value={word}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}

interface ShownProps extends Pick<ChartsPanelProps, 'cluster' | 'chartsOf'> {
  readonly reading: Reading<unknown>
  readonly operations: unknown
}

function Shown({ reading, chartsOf, cluster, operations }: ShownProps) {
  if (reading.value === undefined)
    return reading.failure ? <Failed failure={reading.failure} onRetry={reading.reload} /> : <Loading />
  const series = readSeries(reading.value)
  const charts = chartsOf(series)
  if (charts.length === 0) return <Empty>Too little was measured in this time: a chart needs two points.</Empty>
  const marks = operations === undefined ? [] : marksOf(readTimeline(operations).entries, series.times)
  return (
    <>
      <div class="charts">
        {charts.map(({ title, ...set }) => (
          <div key={title} class="chart-with-values">
            <Chart title={title} {...set} marks={marks} />
            <ValuesTable title={title} {...set} />
          </div>
        ))}
      </div>
      <Marks cluster={cluster} marks={marks} />
    </>
  )
}

function Marks({ cluster, marks }: { readonly cluster: string; readonly marks: readonly Mark[] }) {
  if (marks.length === 0) return null
  return (
    <ol class="chart-marks" aria-label="What moved the primary role">
      {marks.map(({ at, text }) => (
        <li key={`${at} ${text}`}>
          <a href={momentAddress(cluster, at)}>{renderMoment(at, Date.now())}</a> {text}
        </li>
      ))}
    </ol>
  )
}

/** Rows that a person reads; between them are as many moments as the span needs. */
const MOST_ROWS = 30

/** What the lines say without seeing them: the lowest, the mean, the highest and the last value, and values over time. */
function ValuesTable({ title, times, lines, unit }: TitledLines) {
  const isOpen = useSignal(false)
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : renderValue(unit, value)
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>
        Values<span class="hidden"> of {title}</span>
      </summary>
      {isOpen.value && (
        <div class="chart-values">
          <table>
            <caption class="hidden">{title}: lowest, mean, highest and last value</caption>
            <thead>
              <tr>
                <th scope="col">Line</th>
                {['Lowest', 'Mean', 'Highest', 'Last'].map((head) => (
                  <th key={head} scope="col" class="end">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {lines.map(({ name, values }) => {
                const known = values.filter((value) => value !== null)
                const mean = known.reduce((sum, value) => sum + value, 0) / known.length
                return (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    {[Math.min(...known), mean, Math.max(...known), known.at(-1)].map((value, place) => (
                      <td key={String(place)} class="number end">
                        {text(value)}
                      </td>
                    ))}
                  </tr>
                )
              })}
            </tbody>
          </table>
          <table>
            <caption class="hidden">{title} over time, the newest first</caption>
            <thead>
              <tr>
                <th scope="col">At</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col" class="end">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {momentsOf(times.length).map((index) => (
                <tr key={index}>
                  <th scope="row" class="number">
                    {renderMoment(times[index] ?? 0, Date.now())}
                  </th>
                  {lines.map(({ name, values }) => (
                    <td key={name} class="number end">
                      {text(values[index])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}

/** Places of the newest moment and of those at equal distance before it. */
function momentsOf(count: number): readonly number[] {
  const step = Math.max(1, Math.ceil(count / MOST_ROWS))
  return Array.from({ length: Math.ceil(count / step) }, (_, row) => count - 1 - row * step)
}
