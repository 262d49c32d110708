// The orchestrator that a cluster's settings name, where it acts on this machine.
import type { ClusterInit } from '../../actors/protocol/cluster.js'
import { reveal, type Secret } from '../../lib/base/secret.js'
import type { Orchestrator } from '../../lib/orchestrator/index.js'
import { createLocalOrchestrator } from '../../lib/orchestrator/local/index.js'
import { credentials } from '../../lib/settings/credentials.js'
import { importSettings, type Settings } from '../../lib/settings/index.js'

/** Undefined when the hosts act by themselves (they poll `need-start` and its kin). */
export function orchestratorOf({ name, settings: plain }: ClusterInit): Orchestrator | undefined {
  const settings = importSettings(plain)
  return settings['prov-orchestrator'] === 'local' ? localOrchestrator(name, settings) : undefined
}

export const localOrchestrator = (cluster: string, settings: Settings): Orchestrator =>
  createLocalOrchestrator({
    workingDir: settings['monitoring-datadir'],
    cluster,
    monitor: login(settings['db-servers-credential']),
    replication: login(settings['replication-credential']),
    fetchOnStart: settings['prov-db-start-fetch-config'],
  })

function login(account: Secret): { readonly user: string; readonly password: string } {
  const { user, password } = credentials(account)
  return { user, password: reveal(password) }
}
