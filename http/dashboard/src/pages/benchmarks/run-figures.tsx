// The figures of each second of one run, as its job notes them.
import { type BenchmarkRun, type Figure, readSeconds } from '../../model/upkeep/benchmarks.js'
import { isOpen, type Job } from '../../model/upkeep/jobs.js'
import { fieldsOf } from '../../model/wire.js'
import { Chart } from '../../parts/chart/chart.js'
import { CodeBlock } from '../../parts/code/code-block.js'
import { Dialog } from '../../parts/overlay/dialog.js'
import { NotRead } from '../../parts/reading/as-of.js'
import { useReading } from '../../store/reading.js'

interface RunFiguresProps {
  readonly cluster: string
  readonly job: Job
  /** The whole log below. */
  readonly hasLog?: boolean
}

export function RunFigures({ cluster, job, hasLog = false }: RunFiguresProps) {
  const reading = useReading('GET /api/clusters/:cluster/jobs/:job', {
    params: { cluster, job: job.id },
    ...(isOpen(job) ? { every: 'live' as const } : {}),
  })
  if (reading.value === undefined) return <NotRead reading={reading} />
  const { log } = fieldsOf(reading.value)
  const lines = Array.isArray(log) ? log.map(String) : []
  return (
    <>
      <SecondCharts seconds={readSeconds(lines)} />
      {hasLog && lines.length > 0 && <CodeBlock text={lines.join('\n')} label={`Log of job ${job.id}`} />}
    </>
  )
}

/** While the tables are filled there is none. */
function SecondCharts({ seconds }: { readonly seconds: readonly Figure[] }) {
  if (seconds.length < 2) return null
  const times = seconds.map(({ at }) => at)
  return (
    <div class="benchmark-charts">
      <Chart
        title="Transactions a second"
        unit="per-second"
        times={times}
        lines={[{ name: 'transactions', values: seconds.map(({ tps }) => tps) }]}
      />
      <Chart
        title="95 % of the transactions within"
        unit="ms"
        times={times}
        lines={[{ name: '95 % within', values: seconds.map(({ p95Ms }) => p95Ms) }]}
      />
    </div>
  )
}

export interface RunSheetProps {
  readonly cluster: string
  readonly run: BenchmarkRun
  readonly onClose: () => void
}

export const RunSheet = ({ cluster, run: { job }, onClose }: RunSheetProps) => (
  <Dialog title={`Benchmark of job ${job.id}`} open onClose={onClose} as="sheet">
    {job.result !== undefined && <p>{job.result}</p>}
    <RunFigures cluster={cluster} job={job} hasLog />
  </Dialog>
)
