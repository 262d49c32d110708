// Jobs as a table, and one job with its log.
import { isoTime, SECOND } from '../../../lib/base/time.js'
import { type Column, renderTable } from '../output/table.js'

/** A job as the API reports it; times in seconds since the epoch. */
export interface Task {
  readonly id: number
  readonly task: string
  readonly server: string
  readonly user: string
  readonly state: number
  readonly result?: string
  readonly start: number
  readonly end?: number
  readonly log?: readonly string[]
}

/** What `C/jobs` answers. */
export interface Jobs {
  readonly servers: Readonly<Record<string, { readonly tasks: readonly Task[] }>>
}

/** Oldest first. */
export const tasksOf = ({ servers }: Jobs): readonly Task[] =>
  Object.values(servers)
    .flatMap(({ tasks }) => tasks)
    .toSorted((a, b) => a.id - b.id)

const RUNNING = 1
const DONE = 4

const stateText = ({ state }: Task): string => (state === RUNNING ? 'running' : state === DONE ? 'done' : 'failed')

const columns: readonly Column<Task>[] = [
  { title: 'job', align: 'right', isKey: true, text: ({ id }) => String(id) },
  { title: 'task', text: ({ task }) => task },
  { title: 'service', isKey: true, text: ({ server }) => server },
  {
    title: 'state',
    text: stateText,
    style: (task) => (task.state > DONE ? 'red' : task.state === DONE ? 'green' : 'yellow'),
  },
  { title: 'started', isKey: true, text: ({ start }) => isoTime(start * SECOND).replace(/\.\d+Z$/, 'Z') },
  { title: 'seconds', align: 'right', text: ({ start, end }) => (end === undefined ? '-' : String(end - start)) },
  { title: 'result', text: ({ result = '', state }) => (state === DONE ? '' : result) },
]

export const renderJobs = (jobs: readonly Task[]): string =>
  jobs.length === 0 ? 'No jobs.' : renderTable(columns, jobs)

export const renderJob = ({ log = [], ...task }: Task): string =>
  [
    `Job ${task.id}: ${task.task} of ${task.server}, requested by ${task.user} at ${isoTime(task.start * SECOND)}: ${stateText(task)}`,
    ...log,
  ].join('\n')
