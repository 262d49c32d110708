// Jobs of a cluster on disk: `jobs/index.json` and one log per job, kept over restarts of the manager.
import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { fail, ok, type Result } from '../base/result.js'
import { JOBS_KEPT, type Job, jobTasks } from '../model/operation/job.js'
import { atomicWrite, codeOf, reasonOf } from './atomic-write.js'

const jobSchema = z.object({
  id: z.number().int().positive(),
  task: z.enum(jobTasks),
  kind: z.enum(['database', 'proxy']),
  service: z.string(),
  name: z.string(),
  host: z.string(),
  port: z.number().int(),
  user: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  result: z.string().optional(),
  lines: z.number().int(),
})

const folder = (directory: string): string => path.join(directory, 'jobs')
const indexFile = (directory: string): string => path.join(folder(directory), 'index.json')
const logFile = (directory: string, id: number): string => path.join(folder(directory), `${id}.log`)

/** Jobs of earlier runs of the manager, oldest first; a missing or damaged index is an empty one. */
export async function readJobs(directory: string): Promise<readonly Job[]> {
  try {
    const parsed = z.array(jobSchema).safeParse(JSON.parse(await readFile(indexFile(directory), 'utf8')))
    return parsed.success ? (parsed.data as readonly Job[]) : []
  } catch {
    return []
  }
}

/** Writes the whole index and removes the logs of jobs that are no longer in it. */
export async function writeJobs(directory: string, jobs: readonly Job[]): Promise<Result<void>> {
  try {
    await mkdir(folder(directory), { recursive: true })
    const written = await atomicWrite(indexFile(directory), `${JSON.stringify(jobs.slice(-JOBS_KEPT))}\n`)
    if (!written.ok) return written
    const kept = new Set(jobs.slice(-JOBS_KEPT).map(({ id }) => `${id}.log`))
    const logs = (await readdir(folder(directory))).filter((name) => /^\d+\.log$/.test(name) && !kept.has(name))
    await Promise.all(logs.map((name) => rm(path.join(folder(directory), name), { force: true })))
    return ok(undefined)
  } catch (error) {
    return fail('file-unwritable', `${folder(directory)}: ${reasonOf(error)}`)
  }
}

/** Adds lines to a job's log. */
export async function appendJobLog(directory: string, id: number, lines: readonly string[]): Promise<Result<void>> {
  try {
    await mkdir(folder(directory), { recursive: true })
    await appendFile(logFile(directory, id), lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
    return ok(undefined)
  } catch (error) {
    return fail('file-unwritable', `${logFile(directory, id)}: ${reasonOf(error)}`)
  }
}

/** The lines of a job's log; none when it has not written any. */
export async function readJobLog(directory: string, id: number): Promise<Result<readonly string[]>> {
  try {
    return ok((await readFile(logFile(directory, id), 'utf8')).split('\n').slice(0, -1))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok([])
    return fail('file-unreadable', `${logFile(directory, id)}: ${reasonOf(error)}`)
  }
}
