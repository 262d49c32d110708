// The orchestrator that a cluster's settings name.
import path from 'node:path'
import { reveal, type Secret } from '../../../lib/base/secret.js'
import { now, SECOND } from '../../../lib/base/time.js'
import { softwareOfImage } from '../../../lib/configure/index.js'
import type { SqlTls } from '../../../lib/connect/sql/session.js'
import { createAgentOrchestrator, createMissingOrchestrator } from '../../../lib/orchestrator/agent.js'
import type { Login } from '../../../lib/orchestrator/database-login.js'
import type { Orchestrator } from '../../../lib/orchestrator/index.js'
import { createLocalOrchestrator } from '../../../lib/orchestrator/local/index.js'
import { withOwnScripts } from '../../../lib/orchestrator/own-scripts.js'
import { importSettings, type Settings } from '../../../lib/settings/index.js'
import { credentials } from '../../../lib/settings/secret/credentials.js'
import { polledAt, setCookie } from '../../../lib/store/index.js'
import { keysOf, tlsFiles } from '../../cluster/state/message/wires.js'
import type { ClusterInit } from '../../protocol/cluster.js'
import { onPremiseOrchestrator } from './on-premise.js'

type Make = (cluster: string, settings: Settings, tls?: SqlTls) => Orchestrator

export const localOrchestrator: Make = (cluster, settings, tls) =>
  createLocalOrchestrator({
    workingDir: settings['monitoring-datadir'],
    cluster,
    monitor: monitorLogin(cluster, settings, tls),
    replication: loginOf(settings['replication-credential']),
    fetchOnStart: settings['prov-db-start-fetch-config'],
    flavour: softwareOfImage(settings['prov-db-docker-img'])?.flavour ?? 'mariadb',
    fillMs: settings['prov-db-fill-timeout'] * SECOND,
    ...(tls ? { tlsFiles: tlsFiles({ name: cluster, settings }) } : {}),
    ...(settings['prov-local-user'] === '' ? {} : { user: settings['prov-local-user'] }),
    haproxy: {
      program: settings['haproxy-binary-path'],
      fetchOnStart: settings['prov-proxy-start-fetch-config'],
    },
  })

/** Hosts that poll: a requested action is a flag in the server's directory. */
const agentOrchestrator: Make = (cluster, settings, tls) =>
  createAgentOrchestrator({
    kind: settings['prov-orchestrator'],
    login: monitorLogin(cluster, settings, tls),
    raise: ({ host, port }, flag) =>
      setCookie(path.join(settings['monitoring-datadir'], cluster, `${host}_${port}`), flag),
    sinceAsked: async ({ host, port }) =>
      now() - (await polledAt(path.join(settings['monitoring-datadir'], cluster, `${host}_${port}`))),
  })

const missingOrchestrator: Make = (_, settings) => createMissingOrchestrator(settings['prov-orchestrator'])

const makers: Readonly<Record<Settings['prov-orchestrator'], Make>> = {
  local: localOrchestrator,
  onpremise: (cluster, settings, tls) =>
    (settings['onpremise-ssh'] ? onPremiseOrchestrator : agentOrchestrator)(cluster, settings, tls),
  slapos: agentOrchestrator,
  opensvc: missingOrchestrator,
  kube: missingOrchestrator,
}

export function orchestratorOf({ name, settings: plain }: ClusterInit, tls?: SqlTls): Orchestrator {
  const settings = importSettings(plain)
  return withOwnScripts(makers[settings['prov-orchestrator']](name, settings, tls), {
    cluster: name,
    scripts: {
      database: {
        provision: settings['prov-db-bootstrap-script'],
        unprovision: settings['prov-db-cleanup-script'],
        start: settings['prov-db-start-script'],
        stop: settings['prov-db-stop-script'],
      },
      proxy: {
        provision: settings['prov-proxy-bootstrap-script'],
        unprovision: settings['prov-proxy-cleanup-script'],
        start: settings['prov-proxy-start-script'],
        stop: settings['prov-proxy-stop-script'],
      },
    },
    logins: {
      database: monitorLogin(name, settings),
      proxy: { user: settings['haproxy-user'], password: reveal(settings['haproxy-password']) },
    },
  })
}

/** The account of the monitor, with what its sessions trust. */
export const monitorLogin = (cluster: string, settings: Settings, tls?: SqlTls): Login => ({
  ...loginOf(settings['db-servers-credential'], tls),
  ...keysOf({ name: cluster, settings }),
})

/** The account with the TLS of the cluster's sessions. */
export function loginOf(account: Secret, tls?: SqlTls): Login {
  const { user, password } = credentials(account)
  return { user, password: reveal(password), ...(tls ? { tls } : {}) }
}
