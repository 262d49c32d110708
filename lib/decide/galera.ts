// Whether servers are one Galera cluster, by what each says of itself. Its members are started together, not repointed.
import { fail, ok, type Result } from '../base/result.js'
import { SECOND } from '../base/time.js'
import { textOf } from '../model/named.js'
import type { Plan } from '../model/operation.js'
import type { ServerSnapshot } from '../model/snapshot.js'
import { isReachable } from './channel.js'

const status = ({ slow }: ServerSnapshot, name: string): string => textOf(slow?.status, name) ?? ''

/** It answers, and belongs to the part of a Galera cluster that takes writes. */
export const isMember = (server: ServerSnapshot): boolean =>
  isReachable(server) && lackOf(server, Number(status(server, 'wsrep_cluster_size'))) === undefined

/**
 * Nothing has to be done when they are. Failure `unsupported`: what each of them lacks, and how the members are started:
 * a running server becomes a member only by a restart, in which it may lose what it holds to the state of the others.
 * https://mariadb.com/kb/en/getting-started-with-mariadb-galera-cluster/
 */
export function planGalera(servers: readonly ServerSnapshot[]): Result<Plan> {
  const lacks = servers.flatMap((server) => lackOf(server, servers.length) ?? [])
  const states = new Set(servers.map((server) => status(server, 'wsrep_cluster_state_uuid')))
  if (lacks.length === 0 && states.size === 1)
    return ok({
      kind: 'repair',
      reason: `bootstrap of Galera: its ${servers.length} members are one already`,
      commands: [{ type: 'report', text: `The ${servers.length} members of the Galera cluster see each other.` }],
      undo: [],
      deadlineMs: 10 * SECOND,
    })
  const why = lacks.length > 0 ? lacks.join('; ') : 'they are members of different clusters'
  return fail(
    'unsupported',
    `This is no Galera cluster: ${why}. The orchestrator local makes one of servers that it runs; elsewhere give every server the tag wsrep and its configuration, stop them, start the one that holds the most with --wsrep-new-cluster and then the others, one by one: they are filled from it.`,
  )
}

function lackOf(server: ServerSnapshot, members: number): string | undefined {
  const { name, slow } = server
  if (!slow) return `${name} was not looked at yet`
  if (textOf(slow.variables, 'wsrep_on')?.toUpperCase() !== 'ON') return `${name} runs without Galera`
  const part = status(server, 'wsrep_cluster_status')
  if (part.toUpperCase() !== 'PRIMARY') return `${name} is in no primary component (${part || 'disconnected'})`
  const size = status(server, 'wsrep_cluster_size')
  if (Number(size) !== members) return `${name} sees ${size} of ${members} members`
  return undefined
}
