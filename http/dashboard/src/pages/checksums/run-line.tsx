// The checksum or scan that runs or waits: how far it is, since when, and how it is cancelled.
import { isOpen, type Job, readJobs } from '../../model/upkeep/jobs.js'
import { Moment } from '../../parts/basic/moment.js'
import { ActionButton } from '../../plan/action-button.js'
import { maySee } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { cancelJob, jobReaders } from './checksum-actions.js'

/** The job of this task that has not ended, where the user may read jobs. */
export function useOpenJob(cluster: string, task: string): Job | undefined {
  const reading = useReading('GET /api/clusters/:cluster/jobs', {
    ...{ params: { cluster }, every: 'live', when: maySee(jobReaders, cluster).allowed },
  })
  return readJobs(reading.value).find((job) => job.task === task && isOpen(job))
}

export interface RunLineProps {
  readonly cluster: string
  readonly job: Job
  /** "checksum": what runs. */
  readonly what: string
  /** How far it is, where that is known. */
  readonly done?: string
}

export const RunLine = ({ cluster, job: { id, phase, waitsFor, startedAt, user }, what, done }: RunLineProps) => (
  <p class="run-line" role="status">
    <span class="busy" aria-hidden="true" />
    <span>
      {phase === 'queued' ? `The ${what} waits${waitsFor === undefined ? '' : ` for ${waitsFor}`}` : `The ${what} runs`}
      {startedAt !== undefined && (
        <>
          , begun <Moment at={startedAt} />
        </>
      )}
      {user !== undefined && ` by ${user}`}
      {done !== undefined && `: ${done}`}
    </span>
    <a href={`/c/${encodeURIComponent(cluster)}/jobs`}>Job {id}</a>
    <ActionButton action={cancelJob(cluster, id, what)}>Cancel</ActionButton>
  </p>
)
