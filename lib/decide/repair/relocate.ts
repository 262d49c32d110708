// A replica gets another source on request: checked before, undone when it fails. Pure.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import type { Plan } from '../../model/operation/operation.js'
import { isEmpty } from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { refuseApart } from '../situation/apart.js'
import { isReachable } from '../situation/channel.js'
import { refuseGalera } from '../situation/galera.js'
import { aheadOf, errantText } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'
import { isBelow } from '../situation/topology/sources.js'
import { checkLogin } from '../switchover/login.js'

export interface RelocateRequest {
  readonly server: ServerId
  readonly source: ServerId
}

const TIERS = 'replication-multi-tier-slave'

/** For the replica to apply what it received from its present source. */
const PATIENCE_MS = 25 * SECOND

/**
 * Failures: `operation-running`; `is-primary` (its role moves by a switchover); `sql-silent` (one of the two does not
 * answer); `wrong-state` (the source could not serve it, or the manager would move it back); `vetoed` (errant transactions).
 */
export function planRelocate(situation: Situation, { server: id, source: to }: RelocateRequest): Result<Plan> {
  const { snapshot, settings, memory } = situation
  if (snapshot.operation) return fail('operation-running', `${snapshot.operation.id} is running.`)
  const [server, source] = [findServer(snapshot, id), findServer(snapshot, to)]
  if (!server) return fail('unknown-server', `${snapshot.cluster} has no server ${id}.`)
  if (!source) return fail('unknown-server', `${snapshot.cluster} has no server ${to}.`)
  const galera = refuseGalera(snapshot)
  if (galera) return galera
  if (server.id === snapshot.primary)
    return fail('is-primary', `${server.name} is the primary: move the role by a switchover first.`)
  const apart = refuseApart(situation, server.id)
  if (apart) return apart
  const silent = [server, source].find((each) => !isReachable(each))
  if (silent) return fail('sql-silent', `${silent.name} does not answer.`)
  const reason = refuseSource(situation, server, source)
  if (reason !== undefined) return fail('wrong-state', reason)
  const extra = aheadOf(server, source, { settings, memory })
  if (!isEmpty(extra))
    return fail(
      'vetoed',
      `${server.name} has transactions that ${source.name} is missing: ${errantText(extra, server)}. If they are on their way, wait until ${source.name} has applied them.`,
    )
  const before = findServer(snapshot, server.sourceId)
  return ok({
    kind: 'repair',
    reason: `${server.name} gets ${source.name} as its source`,
    commands: [
      checkLogin(situation, source),
      follow(server, source),
      { type: 'report', text: `${server.name} replicates from ${source.name}.` },
    ],
    undo: before ? [follow(server, before)] : [],
    deadlineMs: PATIENCE_MS + 10 * SECOND,
  })
}

/** Why the source would not do; undefined when it would. */
function refuseSource(
  { snapshot, settings }: Situation,
  server: ServerSnapshot,
  source: ServerSnapshot,
): string | undefined {
  if (source.id === server.id) return `${server.name} cannot replicate from itself.`
  if (server.sourceId === source.id) return `${server.name} replicates from ${source.name} already.`
  if (isBelow(snapshot.servers, source.id, server.id)) return `${source.name} replicates from ${server.name}.`
  if (source.id === snapshot.primary) return undefined
  if (!isBelow(snapshot.servers, source.id, snapshot.primary ?? ''))
    return `${source.name} does not replicate from the primary: ${server.name} would receive nothing.`
  if (source.state?.logReplicaUpdates === false)
    return `${source.name} writes nothing that it replicates to its binary log: ${server.name} would receive nothing.`
  if (settings['replication-master-slave-never-relay'] && !settings[TIERS])
    return `Intermediate replicas are not allowed here, and the manager would move ${server.name} back: set ${TIERS} on first.`
  return undefined
}

const follow = (server: ServerSnapshot, source: ServerSnapshot): Command => ({
  ...{ type: 'repoint', server: server.id, source: source.id, patient: true, timeoutMs: PATIENCE_MS },
  ...(server.delaySeconds > 0 ? { delaySeconds: server.delaySeconds } : {}),
})
