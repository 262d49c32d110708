// How effects and reads reach servers and log in, by the actor's state. Pure.

import path from 'node:path'
import { fail, type Result } from '../../../../lib/base/result.js'
import { reveal } from '../../../../lib/base/secret.js'
import { SECOND } from '../../../../lib/base/time.js'
import { addressBookOf, sourceAddresses } from '../../../../lib/decide/situation/topology/source-address.js'
import { memberOf } from '../../../../lib/decide/situation/topology/sources.js'
import { isReader } from '../../../../lib/decide/situation/validity.js'
import { dialectFor } from '../../../../lib/dialect/for.js'
import type { Dialect } from '../../../../lib/dialect/index.js'
import type { SqlTarget, TlsFiles } from '../../../../lib/effect/index.js'
import type { EffectSettings, Seen } from '../../../../lib/effect/kit/context.js'
import type { EffectServer } from '../../../../lib/effect/kit/server.js'
import type { SeenInstance } from '../../../../lib/model/server/instance.js'
import type { Reading } from '../../../../lib/model/server/reading.js'
import type { ServerAddress, ServerId } from '../../../../lib/model/server/server.js'
import type { Watched } from '../../../../lib/model/server/watched.js'
import { findServer, mainChannel, type ServerSnapshot, type Snapshot } from '../../../../lib/model/snapshot.js'
import type { ReplicationLogin } from '../../../../lib/probe/source-login.js'
import type { ProxyTarget } from '../../../../lib/proxy/kit/index.js'
import { credentials } from '../../../../lib/settings/secret/credentials.js'
import type { Settings } from '../../../../lib/settings/table/index.js'
import { materialFiles } from '../../../../lib/tls/index.js'
import type { ClusterState } from '../state.js'

/**
 * Address and login of the monitor's own account, with TLS where the settings name its files; for the server that probes have
 * seen at the address, where it is a member that has answered.
 */
export function targetOf(
  address: ServerAddress & Pick<Partial<ServerSnapshot>, 'state' | 'stateAt'>,
  state: Pick<ClusterState, 'name' | 'settings' | 'tls'>,
): SqlTarget {
  const expected = seenInstance(address)
  return { ...addressOf(address, state), ...(expected ? { expected } : {}) }
}

/** The same for whichever server answers there: only what asks who it is may use it. */
export function addressOf(
  address: ServerAddress,
  { name, settings, tls }: Pick<ClusterState, 'name' | 'settings' | 'tls'>,
): SqlTarget {
  const { user, password } = credentials(settings['db-servers-credential'])
  return {
    host: address.host,
    port: address.port,
    user,
    password: reveal(password),
    connectTimeoutMs: settings['db-servers-connect-timeout'] * SECOND,
    ...keysOf({ name, settings }),
    ...(tls ? { tls } : {}),
  }
}

function seenInstance({
  state,
  stateAt,
}: Pick<Partial<ServerSnapshot>, 'state' | 'stateAt'>): SeenInstance | undefined {
  return state && stateAt !== undefined ? { instance: state.identity.instance, at: stateAt } : undefined
}

/** Which RSA keys of MySQL servers are trusted with the password where sessions have no TLS. */
export const keysOf = ({ name, settings }: KeyPlace): Pick<SqlTarget, 'publicKeys' | 'anyKey' | 'knownKeys'> => ({
  ...(settings['db-servers-public-keys'] === '' ? {} : { publicKeys: settings['db-servers-public-keys'] }),
  ...(settings['db-servers-accept-unproven-keys'] ? { anyKey: true } : {}),
  ...(settings['db-servers-public-key-policy'] === 'first-use'
    ? { knownKeys: { directory: path.join(settings['monitoring-datadir'], name, 'public-keys'), learn: true } }
    : {}),
})

interface KeyPlace {
  readonly name: string
  readonly settings: Pick<
    Settings,
    'db-servers-public-keys' | 'db-servers-accept-unproven-keys' | 'db-servers-public-key-policy' | 'monitoring-datadir'
  >
}

/** The files of TLS to databases: those named, or those the manager made; neither: sessions are in clear. */
export function tlsFiles({ name, settings }: Pick<ClusterState, 'name' | 'settings'>): TlsFiles {
  if (settings['db-servers-tls-use-generated-cert']) {
    const file = (part: keyof typeof materialFiles) =>
      path.join(settings['monitoring-datadir'], name, 'ssl', materialFiles[part])
    return { ca: file('ca'), cert: file('clientCert'), key: file('clientKey') }
  }
  const [ca, cert] = [settings['db-servers-tls-ca-cert'], settings['db-servers-tls-client-cert']]
  const key = settings['db-servers-tls-client-key']
  return { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) }
}

/** What effects need of a server; undefined for one that is unknown or never reported what it is. */
export function effectServer(
  state: Pick<ClusterState, 'name' | 'snapshot' | 'settings' | 'memory' | 'tls'>,
  id: ServerId,
): EffectServer | undefined {
  const server = findServer(state.snapshot, id)
  const dialect = server && dialectOf(server)
  if (!server || !dialect) return undefined
  const reserved = server.state?.identity.reserved
  return {
    spec: server,
    target: targetOf(server, state),
    dialect,
    sources: sourceAddresses(server, addressBookOf(state)),
    ...(server.state ? { serverNumber: server.state.serverNumber } : {}),
    ...(reserved === undefined ? {} : { reservedPort: reserved.port }),
    ...(reserved?.host === undefined ? {} : { reservedHost: reserved.host }),
    replication: {
      channel: server.ownChannel ?? state.settings['replication-source-name'],
      foreign: server.foreignChannels ?? [],
      others: state.snapshot.servers.filter((one) => one.id !== id).map((one) => memberOf(one, state)),
    },
  }
}

export const notAnswering = ({ name, error }: ServerSnapshot): Result<never> =>
  fail('sql-refused', `${name} does not answer: ${error?.message ?? 'not probed yet'}`)

/** The dialect a server speaks, by what it reported last. */
export const dialectOf = ({ state }: ServerSnapshot): Dialect | undefined => state && dialectFor(state.identity)

/** What a command saw of a server, as a reading; what only probes read is taken over from the latest one. */
export function readingOf(state: ClusterState, { server, at, state: seen }: Seen): Reading {
  const before = findServer(state.snapshot, server)
  const sinceBefore = Math.max(0, Math.floor((at - (before?.stateAt ?? at)) / SECOND))
  const uptimeSeconds = (before?.state?.uptimeSeconds ?? 0) + sinceBefore
  return { server, at, tookMs: before?.probeMs ?? 0, observation: 'answered', state: { ...seen, uptimeSeconds } }
}

/** What slow probes are to read besides, by the settings. */
export function watchedBy(settings: ClusterState['settings']): Watched {
  const longMs = settings['monitoring-long-query-time']
  return {
    ...(settings['monitoring-long-query-with-process'] ? { statementsMs: longMs } : {}),
    ...(settings['monitoring-processlist-transactions'] ? { transactionsMs: longMs } : {}),
    ...(settings['monitoring-disk-usage'] ? { disks: true } : {}),
    ...(settings['failover-event-status'] ? { events: true } : {}),
    ...(settings['monitoring-plugins'] ? {} : { withoutPlugins: true }),
  }
}

/** What replicas log in with, as far as the settings say. */
export function replicationLogin(settings: ClusterState['settings']): ReplicationLogin {
  const { user, password } = credentials(settings['replication-credential'])
  const hosts = settings['replication-hosts']
  return { user, password: reveal(password), tls: settings['replication-use-ssl'], hosts }
}

function replicationFiles(
  settings: ClusterState['settings'],
  { sourceTls }: ClusterState['memory'],
): NonNullable<EffectSettings['replication']['tlsFiles']> {
  const [ca, cert] = [settings['replication-ssl-ca'], settings['replication-ssl-cert']]
  const key = settings['replication-ssl-key']
  const own = { ...(ca === '' ? {} : { ca }), ...(cert === '' ? {} : { cert, key: key === '' ? cert : key }) }
  const others = sourceTls?.files
  return { ...(ca === '' && cert === '' ? {} : { own }), ...(others ? { others } : {}) }
}

export function effectSettings({
  settings,
  snapshot,
  memory,
}: Pick<ClusterState, 'settings' | 'snapshot' | 'memory'>): EffectSettings {
  const { user, password } = credentials(settings['replication-credential'])
  return {
    replication: {
      user,
      password: reveal(password),
      heartbeatSeconds: settings['force-slave-heartbeat-time'],
      connectRetrySeconds: settings['force-slave-heartbeat-retry'],
      // Where replicas use it already, the account may require it, and a repointed one must not lose it.
      tls:
        settings['replication-use-ssl'] ||
        memory.sourceTls?.used === true ||
        snapshot.servers.some((server) => mainChannel(server)?.source.tls),
      tlsFiles: replicationFiles(settings, memory),
      channel: settings['replication-source-name'],
      hosts: settings['replication-hosts'],
    },
    crashFilesKept: settings['failover-log-file-keep'],
    binlogTool: settings['backup-mysqlbinlog-path'],
  }
}

/** Where proxies should send writes and reads: writes to `primary`, reads to every healthy replica that is not kept behind. */
export function proxyTarget(
  { servers }: Pick<Snapshot, 'servers'>,
  primary: ServerId | undefined,
  settings: Settings,
): ProxyTarget {
  const writer = servers.find(({ id }) => id === primary)
  const healthy = servers.filter((server) => server.id !== primary && isReader(server))
  const primaryReads =
    settings['proxy-servers-read-on-master'] ||
    (settings['proxy-servers-read-on-master-no-slave'] && healthy.length === 0)
  const readState = (server: ServerSnapshot) => {
    if (server.maintenance) return 'maint'
    if (server.id === primary) return primaryReads ? 'ready' : 'drain'
    return healthy.includes(server) && server.rating !== 'ignored' ? 'ready' : 'drain'
  }
  return {
    ...(writer ? { primary: { id: writer.id, host: writer.host, port: writer.port } } : {}),
    readers: servers.map((server) => ({
      id: server.id,
      host: server.host,
      port: server.port,
      state: readState(server),
    })),
  }
}
