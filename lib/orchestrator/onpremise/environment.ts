// The environment of scripts on a host: the manager's address, how to trust it, and what to create.
import { createHash } from 'node:crypto'
import tls from 'node:tls'
import { ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { ServiceSpec } from '../../model/operation/services.js'
import type { Login } from '../database-login.js'

export interface ScriptFacts {
  readonly cluster: string
  /** `monitoring-address`; `localhost` is replaced by the address that the host sees. */
  readonly address: string
  readonly apiPort: number
  /** The manager's own address of its API, to read its certificate. */
  readonly apiBind: string
  /** A one-time token for a download that needs one; absent when it needs none. No user's login leaves the manager. */
  readonly token?: (service: ServiceSpec) => Promise<Result<string>>
  /** The account with all privileges that a new database gets. */
  readonly root: Login
  /** Statements that a new database executes once. */
  readonly initSql: readonly string[]
  readonly forceConfig: boolean
  /** The packages to install where no server is; MariaDB of the distribution when absent. */
  readonly packages?: string
}

/** The environment of a script on the host of this service. Failures: those of creating a token. */
export async function scriptEnvironment(
  facts: ScriptFacts,
  service: ServiceSpec,
  client: string,
): Promise<Result<Readonly<Record<string, string>>>> {
  const token = facts.token ? await facts.token(service) : undefined
  if (token && !token.ok) return token
  const address = facts.address === 'localhost' && client !== '' ? client : facts.address
  const pin = await readPin(facts, address)
  return ok({
    MANAGER_URL: `https://${address.includes(':') ? `[${address}]` : address}:${facts.apiPort}`,
    MANAGER_CLUSTER_NAME: facts.cluster,
    MANAGER_HOST_NAME: service.host,
    MANAGER_HOST_PORT: `${service.port}`,
    ...(pin === undefined ? {} : { MANAGER_FINGERPRINT: pin }),
    ...(token ? { MANAGER_TOKEN: token.value } : {}),
    ...(facts.packages === undefined ? {} : { MANAGER_DB_PACKAGES: facts.packages }),
    ...(facts.forceConfig ? { MANAGER_FORCE_CONFIG: 'true' } : {}),
    MYSQL_ROOT_USER: facts.root.user,
    MYSQL_ROOT_PASSWORD: facts.root.password,
    MANAGER_INIT_SQL: facts.initSql.join('\n'),
  })
}

const TLS_PROBE_MS = 2 * SECOND

/** The pin of the API's key, `sha256//…`; undefined when hosts can verify its certificate without it. */
export function readPin(
  { apiBind, apiPort }: Pick<ScriptFacts, 'apiBind' | 'apiPort'>,
  address: string,
): Promise<string | undefined> {
  const host = apiBind === '' || apiBind === '0.0.0.0' ? '127.0.0.1' : apiBind === '::' ? '::1' : apiBind
  return new Promise((resolve) => {
    const socket = tls.connect({ host, port: apiPort, servername: nameFor(address), rejectUnauthorized: false })
    const settle = (pin: string | undefined) => {
      socket.destroy()
      resolve(pin)
    }
    socket.setTimeout(TLS_PROBE_MS, () => settle(undefined))
    socket.once('error', () => settle(undefined))
    socket.once('secureConnect', () => {
      const key = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' })
      if (socket.authorized || key === undefined) return settle(undefined)
      settle(`sha256//${createHash('sha256').update(key).digest('base64')}`)
    })
  })
}

/** An IP address is not sent as a server name. */
const nameFor = (address: string): string => (/^[\d.]+$|:/.test(address) ? '' : address)
