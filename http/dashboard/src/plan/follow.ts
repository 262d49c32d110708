// Follows the work that an action began: read again at each event of its cluster, and now and then without one.
import { call } from '../client/call.js'
import type { Reply } from '../client/failure.js'
import { readReadiness } from '../model/cluster/readiness.js'
import { fieldsOf, listOf } from '../model/wire.js'
import { listenToCluster } from '../stream/cluster-events.js'
import { type Action, clusterOf } from './action.js'
import { type Progress, progressOfEntries, progressOfJob, progressOfOperation, progressOfRolling } from './progress.js'

export type Read = () => Promise<Progress | undefined>

/** Reads the work with this id, or what the next manager does to finish or undo it; undefined while it cannot be read. */
export function readerOf(action: Action, id: string): Read {
  const cluster = clusterOf(action)
  if (action.follow === 'job')
    return async () =>
      read(await call('GET /api/clusters/:cluster/jobs/:job', { params: { cluster, job: id } }), (reply) =>
        progressOfJob(reply, cluster),
      )
  return () => findWork(action, (progress) => progress.id === id || progress.continues === id)
}

/** Owner of what the manager begins without a request, such as the repairs after its restart. */
const OWN = 'manager'

/** Reads what was begun on the cluster since `known` by request, or goes on with that, the newest first. */
export function readerSince(action: Action, known: readonly string[]): Read {
  return () =>
    findWork(
      action,
      ({ id, owner, continues = id }) => !known.includes(continues) && (owner !== OWN || continues !== id),
    )
}

const LATEST = 20

/** Where the manager shows it no longer, because other work followed, the timeline knows how it ended. */
const findWork = async (action: Action, fits: (progress: Progress) => boolean): Promise<Progress | undefined> =>
  (await latestWork(action)).find(fits) ?? (await notedWork(action)).find(fits)

/** Ids of all that began before now, as far as the manager and its timeline show it. */
export const knownIds = async (action: Action): Promise<readonly string[]> =>
  (await Promise.all([latestWork(action), notedWork(action)])).flat().map(({ id }) => id)

async function notedWork(action: Action): Promise<readonly Progress[]> {
  if (action.follow !== 'operation') return []
  const query = { kind: 'operation', limit: LATEST }
  const reply = await call('GET /api/clusters/:cluster/timeline', { params: { cluster: clusterOf(action) }, query })
  return read(reply, progressOfEntries) ?? []
}

/** The work of this kind that the manager still shows: what runs, and what ended last. */
async function latestWork(action: Action): Promise<readonly Progress[]> {
  const cluster = clusterOf(action)
  if (action.follow === 'rolling') {
    const reply = await call('GET /api/clusters/:cluster/rolling', { params: { cluster } })
    const progress = read(reply, (value) => progressOfRolling(value, cluster))
    return progress ? [progress] : []
  }
  if (action.follow === 'job') {
    const jobs = read(await call('GET /api/clusters/:cluster/jobs', { params: { cluster } }), listOf) ?? []
    return jobs.flatMap((job) => progressOfJob(job, cluster) ?? []).toSorted((a, b) => b.startedAt - a.startedAt)
  }
  if (action.follow !== 'operation') return []
  const verdict = read(
    await call('GET /api/clusters/:cluster/failover/explain', { params: { cluster } }),
    readReadiness,
  )
  return [verdict?.operation, verdict?.lastOperation].flatMap((operation) =>
    operation ? [progressOfOperation(operation)] : [],
  )
}

const read = <T>(reply: Reply<unknown>, parse: (value: unknown) => T): T | undefined =>
  reply.ok ? parse(reply.value) : undefined

/** The answer that began work, as its first progress. */
export function progressOfAnswer(action: Action, answer: unknown): Progress | undefined {
  const cluster = clusterOf(action)
  if (action.follow === 'rolling') return progressOfRolling(answer, cluster)
  if (action.follow === 'job') return progressOfJob(Array.isArray(answer) ? answer[0] : answer, cluster)
  return undefined
}

/** Which work the answer began: its id, or that of the job that it is the path of. */
export function idOfAnswer({ follow }: Action, answer: unknown, location: string | undefined): string | undefined {
  if (follow === undefined) return undefined
  const job = /\/jobs\/(\d+)$/.exec(location ?? '')?.[1]
  if (job !== undefined) return job
  const fields = fieldsOf(Array.isArray(answer) ? answer[0] : answer)
  const { id } = follow === 'operation' ? fieldsOf(fields.operation) : fields
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

const kindsOfEvents: ReadonlySet<string> = new Set(['operation', 'step', 'rolling', 'job', 'primary', 'reset'])
/** Without an event it is read this often: a stream that is cut hides no end. */
const PAUSE = 2_000
const SOON = 60

/** Calls with what was read until `signal` ends it. */
export function follow(
  cluster: string,
  read: Read,
  { onRead, signal }: { onRead: (progress: Progress) => void; signal: AbortSignal },
): void {
  let isReading = false
  let isWanted = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async () => {
    if (signal.aborted) return
    if (isReading) {
      isWanted = true
      return
    }
    clearTimeout(timer)
    isReading = true
    isWanted = false
    const progress = await read().catch(() => undefined)
    isReading = false
    if (signal.aborted) return
    if (progress) onRead(progress)
    if (!signal.aborted) timer = setTimeout(() => void look(), isWanted ? SOON : PAUSE)
  }
  const { stop } = listenToCluster(cluster, ({ kind }) => {
    if (!kindsOfEvents.has(kind)) return
    if (isReading) isWanted = true
    else {
      clearTimeout(timer)
      timer = setTimeout(() => void look(), SOON)
    }
  })
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    stop()
  })
  void look()
}
