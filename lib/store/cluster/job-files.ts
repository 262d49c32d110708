// Jobs of a cluster on disk: `jobs/index.json` and one log per job, kept over restarts of the manager.
import { appendFile, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { askerShape } from '../../access/index.js'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { isOpenJob, type Job, jobStates, jobTasks } from '../../model/operation/job.js'
import { atomicWrite, codeOf, reasonOf } from '../kit/atomic-write.js'
import { copyBelow, isCopied } from '../kit/copies.js'

const progressSchema = z.object({
  bytes: z.number(),
  totalBytes: z.number().optional(),
  rate: z.number(),
  leftMs: z.number().optional(),
  at: z.number(),
})

const jobSchema = z.object({
  id: z.number().int().positive(),
  task: z.enum(jobTasks),
  kind: z.enum(['database', 'proxy']),
  service: z.string(),
  name: z.string(),
  host: z.string(),
  port: z.number().int(),
  user: z.string(),
  asker: askerShape.exactOptional(),
  state: z.enum(jobStates),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  deadlineAt: z.number().optional(),
  waits: z.string().optional(),
  progress: progressSchema.optional(),
  attempt: z.number().int().optional(),
  order: z.record(z.string(), z.unknown()).optional(),
  result: z.string().optional(),
  lines: z.number().int(),
})

const folder = (directory: string): string => path.join(directory, 'jobs')
const indexFile = (directory: string): string => path.join(folder(directory), 'index.json')
const logFile = (directory: string, id: number): string => path.join(folder(directory), `${id}.log`)

/** Jobs of earlier runs of the manager, oldest first; a missing or damaged index is an empty one. */
export async function readJobs(directory: string): Promise<readonly Job[]> {
  try {
    return parseJobs(await readFile(indexFile(directory), 'utf8'))
  } catch {
    return []
  }
}

/** Writes the whole index and removes the logs of jobs that are no longer in it; leaves the latest of it to the next owner. */
export async function writeJobs(directory: string, jobs: readonly Job[]): Promise<Result<void>> {
  try {
    await mkdir(folder(directory), { recursive: true, mode: modeOf('stateFolder') })
    const written = await atomicWrite(indexFile(directory), `${JSON.stringify(jobs)}\n`)
    if (!written.ok) return written
    const kept = new Set(jobs.map(({ id }) => `${id}.log`))
    const logs = (await readdir(folder(directory))).filter((name) => /^\d+\.log$/.test(name) && !kept.has(name))
    await Promise.all(logs.map((name) => rm(path.join(folder(directory), name), { force: true })))
    return await copyBelow(directory, INDEX_COPY, isCopied(directory) ? renderRecent(jobs) : '')
  } catch (error) {
    return fail('file-unwritable', `${folder(directory)}: ${reasonOf(error)}`)
  }
}

/** Adds lines to a job's log. */
export async function appendJobLog(directory: string, id: number, lines: readonly string[]): Promise<Result<void>> {
  try {
    await mkdir(folder(directory), { recursive: true, mode: modeOf('stateFolder') })
    await appendFile(logFile(directory, id), lines.map((line) => `${line}\n`).join(''), { mode: modeOf('state') })
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

/** What the next owner of a cluster is left: its latest jobs, and of fewer of them the end of the log. */
const INDEX_COPY = 'jobs/index.json'
const RECENT_JOBS = 50
const RECENT_LOGS = 20
/** Of one log, bytes; of the index, characters: etcd keeps them for many clusters. */
const MOST_LOG_BYTES = 4_096
const MOST_INDEX = 200_000

/** Whether it is the name of a file that is left to the next owner: its path in the directory of the cluster. */
export const isJobCopy = (name: string): boolean => name === INDEX_COPY || LOG_COPY.test(name)
const LOG_COPY = /^jobs\/[1-9]\d{0,9}\.log$/

/** Leaves the end of a job's log to the next owner, where there are several instances; drops what is no longer recent. */
export async function leaveJobLog(directory: string, id: number, jobs: readonly Job[]): Promise<Result<void>> {
  if (!isCopied(directory)) return ok(undefined)
  const left = await copyBelow(directory, `jobs/${id}.log`, await readEnd(logFile(directory, id)))
  if (!left.ok) return left
  for (const { id: old } of jobs.slice(-RECENT_LOGS - 3, -RECENT_LOGS)) {
    const dropped = await copyBelow(directory, `jobs/${old}.log`, undefined)
    if (!dropped.ok) return dropped
  }
  return ok(undefined)
}

/** What is left to the next owner of the jobs in this directory, by name. */
export async function readJobCopies(directory: string): Promise<ReadonlyMap<string, string>> {
  const jobs = await readJobs(directory)
  const copies = new Map([[INDEX_COPY, renderRecent(jobs)]])
  for (const { id } of jobs.slice(-RECENT_LOGS)) {
    const end = await readEnd(logFile(directory, id)).catch(() => '')
    if (end !== '') copies.set(`jobs/${id}.log`, end)
  }
  return copies
}

/**
 * Makes the jobs of the directory what their earlier owner left, and keeps what this instance knows besides of the same
 * jobs. Answers names that have no use any more. Throws what the file system says.
 */
export async function restoreJobs(directory: string, copies: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const theirs = parseJobs(copies.get(INDEX_COPY) ?? '')
  const mine = await readJobs(directory)
  const [oldest] = theirs
  const known = oldest && mine.find(({ id }) => id === oldest.id)
  const earlier = known?.startedAt === oldest?.startedAt ? mine.filter(({ id }) => id < (oldest?.id ?? 0)) : []
  await mkdir(folder(directory), { recursive: true, mode: modeOf('stateFolder') })
  const kept = new Set(earlier.map(({ id }) => `jobs/${id}.log`))
  for (const { id } of theirs) {
    const name = `jobs/${id}.log`
    const end = copies.get(name) ?? ''
    const own = await readFile(path.join(directory, name), 'utf8').catch(() => '')
    const isSame = mine.some((job) => job.id === id && job.startedAt === theirs.find((one) => one.id === id)?.startedAt)
    kept.add(name)
    if (isSame && own.endsWith(end)) continue
    await writeFile(path.join(directory, name), end, { mode: modeOf('state') })
  }
  for (const name of await readdir(folder(directory)))
    if (/^\d+\.log$/.test(name) && !kept.has(`jobs/${name}`)) await rm(path.join(folder(directory), name))
  const written = await atomicWrite(indexFile(directory), `${JSON.stringify([...earlier, ...theirs])}\n`)
  if (!written.ok) throw new Error(written.failure.message)
  const recent = new Set(theirs.slice(-RECENT_LOGS).map(({ id }) => `jobs/${id}.log`))
  return [...copies.keys()].filter((name) => LOG_COPY.test(name) && !recent.has(name))
}

function renderRecent(jobs: readonly Job[]): string {
  for (let count = RECENT_JOBS; count > 1; count = Math.floor(count / 2)) {
    const text = JSON.stringify(jobs.filter((job, index) => isOpenJob(job) || index >= jobs.length - count))
    if (text.length <= MOST_INDEX) return text
  }
  return JSON.stringify(jobs.slice(-1))
}

function parseJobs(text: string): readonly Job[] {
  try {
    const parsed = z.array(jobSchema).safeParse(JSON.parse(text))
    return parsed.success ? (parsed.data as readonly Job[]) : []
  } catch {
    return []
  }
}

/** Whole lines from the end of a file; '' without one. */
async function readEnd(file: string): Promise<string> {
  const handle = await open(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (!handle) return ''
  try {
    const { size } = await handle.stat()
    const start = Math.max(0, size - MOST_LOG_BYTES)
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(MOST_LOG_BYTES), position: start })
    const text = buffer.subarray(0, bytesRead).toString()
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    await handle.close()
  }
}
