// Whether servers are one Galera cluster, by what each reports of itself. Its members are started together, not repointed.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { Plan } from '../../model/operation/operation.js'
import { textOf } from '../../model/server/named.js'
import type { ServerSnapshot, Snapshot } from '../../model/snapshot.js'
import { isReachable, isWritable } from './channel.js'

const status = ({ slow }: ServerSnapshot, name: string): string => textOf(slow?.status, name) ?? ''

/**
 * A Galera cluster, by the last report of any server without a source: also while its members are down or isolated. One
 * that follows a member of the cluster is a replica like others.
 */
export const isGalera = (servers: readonly ServerSnapshot[]): boolean => servers.some(isGaleraMember)

export const isGaleraMember = ({ state, sourceId }: ServerSnapshot): boolean =>
  state?.galera !== undefined && sourceId === undefined

/** It takes statements as part of the cluster, though it may lag. */
export const isInService = (server: ServerSnapshot): boolean =>
  isReachable(server) && !server.maintenance && server.state?.galera?.ready === true

export const isSynced = (server: ServerSnapshot): boolean =>
  isInService(server) && server.state?.galera?.state === 'synced'

/** Which member receives the writes, the best first: none is made writable for it. */
const fits: readonly ((server: ServerSnapshot) => boolean)[] = [
  (server) => isSynced(server) && isWritable(server),
  (server) => isInService(server) && isWritable(server),
  isSynced,
]

/**
 * The member that writes are sent to: the present one as long as it is synced, else the next one, preferred ones first.
 * Undefined when none is in service.
 */
export function chooseTarget(
  servers: readonly ServerSnapshot[],
  present: ServerSnapshot | undefined,
): ServerSnapshot | undefined {
  const inTurn = [...(present ? [present] : []), ...rankTargets(servers)]
  return fits.map((fit) => inTurn.find(fit)).find((server) => server !== undefined)
}

/** Preferred ones first, ignored ones last. */
export const rankTargets = (servers: readonly ServerSnapshot[]): readonly ServerSnapshot[] => [
  ...servers.filter(({ rating }) => rating === 'preferred'),
  ...servers.filter(({ rating }) => rating === 'unrated'),
  ...servers.filter(({ rating }) => rating === 'ignored'),
]

/** Why a plan that closes, repoints or promotes is refused; undefined where it may be made. */
export const refuseGalera = ({ topology }: Pick<Snapshot, 'topology'>): Result<never> | undefined =>
  topology === 'galera' ? fail('wrong-state', `${NOTHING_TO_MOVE} ${HOW_TO_MOVE}`) : undefined

export const NOTHING_TO_MOVE = 'All members of a Galera cluster replicate to each other and are writable.'
const HOW_TO_MOVE = 'A switchover sends writes to another member.'

/** It answers, and belongs to the part of a Galera cluster that takes writes. */
export const isMember = (server: ServerSnapshot): boolean =>
  isReachable(server) && reasonAgainst(server, Number(status(server, 'wsrep_cluster_size'))) === undefined

/**
 * Nothing has to be done when they are. Failure `unsupported`: what each of them is missing, and how members are started:
 * a running server becomes a member only by a restart, in which it may lose what it holds to the state of the others.
 * https://mariadb.com/kb/en/getting-started-with-mariadb-galera-cluster/
 */
export function planGalera(servers: readonly ServerSnapshot[]): Result<Plan> {
  const missing = servers.flatMap((server) => reasonAgainst(server, servers.length) ?? [])
  const states = new Set(servers.map((server) => status(server, 'wsrep_cluster_state_uuid')))
  if (missing.length === 0 && states.size === 1)
    return ok({
      kind: 'repair',
      reason: `bootstrap of Galera: its ${servers.length} members already form one`,
      commands: [{ type: 'report', text: `The ${servers.length} members of the Galera cluster see each other.` }],
      undo: [],
      deadlineMs: 10 * SECOND,
    })
  const why = missing.length > 0 ? missing.join('; ') : 'they are members of different clusters'
  return fail(
    'unsupported',
    `These servers are not a Galera cluster: ${why}. The local orchestrator can form one from servers that it runs. Elsewhere, give every server the tag wsrep and its configuration, stop all servers, start the most advanced one with --wsrep-new-cluster and then the others one by one: they receive its data.`,
  )
}

function reasonAgainst(server: ServerSnapshot, members: number): string | undefined {
  const { name, slow } = server
  if (!slow) return `${name} has not been probed yet`
  if (textOf(slow.variables, 'wsrep_on')?.toUpperCase() !== 'ON') return `${name} runs without Galera`
  const part = status(server, 'wsrep_cluster_status')
  if (part.toUpperCase() !== 'PRIMARY') return `${name} is in no primary component (${part || 'disconnected'})`
  const size = status(server, 'wsrep_cluster_size')
  if (Number(size) !== members) return `${name} sees ${size} of ${members} members`
  return undefined
}
