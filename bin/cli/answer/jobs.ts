// Jobs as a table, and one job with its log.
import type { ListedJob } from '../../../http/client/api/generated.js'
import type { Loose } from '../../../http/client/api/types.js'
import { isoTime, SECOND } from '../../../lib/base/time.js'
import type { JobState } from '../../../lib/model/operation/job.js'
import { renderProgress } from '../../../lib/model/operation/job-progress.js'
import { type Column, renderTable } from '../output/table.js'

type Known = 'id' | 'task' | 'server' | 'user' | 'phase' | 'waits' | 'progress' | 'result' | 'start' | 'end'

/** Of a job what the client reads; times in seconds since the epoch. */
export type Task = Pick<ListedJob, Known> & Loose<Pick<ListedJob, 'origin' | 'state'>>

/** What `C/jobs` answers. */
export interface Jobs {
  readonly servers: Readonly<Record<string, { readonly tasks: readonly Task[] }>>
}

/** Oldest first. */
export const tasksOf = ({ servers }: Jobs): readonly Task[] =>
  Object.values(servers)
    .flatMap(({ tasks }) => tasks)
    .toSorted((a, b) => a.start - b.start || a.id - b.id)

const colours: Readonly<Record<JobState, 'red' | 'green' | 'yellow'>> = {
  ...{ queued: 'yellow', running: 'yellow', done: 'green', failed: 'red', cancelled: 'red' },
}

/** The result of what has ended, the progress of what runs, what another one waits for. */
function resultText({ phase, result = '', progress, waits }: Task): string {
  if (phase === 'queued' && waits !== undefined) return `waits for ${waits}`
  if (phase !== 'running') return result === 'done' ? '' : result
  if (!progress) return ''
  const { secondsLeft, ...figures } = progress
  return renderProgress({ ...figures, at: 0, ...(secondsLeft === undefined ? {} : { leftMs: secondsLeft * SECOND }) })
}

const columns: readonly Column<Task>[] = [
  {
    title: 'job',
    align: 'right',
    isKey: true,
    text: ({ id, origin }) => (origin === 'table' ? `row ${id}` : String(id)),
  },
  { title: 'task', text: ({ task }) => task },
  { title: 'service', isKey: true, text: ({ server }) => server },
  {
    title: 'state',
    text: ({ phase }) => phase,
    style: ({ phase }) => colours[phase],
  },
  { title: 'started', isKey: true, text: ({ start }) => isoTime(start * SECOND).replace(/\.\d+Z$/, 'Z') },
  { title: 'seconds', align: 'right', text: ({ start, end }) => (end === undefined ? '-' : String(end - start)) },
  { title: 'result', text: resultText },
]

export const renderJobs = (jobs: readonly Task[]): string =>
  jobs.length === 0 ? 'No jobs.' : renderTable(columns, jobs)

export const renderJob = ({ log = [], ...task }: Task & { readonly log?: readonly string[] }): string =>
  [
    `Job ${task.id}: ${task.task} of ${task.server}, requested by ${task.user} at ${isoTime(task.start * SECOND)}: ${[task.phase, resultText(task)].filter(Boolean).join(', ')}`,
    ...log,
  ].join('\n')
