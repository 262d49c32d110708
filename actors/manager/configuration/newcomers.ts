// Whether a server that joins a cluster is one of another cluster: by its address, resolved, and by what it says it is.
import { lookup } from 'node:dns/promises'
import { done, fail, type Result } from '../../../lib/base/result.js'
import { SECOND, sleep } from '../../../lib/base/time.js'
import type { SqlTarget } from '../../../lib/connect/sql/session.js'
import { readTls } from '../../../lib/connect/sql/tls-files.js'
import type { Holding } from '../../../lib/decide/watching/instances.js'
import { readInstance } from '../../../lib/effect/reads/server-instance.js'
import type { ServerInstance } from '../../../lib/model/server/instance.js'
import { addressText, type ServerAddress } from '../../../lib/model/server/server.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { targetOf, tlsFiles } from '../../cluster/state/message/wires.js'

/** Longest time until a name is resolved; one that is not says nothing. */
const RESOLVE_MS = 2 * SECOND

export interface NewcomerParts {
  readonly clusters: () => Iterable<string>
  readonly settings: (cluster: string) => Settings | undefined
  /** The member of a cluster besides this one that is the server. */
  readonly holderOf: (instance: ServerInstance, besides: string) => Holding | undefined
}

/** Whether a host has an address; a name service that gives no answer in time says nothing against it. */
export async function resolves(host: string): Promise<boolean> {
  const over = new AbortController()
  const found = lookup(host).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOTFOUND',
  )
  const answer = await Promise.race([found, sleep(RESOLVE_MS, over.signal).then(() => true)])
  over.abort()
  return answer
}

/** Of a cluster whose list of servers gets longer. */
export interface Joining {
  readonly cluster: string
  /** Those of the change. */
  readonly settings: Settings
  readonly added: readonly ServerAddress[]
}

/**
 * `server-exists` names the server of another cluster that an address leads to, whatever it is spelled like. A server that does
 * not answer, or refuses every login, is judged by its address only, and again when it answers (actors/manager/instances.ts).
 */
export async function permitNewcomers(parts: NewcomerParts, joining: Joining): Promise<Result<void>> {
  const others = [...parts.clusters()].filter((name) => name !== joining.cluster)
  const { cluster: name, settings, added } = joining
  const tls = await readTls(tlsFiles({ name, settings })).catch(() => undefined)
  for (const address of added) {
    const target = targetOf(address, { name, settings, ...(tls ? { tls } : {}) })
    const known = (await ownerByAddress(parts, others, address)) ?? (await ownerByInstance(parts, name, target))
    if (known !== undefined) return fail('server-exists', `${addressText(address)} is ${known}`)
  }
  return done
}

/** The address in the list of another cluster that leads to the same socket. */
async function ownerByAddress(parts: NewcomerParts, others: readonly string[], address: ServerAddress) {
  const wanted = await socketsOf(address)
  for (const cluster of others) {
    const entries = parts.settings(cluster)?.['db-servers-hosts'] ?? []
    const addresses = entries.flatMap((entry) => splitAddress(entry) ?? []).filter(({ port }) => port === address.port)
    for (const other of addresses)
      if ((await socketsOf(other)).some((socket) => wanted.includes(socket)))
        return `${addressText(other)} of cluster ${cluster}`
  }
  return undefined
}

async function socketsOf({ host, port }: ServerAddress): Promise<readonly string[]> {
  const over = new AbortController()
  const resolved = lookup(host, { all: true }).catch(() => [])
  const found = (await Promise.race([resolved, sleep(RESOLVE_MS, over.signal)])) ?? []
  over.abort()
  return found.map(({ address }) => `${isLoopback(address) ? 'loopback' : address} ${port}`)
}

/** One socket that listens everywhere is reached by both. */
const isLoopback = (address: string): boolean => address === '127.0.0.1' || address === '::1'

/** The member of another cluster that is the same server, as its probes have seen it. */
async function ownerByInstance({ holderOf }: NewcomerParts, cluster: string, target: SqlTarget) {
  const read = await readInstance(target)
  const holder = read.ok && read.value ? holderOf(read.value, cluster) : undefined
  return (
    holder &&
    `${holder.server} of cluster ${holder.cluster}: the same server by its name, port, data directory and start`
  )
}
