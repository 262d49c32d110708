// What the server does: counters of its status as lines, from when the page was opened; the memory of InnoDB.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { readValues, type Values } from '../../model/server/variables.js'
import { Panel } from '../../parts/basic/panel.js'
import { Chart } from '../../parts/chart/chart.js'
import { type Subject, useOfServer } from './kit/subject.js'
import '../charts/charts.css'
import { chartsOf, MOST_SAMPLES, type Sample } from './samples.js'

export function Activity({ subject }: { readonly subject: Subject }) {
  const reading = useOfServer('GET /api/clusters/:cluster/servers/:server/status', subject, {
    every: 5_000,
    when: !subject.isDown,
  })
  const samples = useSignal<readonly Sample[]>([])
  const { value, at } = reading
  useEffect(() => {
    if (value === undefined || at === undefined) return
    const values: Values = readValues(value)
    samples.value = [...samples.peek(), { at, values }].slice(-MOST_SAMPLES)
  }, [value, at, samples])
  const charts = chartsOf(samples.value)
  if (charts.length === 0 || subject.isDown) return null
  return (
    <Panel title="Activity" aside={<span class="muted">since this page was opened</span>}>
      <div class="charts">
        {charts.map(({ title, ...set }) => (
          <Chart key={title} title={title} {...set} />
        ))}
      </div>
    </Panel>
  )
}
