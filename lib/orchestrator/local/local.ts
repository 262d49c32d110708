// Runs the servers of a cluster on this machine, each from its configuration archive below a folder of its own.
import { fail, type Result } from '../../base/result.js'
import { MINUTE, SECOND } from '../../base/time.js'
import type { ServerSpec } from '../../model/server.js'
import type { Orchestrator } from '../index.js'
import { provision, start, stop, unprovision } from './lifecycle.js'
import type { LocalOptions } from './options.js'
import { type Site, serverSite } from './site.js'

/** The `local` orchestrator of one cluster. Servers keep running when the manager ends; it finds them again. */
export function createLocalOrchestrator(options: LocalOptions): Orchestrator {
  const { startMs = MINUTE, stopMs = 30 * SECOND } = options
  const queue = new Map<string, Promise<unknown>>()
  /** One action at a time for each server; each ends at its deadline. */
  const inTurn =
    (deadlineMs: number, action: (site: Site, signal: AbortSignal) => Promise<Result<void>>) =>
    (server: ServerSpec, signal: AbortSignal): Promise<Result<void>> => {
      const site = serverSite(options.workingDir, options.cluster, server)
      const before = queue.get(site.directory) ?? Promise.resolve()
      const next = before.then(() => action(site, AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])))
      const settled = next.catch((error: unknown) => failed(site, error))
      queue.set(site.directory, settled)
      return settled
    }
  return {
    kind: 'local',
    provision: inTurn(2 * startMs, (site, signal) => provision(site, options, signal)),
    start: inTurn(startMs, (site, signal) => start(site, options, signal)),
    stop: inTurn(2 * stopMs, (site, signal) => stop(site, stopMs, signal)),
    unprovision: inTurn(2 * stopMs, (site, signal) => unprovision(site, stopMs, signal)),
  }
}

const failed = ({ name }: Site, error: unknown): Result<never> =>
  fail('orchestrator-failed', `${name}: ${error instanceof Error ? error.message : String(error)}`)
