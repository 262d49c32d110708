// The demo's databases: provisioned on the first run, started again on later ones, stopped at the end.
import { createArchiveService } from '../../actors/archive/archives.js'
import { listMembers } from '../../actors/cluster/state/members.js'
import { archiveInputs } from '../../actors/manager/delivery/archives.js'
import { localOrchestrator } from '../../actors/manager/orchestrator/orchestrator.js'
import { sharePath } from '../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { MINUTE, SECOND } from '../../lib/base/time.js'
import { freshMemory } from '../../lib/model/memory.js'
import type { ServiceSpec } from '../../lib/model/operation/services.js'
import { addressText, type ServerSpec } from '../../lib/model/server/server.js'
import type { Orchestrator, Run } from '../../lib/orchestrator/index.js'
import { loadConfiguration } from '../../lib/settings/load/load.js'

export interface DemoDatabases {
  readonly servers: readonly ServerSpec[]
  stop(): Promise<void>
}

/** Stops what an earlier run may have left running. */
export async function stopDemo(file: string): Promise<void> {
  const loaded = await loadConfiguration({ file })
  const settings = loaded.ok ? loaded.configuration.clusters.get('demo')?.settings : undefined
  if (settings) await stopAll(localOrchestrator('demo', settings), listMembers('demo', settings, freshMemory))
}

/**
 * Builds the archives and provisions every server of the file's cluster `demo` from its own. Whatever hinders that, an
 * interruption too, leaves none of them running.
 */
export async function startDatabases(file: string, interrupted?: AbortSignal): Promise<Result<DemoDatabases>> {
  const loaded = await loadConfiguration({ file })
  const settings = loaded.ok ? loaded.configuration.clusters.get('demo')?.settings : undefined
  if (!settings) return fail('bad-configuration', `${file} has no valid cluster demo`)
  const archives = await createArchiveService({
    rulesDir: sharePath('rules', 'database'),
    workingDir: settings['monitoring-datadir'],
  })
  if (!archives.ok) return archives
  const built = await archives.value.build(archiveInputs('demo', settings))
  await archives.value.close()
  if (!built.ok) return built

  const orchestrator = localOrchestrator('demo', settings)
  const servers = listMembers('demo', settings, freshMemory)
  const databases: DemoDatabases = { servers, stop: () => stopAll(orchestrator, servers) }
  const outcomes = await Promise.all(
    servers.map((server) => orchestrator.provision(serviceOf(server), runFor(MINUTE, interrupted))),
  )
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.ok ? [] : [`${address(servers[index])}: ${outcome.failure.message}`],
  )
  if (failures.length === 0) return ok(databases)
  await databases.stop()
  return fail('orchestrator-failed', failures.join('\n'))
}

async function stopAll(orchestrator: Orchestrator, servers: readonly ServerSpec[]): Promise<void> {
  await Promise.all(servers.map((server) => orchestrator.stop(serviceOf(server), runFor(20 * SECOND))))
}

const serviceOf = (server: ServerSpec): ServiceSpec => ({ ...server, kind: 'database' })

const runFor = (ms: number, interrupted?: AbortSignal): Run => ({
  signal: AbortSignal.any([AbortSignal.timeout(ms), ...(interrupted ? [interrupted] : [])]),
  ...{ log: () => {}, force: false },
})

const address = (server: ServerSpec | undefined): string => (server ? addressText(server) : 'server')
