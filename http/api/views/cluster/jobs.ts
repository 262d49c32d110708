// The jobs of a cluster as clients read them: by server, times in whole seconds, states as numbers.
import { SECOND } from '../../../../lib/base/time.js'
import { type Job, type JobState, jobTasks } from '../../../../lib/model/operation/job.js'
import { addressText } from '../../../../lib/model/server/server.js'
import type { ViewInput } from '../kit/input.js'

/** 1: under way; 4: ended well; 5: ended with a reason in `result`. */
const stateNumbers: Readonly<Record<JobState, number>> = { running: 1, done: 4, failed: 5 }

export const renderJob = (job: Job) => ({
  id: job.id,
  task: job.task,
  port: job.port,
  server: addressText(job),
  user: job.user,
  done: job.state === 'running' ? 0 : 1,
  state: stateNumbers[job.state],
  lines: job.lines,
  ...(job.result === undefined ? {} : { result: job.result }),
  start: Math.floor(job.startedAt / SECOND),
  ...(job.endedAt === undefined ? {} : { end: Math.floor(job.endedAt / SECOND) }),
})

/** `C/jobs`: which tasks there are, and those of each service, oldest first. */
export function renderJobs({ jobs = [] }: Pick<ViewInput, 'jobs'>) {
  const header = Object.fromEntries(jobTasks.map((task) => [task, jobs.some((job) => job.task === task)]))
  const servers: Record<string, { serverUrl: string; tasks: ReturnType<typeof renderJob>[] }> = {}
  for (const job of jobs) {
    servers[job.service] ??= { serverUrl: addressText(job), tasks: [] }
    servers[job.service]?.tasks.push(renderJob(job))
  }
  return { header, servers }
}
