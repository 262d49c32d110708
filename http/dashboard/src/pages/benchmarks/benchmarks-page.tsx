// Benchmarks of a cluster: begun, followed second by second, cancelled, and compared with those before.
import { useSignal } from '@preact/signals'
import { readSettingValues } from '../../model/configuration/settings.js'
import { type BenchmarkRun, historyOf, readRuns } from '../../model/upkeep/benchmarks.js'
import { isOpen, keyOfJob, readJobs } from '../../model/upkeep/jobs.js'
import { useQuery } from '../../parts/address.js'
import { Empty } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { Panel } from '../../parts/basic/panel.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Chart } from '../../parts/chart/chart.js'
import { Facts } from '../../parts/list/facts.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import type { Action } from '../../plan/action.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { renderCount, renderDuration } from '../../text/numbers.js'
import { RunFigures, RunSheet } from './run-figures.js'
import './benchmarks.css'

export function page({ params: { cluster = '' } }: PageProps) {
  const { query, setQuery } = useQuery()
  const permits = useSettings(cluster, 'test')
  const shape = useSettings(cluster, 'sysbench-')
  const reading = useReading('GET /api/clusters/:cluster/jobs', { params: { cluster }, every: 'live' })
  const runs = readRuns(readJobs(reading.value))
  const current = runs.find(({ job }) => isOpen(job))
  const ended = runs.filter(({ job }) => !isOpen(job))
  const opened = ended.find(({ job }) => job.id === query.run)
  const isOff = permits.get('test') === 'false'
  if (reading.value === undefined)
    return (
      <div class="page">
        <NotRead reading={reading} />
      </div>
    )
  return (
    <div class="page benchmarks-page">
      {isOff && <Off cluster={cluster} />}
      {(!isOff || current) && (
        <Panel title="Benchmark" stale={reading.isStale} aside={<AsOf reading={reading} />}>
          {current ? <Current cluster={cluster} run={current} /> : <Begin cluster={cluster} values={shape} />}
        </Panel>
      )}
      {ended.length > 0 && (
        <Panel title="Runs" stale={reading.isStale}>
          <HistoryCharts runs={ended} />
          <Table
            caption="Benchmarks that have ended, newest first"
            rows={ended}
            keyOf={({ job }) => keyOfJob(job)}
            columns={columns}
            onOpen={({ job }) => setQuery({ run: job.id })}
            isSelected={({ job }) => job.id === query.run}
          />
        </Panel>
      )}
      {opened && (
        <RunSheet key={opened.job.id} cluster={cluster} run={opened} onClose={() => setQuery({ run: undefined })} />
      )}
    </div>
  )
}

/** Empty for a user who may not read them. */
const useSettings = (cluster: string, name: string): ReadonlyMap<string, string> =>
  readSettingValues(
    useReading('GET /api/clusters/:cluster/settings', { params: { cluster }, query: { detail: true, name } }).value,
  )

const Off = ({ cluster }: { readonly cluster: string }) => (
  <Empty>
    <span>
      No benchmark is permitted here: each is load for its own sake. The setting{' '}
      <a href={`/c/${encodeURIComponent(cluster)}/configuration/settings?setting=test&q=test`}>test</a> permits it, for
      clusters that nobody depends on.
    </span>
  </Empty>
)

interface BeginProps {
  readonly cluster: string
  readonly values: ReadonlyMap<string, string>
}

function Begin({ cluster, values }: BeginProps) {
  const typed = useSignal('')
  const threads = typed.value.trim() === '' ? undefined : Number(typed.value)
  const isWrong = threads !== undefined && !(Number.isInteger(threads) && threads >= 1 && threads <= 1_024)
  const scale = Number(values.get('sysbench-scale'))
  return (
    <>
      <Facts
        facts={[
          ['Test', values.get('sysbench-test')],
          ['Seconds', values.get('sysbench-time')],
          ['Threads', values.get('sysbench-threads')],
          ['Tables', values.get('sysbench-tables')],
          ['Rows of each', Number.isFinite(scale) && renderCount(scale * 10_000)],
        ]}
      />
      {me.value?.readOnly === false && (
        <div class="benchmark-begin">
          <label>
            Other threads
            <input
              inputMode="numeric"
              autocomplete="off"
              placeholder={values.get('sysbench-threads') ?? ''}
              value={typed}
              onInput={(event) => {
                typed.value = event.currentTarget.value
              }}
            />
          </label>
          <ActionButton
            action={measure(cluster, isWrong ? undefined : threads)}
            refused={isWrong ? 'Threads are a whole number from 1 to 1,024.' : undefined}
          />
          {isWrong && <span class="muted">Threads are a whole number from 1 to 1,024.</span>}
        </div>
      )}
    </>
  )
}

const Current = ({ cluster, run: { job } }: { readonly cluster: string; readonly run: BenchmarkRun }) => (
  <>
    <p class="benchmark-run" role="status">
      <span class="busy" aria-hidden="true" />
      <span>
        {job.phase === 'queued'
          ? `It waits${job.waitsFor === undefined ? '' : ` for ${job.waitsFor}`}`
          : `It runs on ${job.server}`}
        {job.startedAt !== undefined && (
          <>
            , begun <Moment at={job.startedAt} />
          </>
        )}
        {job.user !== undefined && ` by ${job.user}`}
      </span>
      <a href={`/c/${encodeURIComponent(cluster)}/jobs`}>Job {job.id}</a>
      <ActionButton action={cancel(cluster, job.id)}>Cancel</ActionButton>
    </p>
    {job.phase === 'running' && <RunFigures cluster={cluster} job={job} />}
  </>
)

/** Nothing is compared with a single run. */
function HistoryCharts({ runs }: { readonly runs: readonly BenchmarkRun[] }) {
  const { times, shapes } = historyOf(runs)
  if (times.length < 2) return null
  const set = { times, hasPoints: true } as const
  return (
    <div class="benchmark-charts">
      <Chart
        title="Transactions a second"
        unit="per-second"
        lines={shapes.map(({ shape, tps }) => ({ name: shape, values: tps }))}
        {...set}
      />
      <Chart
        title="95 % of the transactions within"
        unit="ms"
        lines={shapes.map(({ shape, p95Ms }) => ({ name: shape, values: p95Ms }))}
        {...set}
      />
    </div>
  )
}

const marks = {
  queued: 'unknown',
  running: 'healthy',
  done: 'healthy',
  failed: 'broken',
  cancelled: 'unknown',
} as const

const columns: readonly Column<BenchmarkRun>[] = [
  {
    key: 'at',
    head: 'Ended',
    sort: ({ job }) => job.endedAt,
    cell: ({ job }) => job.endedAt !== undefined && <Moment at={job.endedAt} as="time" />,
  },
  { key: 'state', head: 'State', cell: ({ job: { phase } }) => <StateMark state={marks[phase]} word={phase} /> },
  {
    key: 'tps',
    head: 'Transactions/s',
    align: 'end',
    sort: ({ figures }) => figures?.tps,
    cell: ({ figures }) => figures && renderCount(figures.tps),
  },
  {
    key: 'qps',
    head: 'Statements/s',
    align: 'end',
    sort: ({ figures }) => figures?.qps,
    cell: ({ figures }) => figures && renderCount(figures.qps),
  },
  {
    key: 'p95',
    head: '95 % within',
    align: 'end',
    sort: ({ figures }) => figures?.p95Ms,
    cell: ({ figures }) => figures && renderDuration(figures.p95Ms),
  },
  { key: 'errors', head: 'Errors', align: 'end', sort: ({ errors }) => errors, cell: ({ errors }) => errors },
  { key: 'user', head: 'By', sort: ({ job }) => job.user, cell: ({ job }) => job.user },
  {
    key: 'shape',
    head: 'What was measured',
    wide: true,
    sort: ({ shape }) => shape,
    cell: ({ shape, job }) => shape ?? job.result,
  },
]

const measure = (cluster: string, threads: number | undefined): Action => ({
  ...{ title: 'Measure by sysbench', row: 'POST /api/clusters/:cluster/actions/sysbench', params: { cluster } },
  ...(threads === undefined ? {} : { query: { threads } }),
  ...{ grant: ['cluster-bench', 'cluster-test'], kind: 'interrupting', follow: 'job' },
  command: ['cluster', 'sysbench', ...(threads === undefined ? [] : ['--threads', String(threads)])],
})

const cancel = (cluster: string, job: string): Action => ({
  ...{ title: 'Cancel the benchmark', row: 'POST /api/clusters/:cluster/jobs/:job/actions/cancel' },
  ...{ params: { cluster, job }, grant: 'cluster-process', kind: 'interrupting' },
})
