// Cuts what is to be built into messages for threads, and counts what came of them.
import path from 'node:path'
import { counted } from '../../lib/base/counted.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { serverFolder } from '../../lib/configure/index.js'
import type { Batch, BatchServer, BuildCount, Outcome, ProxyArchiveInput, ProxyTask } from './input.js'
import type { Wanted } from './wanted.js'

/** Servers of one message to a thread: scheduling costs more than building. */
const BATCH_SIZE = 16

/** Servers of equal template together, at most `BATCH_SIZE` in one. */
export function batches(wanted: readonly Wanted[], force: boolean): readonly Batch[] {
  const all: Batch[] = []
  const open = new Map<string, BatchServer[]>()
  for (const { key, template, server } of wanted) {
    const servers = open.get(key)
    if (servers !== undefined && servers.length < BATCH_SIZE) {
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

/** What a thread is told of each proxy. */
export const proxyTasks = (inputs: readonly ProxyArchiveInput[], workingDir: string): readonly ProxyTask[] =>
  inputs.map(({ certificates: _, tree = false, ...input }) => ({
    ...{ input, tree, directory: path.join(workingDir, serverFolder(input.cluster, input.proxy)) },
  }))
