// Whether a server that joins a cluster is one of another cluster: by its address, resolved, and by what it says it is.
import { lookup } from 'node:dns/promises'
import { done, fail, type Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import type { SqlTarget } from '../../../lib/connect/sql/session.js'
import { readTls } from '../../../lib/connect/sql/tls-files.js'
import { identityText, readIdentity, type ServerIdentityText } from '../../../lib/effect/reads/server-identity.js'
import { textOf } from '../../../lib/model/server/named.js'
import { addressText, type ServerAddress } from '../../../lib/model/server/server.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { targetOf, tlsFiles } from '../../cluster/state/message/wires.js'
import type { ClusterProtocol } from '../../protocol/cluster.js'
import type { ActorRef } from '../../protocol/envelope.js'

/** Longest time until a name is resolved; one that is not says nothing. */
const RESOLVE_MS = 2 * SECOND
/** Longest time until another cluster says what it sees. */
const READ_MS = 3 * SECOND
/** Longest wait until it has read the variables of a server that could be the same one. */
const VARIABLES_MS = 10 * SECOND
const AGAIN_MS = 200
/** Two servers that say the same of themselves are one when they started within so long of each other. */
const SAME_START_MS = 5 * SECOND

export interface NewcomerParts {
  readonly clusters: () => Iterable<string>
  readonly settings: (cluster: string) => Settings | undefined
  readonly ref: (cluster: string) => ActorRef<ClusterProtocol> | undefined
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
 * not answer, or refuses every login, is judged by its address only.
 */
export async function permitNewcomers(parts: NewcomerParts, joining: Joining): Promise<Result<void>> {
  const others = [...parts.clusters()].filter((name) => name !== joining.cluster)
  const { cluster: name, settings, added } = joining
  const tls = await readTls(tlsFiles({ name, settings })).catch(() => undefined)
  for (const address of added) {
    const target = targetOf(address, { settings, ...(tls ? { tls } : {}) })
    const known = (await ownerByAddress(parts, others, address)) ?? (await ownerByIdentity(parts, others, target))
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

/** The member of another cluster that is the same server: the same number, start, name, port and data directory. */
async function ownerByIdentity({ ref }: NewcomerParts, others: readonly string[], target: SqlTarget) {
  const read = await readIdentity(target)
  if (!read.ok) return undefined
  for (const name of others) {
    const actor = ref(name)
    const known = actor && (await sameMember(actor, read.value))
    if (known) return `${addressText(known.server)} of cluster ${name}: ${reasonOf[known.likeness]}`
  }
  return undefined
}

const reasonOf = {
  same: 'the same server by its name, port, data directory and start',
  unread: 'perhaps the same server, since its variables are not read yet; try again when it answers',
} as const

/** Waits for the variables of a member that may be it. */
async function sameMember(actor: ActorRef<ClusterProtocol>, identity: ServerIdentityText) {
  const until = now() + VARIABLES_MS
  for (;;) {
    const snapshot = await actor.ask('snapshot', {}, { deadlineMs: READ_MS })
    if (!snapshot.ok) return undefined
    const alike = snapshot.value.servers.flatMap((server) => {
      const likeness = compare(identity, server)
      return likeness === undefined ? [] : [{ server, likeness }]
    })
    const same = alike.find(({ likeness }) => likeness === 'same')
    if (same || alike.length === 0 || now() > until) return same ?? alike[0]
    await sleep(AGAIN_MS)
  }
}

/** Undefined when it is another one. */
function compare(
  { serverNumber, text, startedAt }: ServerIdentityText,
  { state, stateAt, slow }: ServerSnapshot,
): keyof typeof reasonOf | undefined {
  if (!state || stateAt === undefined || state.serverNumber !== serverNumber) return undefined
  if (Math.abs(stateAt - state.uptimeSeconds * SECOND - startedAt) > SAME_START_MS) return undefined
  if (!slow) return 'unread'
  return identityText((name) => textOf(slow.variables, name)) === text ? 'same' : undefined
}
