// Divides the work into messages for threads, and counts the results.
import path from 'node:path'
import { counted } from '../../lib/base/counted.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { serverFolder } from '../../lib/configure/index.js'
import type { Batch, BatchServer, BuildCount, Outcome, ProxyArchiveInput, ProxyTask } from './input.js'
import type { Wanted } from './wanted.js'

/** Servers of one message to a thread: scheduling costs more than building. */
const BATCH_SIZE = 16
/** A cluster is not divided, since its servers share what a thread reads from its folder, unless it is this large. */
const LARGEST_BATCH = 2 * BATCH_SIZE

/** Servers of equal template together, about `BATCH_SIZE` in one. */
export function batches(wanted: readonly Wanted[], force: boolean): readonly Batch[] {
  const all: Batch[] = []
  const open = new Map<string, BatchServer[]>()
  for (const { key, template, server } of wanted) {
    const servers = open.get(key)
    const most = servers?.at(-1)?.cluster === server.cluster ? LARGEST_BATCH : BATCH_SIZE
    if (servers !== undefined && servers.length < most) {
      servers.push(server)
      continue
    }
    const fresh = [server]
    open.set(key, fresh)
    all.push({ kind: 'build', key, template, force, servers: fresh })
  }
  return all
}

/** `archive-failed` when any failed. */
export function countOutcomes(outcomes: readonly Outcome[]): Result<BuildCount> {
  const failures = outcomes.flatMap((outcome) => (typeof outcome === 'object' ? [outcome.failed] : []))
  if (failures.length > 0) return unbuilt(failures, outcomes.length)
  const built = outcomes.filter((outcome) => outcome === 'built').length
  return ok({ built, unchanged: outcomes.length - built })
}

/** The failure that names all that could not be built. */
export const unbuilt = (failures: readonly string[], all: number): Result<never> =>
  fail('archive-failed', `${failures.length} of ${counted(all, 'archive')} could not be built: ${failures.join('; ')}`)

/** At most `BATCH_SIZE` in each. */
export const inParts = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / BATCH_SIZE) }, (_, index) =>
    items.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
  )

/** What a thread gets about each proxy. */
export const proxyTasks = (inputs: readonly ProxyArchiveInput[], workingDir: string): readonly ProxyTask[] =>
  inputs.map(({ certificates: _, tree = false, ...input }) => ({
    ...{ input, tree, directory: path.join(workingDir, serverFolder(input.cluster, input.proxy)) },
  }))
