// The on-premise orchestrator for a cluster's settings: account, trust, limits, scripts.
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { sharePath } from '../../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { reveal } from '../../../lib/base/secret.js'
import { MINUTE, now, SECOND } from '../../../lib/base/time.js'
import { choosePathContext, type Paths, placePaths, softwareOfImage } from '../../../lib/configure/index.js'
import type { SqlTls } from '../../../lib/connect/sql/session.js'
import { KnownHosts } from '../../../lib/connect/ssh/known-hosts.js'
import { openSsh } from '../../../lib/connect/ssh/session.js'
import { createSshPool, type SshOptions, type SshTarget } from '../../../lib/connect/ssh/ssh.js'
import { createAccounts } from '../../../lib/dialect/shared/access/accounts.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import { composeHostScript } from '../../../lib/orchestrator/host-scripts.js'
import type { Orchestrator } from '../../../lib/orchestrator/index.js'
import { scriptEnvironment } from '../../../lib/orchestrator/onpremise/environment.js'
import {
  type BuiltInScript,
  createOnPremiseOrchestrator,
  type HostPart,
} from '../../../lib/orchestrator/onpremise/index.js'
import type { Settings } from '../../../lib/settings/index.js'
import { credentials } from '../../../lib/settings/secret/credentials.js'
import { makeBootstrapToken } from '../../../lib/store/index.js'
import { materialFiles } from '../../../lib/tls/index.js'
import { keysOf } from '../../cluster/state/message/wires.js'

/** How long an unused connection to a host is kept: a rolling operation needs it again soon. */
const IDLE_MS = 2 * MINUTE

export function onPremiseOrchestrator(cluster: string, settings: Settings, tls?: SqlTls): Orchestrator {
  const knownHosts = settings['onpremise-ssh-known-hosts'] || path.join(settings['monitoring-datadir'], 'known_hosts')
  const monitor = login(settings['db-servers-credential'])
  const ssh: SshOptions = {
    knownHosts: new KnownHosts(knownHosts),
    firstUse: settings['onpremise-ssh-first-use'],
    connectMs: settings['onpremise-ssh-connect-timeout'] * SECOND,
  }
  return createOnPremiseOrchestrator({
    cluster,
    pool: createSshPool({ ...ssh, maxHosts: settings['onpremise-ssh-max-hosts'], idleMs: IDLE_MS }),
    open: (target) => openSsh(target, ssh),
    account: () => readAccount(settings),
    sudo: settings['onpremise-ssh-sudo'],
    login: { ...monitor, ...keysOf({ name: cluster, settings }), ...(tls ? { tls } : {}) },
    environment: (service, client) => scriptEnvironment(scriptFacts(cluster, settings), service, client),
    dataDir: (service) => pathsOf(cluster, settings, service).dataDir,
    configDir: (service) => pathsOf(cluster, settings, service).configDir,
    baseDir: (service) => baseDirOf(cluster, settings, service),
    tlsFiles: (service) => tlsFilesBelow(`${pathsOf(cluster, settings, service).configDir}/ssl`),
    builtIn: readScript,
    startScript: settings['onpremise-ssh-start-db-script'],
    stopScript: settings['onpremise-ssh-stop-db-script'],
    deadlineMs: settings['onpremise-ssh-deadline'] * SECOND,
    fillMs: settings['prov-db-fill-timeout'] * SECOND,
  })
}

function scriptFacts(cluster: string, settings: Settings) {
  const monitor = login(settings['db-servers-credential'])
  const replication = login(settings['replication-credential'])
  return {
    cluster,
    address: settings['monitoring-address'],
    apiPort: settings['api-port'],
    apiBind: settings['api-bind'],
    ...(isNarrowed(settings) ? { token: (service: ServiceSpec) => makeToken(cluster, settings, service) } : {}),
    root: monitor,
    initSql: createAccounts({ monitor: { ...monitor, hosts: ['%'] }, replication: { ...replication, hosts: ['%'] } }),
    forceConfig: settings['prov-db-force-write-config'],
    ...packagesOf(settings),
  }
}

/** The server of another flavour has another package name in the distribution. */
function packagesOf(settings: Settings): { readonly packages?: string } {
  const flavour = softwareOfImage(settings['prov-db-docker-img'])?.flavour ?? 'mariadb'
  return flavour === 'mariadb' ? {} : { packages: `${flavour}-server` }
}

const isNarrowed = (settings: Settings): boolean =>
  settings['api-credentials-secure-config'] || settings['api-config-download-tokens']

/** Opens the archive of this server once, for as long as one action may take. */
async function makeToken(cluster: string, settings: Settings, { host, port }: ServiceSpec): Promise<Result<string>> {
  const directory = path.join(settings['monitoring-datadir'], cluster, `${host}_${port}`)
  const at = now()
  const expiresAt = at + settings['onpremise-ssh-deadline'] * SECOND
  const made = await makeBootstrapToken(directory, { user: 'manager', at, expiresAt })
  return made.ok ? ok(made.value.token) : made
}

const contextOf = (cluster: string, settings: Settings, server: ServiceSpec) =>
  choosePathContext({ orchestrator: 'onpremise', tags: settings['prov-db-tags'], directory: '', cluster, server })

const pathsOf = (cluster: string, settings: Settings, service: ServiceSpec): Paths =>
  placePaths(contextOf(cluster, settings, service), service)

function baseDirOf(cluster: string, settings: Settings, service: ServiceSpec): string {
  const context = contextOf(cluster, settings, service)
  return context.kind === 'package' ? context.basedir : ''
}

/** The client's certificates among the files of a configuration archive. */
const tlsFilesBelow = (folder: string) => ({
  ca: `${folder}/${materialFiles.ca}`,
  cert: `${folder}/${materialFiles.clientCert}`,
  key: `${folder}/${materialFiles.clientKey}`,
})

/** Key files that are tried when none is named and no password is given. */
const usualKeys = ['.ssh/id_ed25519', '.ssh/id_rsa'].map((file) => path.join(homedir(), file))

async function readAccount(settings: Settings): Promise<Result<Omit<SshTarget, 'host'>>> {
  const { user, password } = login(settings['onpremise-ssh-credential'])
  const given = settings['onpremise-ssh-private-key']
  const account = { user, port: settings['onpremise-ssh-port'], ...(password === '' ? {} : { password }) }
  const files = given !== '' ? [given] : password === '' ? usualKeys : []
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error)
    if (typeof text === 'string') return ok({ ...account, privateKey: text })
    if (given !== '' || text.code !== 'ENOENT') return fail('file-unreadable', `SSH key ${file}: ${text.message}`)
  }
  return ok(account)
}

async function readScript(name: BuiltInScript | HostPart): Promise<Result<string>> {
  const isPart = name === 'host' || name === 'fill'
  const text = isPart ? readFile(sharePath('scripts/onpremise', `${name}.sh`), 'utf8') : composeHostScript(name)
  return text.then(ok, (error: Error) => fail('file-unreadable', `script ${name}: ${error.message}`))
}

function login(account: Settings['db-servers-credential']): { readonly user: string; readonly password: string } {
  const { user, password } = credentials(account)
  return { user, password: reveal(password) }
}
