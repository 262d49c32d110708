// The jobs of a cluster: what runs and waits, with what is left of it and its end; what has ended, with its log.
import { useSignal } from '@preact/signals'
import { isOpen, type Job, keyOfJob, readJobs } from '../../model/upkeep/jobs.js'
import { Failed, Loading } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { Panel } from '../../parts/basic/panel.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Tag } from '../../parts/basic/tag.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import type { Action } from '../../plan/action.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { renderBytes, renderDuration } from '../../text/numbers.js'
import { JobLog } from './job-log.js'
import './jobs.css'

const marks = {
  queued: 'unknown',
  running: 'healthy',
  done: 'healthy',
  failed: 'broken',
  cancelled: 'unknown',
} as const

export function page({ params: { cluster = '' } }: PageProps) {
  const reading = useReading('GET /api/clusters/:cluster/jobs', { params: { cluster }, every: 'live' })
  const opened = useSignal<Job | undefined>(undefined)
  const jobs = readJobs(reading.value)
  if (reading.value === undefined)
    return (
      <div class="page">
        {reading.failure ? <Failed failure={reading.failure} onRetry={reading.reload} /> : <Loading />}
      </div>
    )
  const open = jobs.filter(isOpen)
  const stale = reading.isStale && reading.at !== undefined && (
    <Tag tone="warning">
      as of <Moment at={reading.at} as="time" />
    </Tag>
  )
  return (
    <div class="page jobs-page">
      <Panel title="Running and waiting" stale={reading.isStale} aside={stale}>
        <Table
          caption="Jobs that run or wait"
          rows={open}
          keyOf={keyOfJob}
          empty="No job runs or waits."
          columns={[
            ...common,
            { key: 'progress', head: 'Progress', wide: true, cell: (job) => <ProgressCell job={job} /> },
            logColumn((job) => {
              opened.value = job
            }),
            ...(me.value?.readOnly === false
              ? [
                  {
                    key: 'cancel',
                    head: 'Cancel',
                    cell: (job: Job) =>
                      job.origin === 'manager' && <ActionButton action={cancelOf(cluster, job)}>Cancel</ActionButton>,
                  },
                ]
              : []),
          ]}
        />
      </Panel>
      <Panel title="Ended" stale={reading.isStale}>
        <Table
          caption="Jobs that have ended, newest first"
          rows={jobs.filter((job) => !isOpen(job))}
          keyOf={keyOfJob}
          limit={50}
          empty="None is remembered."
          columns={[
            ...common,
            {
              key: 'took',
              head: 'Took',
              align: 'end',
              cell: ({ startedAt, endedAt }) =>
                startedAt !== undefined && endedAt !== undefined && renderDuration(endedAt - startedAt),
            },
            { key: 'result', head: 'Result', wide: true, cell: ({ result }) => result },
            logColumn((job) => {
              opened.value = job
            }),
          ]}
        />
      </Panel>
      {opened.value && (
        <JobLog
          key={opened.value.id}
          cluster={cluster}
          job={opened.value}
          onClose={() => {
            opened.value = undefined
          }}
        />
      )}
    </div>
  )
}

const common: readonly Column<Job>[] = [
  {
    key: 'state',
    head: 'State',
    sort: ({ phase }) => phase,
    cell: ({ phase }) => <StateMark state={marks[phase]} word={phase} />,
  },
  { key: 'task', head: 'Job', sort: ({ task }) => task, cell: ({ task, id }) => <TaskCell task={task} id={id} /> },
  { key: 'server', head: 'Server', sort: ({ server }) => server, cell: ({ server }) => server },
  {
    key: 'user',
    head: 'By',
    sort: ({ user }) => user ?? '',
    cell: ({ user, origin }) => user ?? (origin === 'table' && <span class="muted">job table</span>),
  },
  {
    key: 'begun',
    head: 'Begun',
    sort: ({ startedAt }) => startedAt ?? 0,
    cell: ({ startedAt }) => startedAt !== undefined && <Moment at={startedAt} />,
  },
]

const TaskCell = ({ task, id }: { readonly task: string; readonly id: string }) => (
  <>
    {task} <span class="muted number">{id}</span>
  </>
)

const logColumn = (onOpen: (job: Job) => void): Column<Job> => ({
  key: 'log',
  head: 'Log',
  cell: (job) =>
    job.lines !== undefined &&
    job.lines > 0 && (
      <button
        type="button"
        class="button"
        aria-label={`${job.lines} lines of the log of ${job.task} ${job.id}`}
        onClick={() => onOpen(job)}
      >
        {job.lines} lines
      </button>
    ),
})

function ProgressCell({ job: { progress, waitsFor, phase, deadlineAt } }: { readonly job: Job }) {
  if (phase === 'queued') return <span class="muted">{waitsFor === undefined ? 'waits' : `waits for ${waitsFor}`}</span>
  const { bytes, totalBytes, rate, leftMs } = progress ?? {}
  const parts = [
    bytes !== undefined &&
      (totalBytes === undefined ? renderBytes(bytes) : `${renderBytes(bytes)} of ${renderBytes(totalBytes)}`),
    rate !== undefined && `${renderBytes(rate)}/s`,
    leftMs !== undefined && `${renderDuration(leftMs)} left`,
  ].filter((part) => part !== false)
  return (
    <span class="job-progress">
      {bytes !== undefined && totalBytes !== undefined && (
        <progress value={Math.min(bytes, totalBytes)} max={totalBytes} aria-label="Bytes done" />
      )}
      <span class="number">{parts.join(' · ')}</span>
      {deadlineAt !== undefined && (
        <span class="muted">
          ended at <Moment at={deadlineAt} as="time" /> at the latest
        </span>
      )}
    </span>
  )
}

const cancelOf = (cluster: string, { id, task }: Job): Action => ({
  ...{
    title: `Cancel ${task} ${id}`,
    row: 'POST /api/clusters/:cluster/jobs/:job/actions/cancel',
    params: { cluster, job: id },
    grant: 'cluster-process',
  },
  kind: 'interrupting',
})
