// The conditions that are open in a snapshot. Each row looks at one thing; the texts are the registry's.

import { transactions } from '../../base/counted.js'
import type { Finding } from '../../model/finding.js'
import type { FindingCode } from '../../model/findings.js'
import { countTransactions, formatSet, isEmpty } from '../../model/server/gtid.js'
import { findServer, readableStates, type ServerSnapshot } from '../../model/snapshot.js'
import type { FailoverVerdict } from '../../model/verdict.js'
import { listStrays } from '../repair/rejoin.js'
import { channelOf, isReachable, isWritable } from '../situation/channel.js'
import { isGaleraMember } from '../situation/galera.js'
import { errantOf, executedByOrigin } from '../situation/holdings.js'
import type { Situation } from '../situation/situation.js'
import { hasFailed, isFull, isGone } from '../situation/state-name.js'
import { peersOf } from '../situation/topology.js'
import { lostByPrimary } from '../switchover/opening.js'
import { judgeBestPractice } from './best-practice.js'
import { judgeGalera } from './galera-findings.js'
import { judgeGrants } from './grants.js'
import { differingVariables } from './variable-diff.js'

/** Every open finding, one per code and server; `found` are those of the search for the primary. */
export function openFindings(
  situation: Situation,
  verdict: FailoverVerdict,
  found: readonly Finding[],
): readonly Finding[] {
  const all = [
    ...found,
    ...clusterRows.flatMap((row) => row(situation)),
    ...situation.snapshot.servers.flatMap((server) => serverRows.flatMap((row) => row(server, situation))),
    ...judgeGalera(situation),
    ...judgeBestPractice(situation),
    ...vetoFindings(situation, verdict),
    // Last: of two with one code, this one names the statement to run.
    ...situation.snapshot.servers.flatMap((server) => judgeGrants(server, situation)),
  ]
  return [...new Map(all.map((finding) => [`${finding.code}@${finding.server ?? ''}`, finding])).values()]
}

type ClusterRow = (situation: Situation) => readonly Finding[]
type ServerRow = (server: ServerSnapshot, situation: Situation) => readonly Finding[]

const raise = (code: FindingCode, detail: string, server?: string): readonly Finding[] => [
  { code, detail, ...(server === undefined ? {} : { server }) },
]

const names = (servers: readonly ServerSnapshot[]): string => servers.map(({ name }) => name).join(', ')

const clusterRows: readonly ClusterRow[] = [
  function paused({ settings }) {
    return settings['monitoring-pause'] ? raise('ERR00120', '') : []
  },

  function changing({ snapshot: { operation } }) {
    if (!operation || (operation.kind !== 'failover' && operation.kind !== 'switchover')) return []
    return raise(operation.kind === 'switchover' ? 'ERR00100' : 'ERR00001', `${operation.id} by ${operation.owner}`)
  },

  function replicas({ snapshot: { servers, topology } }) {
    const isLone = topology === 'active-passive' || topology === 'galera'
    if (isLone || servers.some(({ observation }) => observation === 'unseen')) return []
    return servers.some(({ sourceId }) => sourceId !== undefined) ? [] : raise('ERR00010', '')
  },

  function noPrimary({ snapshot: { primary, servers } }) {
    if (primary !== undefined || servers.some(({ observation }) => observation === 'unseen')) return []
    const down = servers.filter((server) => !isReachable(server))
    return raise('ERR00012', down.length > 0 ? `Not reachable: ${names(down)}.` : '')
  },

  function outage({ snapshot: { servers }, settings }) {
    const down = servers.length > 0 && servers.every((server) => hasFailed(server, settings) || isGone(server))
    return down ? [...raise('ERR00021', ''), ...raise('ERR00077', names(servers))] : []
  },

  function severalPrimaries({ snapshot: { primary, servers, topology, operation }, settings }) {
    // While the role moves, the old primary and the new one are both without a source for a moment.
    if (operation?.kind === 'switchover' || operation?.kind === 'failover') return []
    if (primary === undefined || (topology !== 'multi-primary' && topology !== 'ring')) return []
    const peers = [primary, ...peersOf(servers, primary).map(({ id }) => id)].flatMap(
      (id) => findServer({ servers }, id) ?? [],
    )
    const writers = peers.filter((server) => isReachable(server) && isWritable(server))
    const configured =
      topology === 'ring' ? settings['replication-multi-master-ring'] : settings['replication-multi-master']
    return [
      ...(configured ? [] : raise('ERR00011', names(peers))),
      ...(writers.length > 1 ? raise('WARN0003', names(writers)) : []),
      ...(writers.length === 0 && peers.every(isReachable) ? raise('WARN0004', names(peers)) : []),
    ]
  },

  function readers(situation) {
    const { primary, servers, topology } = situation.snapshot
    const isRead = ({ role }: ServerSnapshot) => role === 'replica' || role === 'relay' || role === 'member'
    if (topology === 'active-passive' || !servers.some(isRead)) return []
    const readable = servers.some(
      (server) => server.id !== primary && (readableStates.has(server.stateName) || isHandedOver(server, situation)),
    )
    return readable ? [] : raise('ERR00085', '')
  },

  function strays(situation) {
    return listStrays(situation).flatMap(({ server, extra, reason }) => {
      const { id, name } = server
      if (isEmpty(extra) && isHandedOver(server, situation)) return []
      if (isEmpty(extra)) return raise('WARN0022', `${name}: ${reason}.`, id)
      return raise(
        'WARN0186',
        `${name} has ${transactions(countTransactions(extra))} of its own: ${formatSet(extra)}.`,
        id,
      )
    })
  },

  function lostTail(situation) {
    const primary = findServer(situation.snapshot, situation.snapshot.primary)
    const lost = primary && lostByPrimary(situation, primary)
    return lost && !isEmpty(lost) ? raise('ERR00117', formatSet(lost), primary.id) : []
  },
]

/** What was heard of a server mostly begins with its address. */
const withName = (name: string, heard: string): string => (heard.startsWith(name) ? heard : `${name}: ${heard}`)

/** While the primary role moves: the server that gives it up, and those that have followed it so far. */
function isHandedOver({ id, sourceId, state }: ServerSnapshot, { snapshot: { operation } }: Situation): boolean {
  if (operation?.kind !== 'switchover' && operation?.kind !== 'failover') return false
  const { oldPrimary } = operation
  if (oldPrimary === undefined) return false
  return (
    id === oldPrimary || (sourceId === oldPrimary && state?.channels.every(({ sql }) => sql === 'running') === true)
  )
}

/** Why a server that lives gives no state: it is full, refuses the login, or a statement of the look. */
function rejectionOf(server: ServerSnapshot): FindingCode {
  if (isFull(server)) return 'ERR00076'
  if (server.error?.code !== 'sql-failed') return 'ERR00004'
  return /denied/i.test(server.error.message) ? 'ERR00006' : 'ERR00014'
}

/** So many variables are named in a finding. */
const MOST_NAMED = 8

const serverRows: readonly ServerRow[] = [
  function absent({ id, name, observation, error, maintenance, stoppedOnRequest }) {
    if (maintenance || stoppedOnRequest || (observation !== 'refused' && observation !== 'silent')) return []
    return raise('WARN0171', withName(name, error?.message ?? observation), id)
  },

  function rejected(server) {
    if (server.observation !== 'rejected') return []
    return raise(rejectionOf(server), withName(server.name, server.error?.message ?? ''), server.id)
  },

  function writable(server, { snapshot: { primary, operation } }) {
    if (isGaleraMember(server)) return []
    if (primary === undefined || server.id === primary || operation || !isReachable(server) || !isWritable(server))
      return []
    return server.sourceId === undefined
      ? raise('ERR00063', `${server.name} takes writes besides the primary.`, server.id)
      : raise('WARN0235', server.name, server.id)
  },

  function closedPrimary(server, { snapshot: { primary, operation }, memory }) {
    if (server.id !== primary || operation || !isReachable(server) || isWritable(server)) return []
    return raise('WARN0232', `${server.name}${memory.closedByHand ? ' was closed by hand.' : ''}`, server.id)
  },

  function twins(server, { snapshot: { servers } }) {
    const twin = servers.find(
      ({ id, state }) => id !== server.id && state && state.serverNumber === server.state?.serverNumber,
    )
    return twin ? raise('WARN0087', `${server.name} and ${twin.name}: ${twin.state?.serverNumber}`, server.id) : []
  },

  function errant(server, { snapshot, memory }) {
    const primary = findServer(snapshot, snapshot.primary)
    if (!primary || server.id === primary.id || server.sourceId === undefined) return []
    const extra = errantOf(server, primary, memory)
    return isEmpty(extra) ? [] : raise('WARN0091', `${server.name}: ${formatSet(extra)}`, server.id)
  },

  function foreignSource(server, { snapshot: { primary }, settings }) {
    const channel = channelOf(server, settings)
    if (!channel || server.sourceId !== undefined || server.id === primary || !isReachable(server)) return []
    return raise(
      'ERR00064',
      `${server.name} follows ${channel.source.host}:${channel.source.port}, which is no member.`,
      server.id,
    )
  },

  function unknownStandalone(server, situation) {
    const { memory, snapshot } = situation
    const { primary, topology } = snapshot
    if (isHandedOver(server, situation)) return []
    const known = memory.crashes.some(({ oldPrimary }) => oldPrimary === server.id)
    if (primary === undefined || server.id === primary || known || topology === 'active-passive') return []
    if (server.role !== 'standalone' || !isReachable(server) || isEmpty(executedByOrigin(server))) return []
    return raise('ERR00066', server.name, server.id)
  },

  function brokenAcknowledgement(server, situation) {
    const { snapshot, settings } = situation
    const { primary } = snapshot
    if (isHandedOver(server, situation)) return []
    const channel = channelOf(server, settings)
    const acknowledges = server.state?.semiSync.replicaActive === true && server.sourceId === primary
    if (!acknowledges || !channel || channel.sql === 'running' || !isReachable(server)) return []
    return raise('WARN0233', `${server.name}: ${channel.sqlError.message || 'its SQL thread is stopped'}`, server.id)
  },

  function variables(server, { snapshot, settings }) {
    const primary = findServer(snapshot, snapshot.primary)
    if (!settings['monitoring-variable-diff'] || !primary || server.id === primary.id || server.sourceId === undefined)
      return []
    const differing = differingVariables(primary, server)
    if (differing.length === 0) return []
    const more = differing.length > MOST_NAMED ? ` and ${differing.length - MOST_NAMED} more` : ''
    return raise('WARN0084', `${server.name}: ${differing.slice(0, MOST_NAMED).join(', ')}${more}`, server.id)
  },

  function sourceLogin(server, { settings }) {
    const channel = channelOf(server, settings)
    return channel && isReachable(server) && channel.ioError.code === 1045
      ? raise('ERR00088', `${server.name}: ${channel.ioError.message}`, server.id)
      : []
  },
]

/** Configured, or told by the state of the server itself: no finding of their own. */
const plain: ReadonlySet<string> = new Set(['ERR00033', 'ERR00037', 'ERR00040', 'ERR00047'])

/** What a plan does to a server on its way is no finding either. */
const passing: ReadonlySet<string> = new Set(['ERR00087'])

/** Who cannot be elected at any time; what stands in the way of a failover while the primary is down. */
function vetoFindings(situation: Situation, verdict: FailoverVerdict): readonly Finding[] {
  const { snapshot } = situation
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary || snapshot.topology === 'active-passive' || snapshot.topology === 'galera') return []
  const moving = snapshot.operation !== undefined
  const skipped = verdict.ranking.flatMap(({ server, code, reason }): Finding[] =>
    code === undefined ||
    plain.has(code) ||
    (moving && (passing.has(code) || server === snapshot.operation?.oldPrimary))
      ? []
      : [{ code: code as FindingCode, server, detail: reason }],
  )
  const down = primary.observation === 'refused' || primary.observation === 'silent'
  if (!down || moving || primary.maintenance || primary.stoppedOnRequest) return skipped
  const closed = verdict.rows.filter(({ state, code }) => state === 'closed' && code !== 'WARN0023')
  const receives = closed.some(({ rule }) => rule === 'failover-falsepositive-heartbeat')
  return [
    ...skipped,
    ...closed.map(({ code, sentence }): Finding => ({ code: code as FindingCode, detail: sentence })),
    ...(hasFailed(primary, situation.settings) ? raise('WARN0023', primary.name, primary.id) : []),
    ...(receives ? raise('ERR00016', primary.name) : []),
  ]
}
