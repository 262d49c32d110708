// The jobs of a cluster as clients read them: by server, times in whole seconds, states as numbers.
import { SECOND } from '../../../../lib/base/time.js'
import { type HostTaskRow, type HostTaskState, hostTasks } from '../../../../lib/model/operation/host-task.js'
import { isOpenJob, type Job, type JobProgress, type JobState, jobTasks } from '../../../../lib/model/operation/job.js'
import { addressText, type ServerAddress } from '../../../../lib/model/server/server.js'
import type { ViewInput } from '../kit/input.js'

/** 0: waits; 1: under way; 4: ended well; 5: ended with a reason in `result`. */
const stateNumbers: Readonly<Record<JobState, number>> = { queued: 0, running: 1, done: 4, failed: 5, cancelled: 5 }

export const renderJob = (job: Job) => ({
  id: job.id,
  task: job.task,
  port: job.port,
  server: addressText(job),
  origin: 'manager' as const,
  user: job.user,
  done: isOpenJob(job) ? 0 : 1,
  state: stateNumbers[job.state],
  phase: job.state,
  lines: job.lines,
  ...(job.waits === undefined ? {} : { waits: job.waits }),
  ...(job.progress ? { progress: renderProgress(job.progress) } : {}),
  ...(job.deadlineAt === undefined || !isOpenJob(job) ? {} : { deadline: Math.floor(job.deadlineAt / SECOND) }),
  ...(job.result === undefined ? {} : { result: job.result }),
  start: Math.floor(job.startedAt / SECOND),
  ...(job.endedAt === undefined ? {} : { end: Math.floor(job.endedAt / SECOND) }),
})

/** Bytes, bytes per second, and whole seconds. */
const renderProgress = ({ bytes, totalBytes, rate, leftMs }: JobProgress) => ({
  ...{ bytes, rate },
  ...(totalBytes === undefined ? {} : { totalBytes }),
  ...(leftMs === undefined ? {} : { secondsLeft: Math.ceil(leftMs / SECOND) }),
})

/** `C/jobs`: which tasks there are, and of each service the manager's jobs, oldest first, then the rows of its job table. */
export function renderJobs({
  jobs = [],
  jobTables = {},
  snapshot,
}: Pick<ViewInput, 'jobs' | 'jobTables' | 'snapshot'>) {
  const labels = [...jobTasks, ...hostTasks.filter((task) => !jobTasks.some((each) => each === task))]
  const servers: Record<string, { serverUrl: string; tasks: (RenderedJob | RenderedRow)[] }> = {}
  const add = (server: string, address: ServerAddress, tasks: readonly (RenderedJob | RenderedRow)[]) => {
    servers[server] ??= { serverUrl: addressText(address), tasks: [] }
    servers[server]?.tasks.push(...tasks)
  }
  for (const job of jobs) add(job.service, job, [renderJob(job)])
  for (const server of snapshot.servers) {
    const { rows = [] } = jobTables[server.id] ?? {}
    if (rows.length > 0)
      add(
        server.id,
        server,
        rows.map((row) => renderRow(row)),
      )
  }
  const named = new Set(Object.values(servers).flatMap(({ tasks }) => tasks.map(({ task }) => task)))
  return { header: Object.fromEntries(labels.map((task) => [task, named.has(task)])), servers }
}

type RenderedJob = ReturnType<typeof renderJob>
type RenderedRow = ReturnType<typeof renderRow>

const rowPhases: Readonly<Record<HostTaskState, JobState>> = {
  ...{ 0: 'queued', 1: 'running', 2: 'running', 3: 'done', 4: 'done', 5: 'failed', 6: 'failed' },
}

/** A row of the job table of a database: its number is that of the table, its state as it stands there. */
const renderRow = ({ id, task, port, server, done, state, result, startedAt = 0, endedAt }: HostTaskRow) => ({
  ...{ id, task, port, server, done: done ? 1 : 0, state },
  ...{ origin: 'table' as const, phase: rowPhases[state] },
  ...(result === '' ? {} : { result }),
  start: Math.floor(startedAt / SECOND),
  ...(endedAt === undefined ? {} : { end: Math.floor(endedAt / SECOND) }),
})
