// How far work is that runs: servers of rolling work, bytes of a job.
import { readJobProgress } from '../../model/upkeep/jobs.js'
import type { Work } from '../../model/upkeep/work.js'
import { Moment } from '../../parts/basic/moment.js'
import { may } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { renderBytes, renderDuration } from '../../text/numbers.js'

/** Bytes move slowly. */
const JOB_MS = 5_000

export function ProgressCell({ work }: { readonly work: Work }) {
  const { done, total, from, job, state } = work
  if (from !== undefined && state === 'waiting')
    return (
      <span class="muted">
        from <Moment at={from} as="time" />
      </span>
    )
  if (done !== undefined && total !== undefined && total > 0)
    return (
      <span class="work-progress">
        <progress value={done} max={total} aria-label="Servers done" />
        <span class="number">
          {done} of {total} servers
        </span>
      </span>
    )
  return job !== undefined && state === 'running' ? <JobProgress cluster={work.cluster} job={job} /> : null
}

function JobProgress({ cluster, job }: { readonly cluster: string; readonly job: string }) {
  const when = may(['cluster-process', 'cluster-show-jobs'], cluster).allowed
  const reading = useReading('GET /api/clusters/:cluster/jobs/:job', { params: { cluster, job }, every: JOB_MS, when })
  const { bytes, totalBytes, leftMs } = readJobProgress(reading.value) ?? {}
  if (bytes === undefined) return null
  return (
    <span class="work-progress">
      {totalBytes !== undefined && (
        <progress value={Math.min(bytes, totalBytes)} max={totalBytes} aria-label="Bytes done" />
      )}
      <span class="number">
        {totalBytes === undefined ? renderBytes(bytes) : `${renderBytes(bytes)} of ${renderBytes(totalBytes)}`}
        {leftMs !== undefined && ` · ${renderDuration(leftMs)} left`}
      </span>
    </span>
  )
}
