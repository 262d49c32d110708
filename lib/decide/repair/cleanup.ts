// Ends replication everywhere and deletes its history: afterwards the servers are standalone and can be formed again.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import type { Plan } from '../../model/operation/operation.js'
import { channelsElsewhere, type ServerSnapshot } from '../../model/snapshot.js'
import { refuseApart } from '../situation/apart.js'
import { isReachable } from '../situation/channel.js'
import { refuseGalera } from '../situation/galera.js'
import type { Situation } from '../situation/situation.js'
import { inOrder } from './bootstrap.js'
import { channelText } from './foreign-hold.js'

export interface CleanupRequest {
  /** Although there are replicas, and although binary logs hold what no other server may have. The setting says the same for all. */
  readonly force: boolean
}

/**
 * Writes are held back until every replica that can has what the primary has: without a history nothing would show later
 * what one is missing. Failures: `operation-running`, `wrong-state` (a server is down or kept apart), `vetoed` (a server replicates).
 */
export function planCleanup(situation: Situation, { force }: CleanupRequest): Result<Plan> {
  const { snapshot } = situation
  const refusal = refuseGalera(snapshot)
  if (refusal) return refusal
  if (snapshot.operation) return fail('operation-running', `${snapshot.operation.id} is running.`)
  const apart = refuseApart(situation)
  if (apart) return apart
  const down = snapshot.servers.filter((server) => !isReachable(server))
  if (down.length > 0) return fail('wrong-state', `${names(down)} does not answer: replication would remain there.`)
  const elsewhere = snapshot.servers.flatMap((server) =>
    channelsElsewhere(server).map((channel) => `${server.name} (${channelText(channel)})`),
  )
  if (elsewhere.length > 0)
    return fail(
      'wrong-state',
      `${elsewhere.join(', ')} also replicates from another cluster: what is forgotten here would be applied from there again. Remove that channel first.`,
    )
  const [primary, ...others] = inOrder(situation)
  if (!primary) return fail('wrong-state', 'The cluster has no servers.')
  const replicas = snapshot.servers.filter(({ state }) => (state?.channels.length ?? 0) > 0)
  if (replicas.length > 0 && !force && !situation.settings['replication-cleanup-force'])
    return fail(
      'vetoed',
      `There is replication on ${names(replicas)}: all of it would end, and the binary logs of every server would be deleted. Confirm with force=true, or set replication-cleanup-force for a client that cannot say that.`,
    )
  const followers = others.filter(({ state }) => state?.channels.length)
  return ok({
    kind: 'repair',
    reason: `cleanup of replication, ${primary.name} becomes the writable server`,
    commands: [
      ...(followers.length > 0 ? [{ type: 'make-read-only', server: primary.id } as const] : []),
      ...followers.map((server): Command => catchUp(server, primary)),
      ...(primary.state?.semiSync.sourceEnabled ? [noAcknowledgement(primary)] : []),
      ...others.map(({ id }): Command => ({ type: 'forget-history', server: id, concurrent: true })),
      { type: 'forget-history', server: primary.id },
      { type: 'make-writable', server: primary.id },
      { type: 'route-writes', primary: primary.id, bestEffort: true },
      { type: 'report', text: `No server replicates any more; ${primary.name} is writable.` },
    ],
    undo: [{ type: 'make-writable', server: primary.id, checked: true }],
    deadlineMs: 60 * SECOND,
  })
}

/** One that is broken or far behind does not hold up the others. */
const catchUp = ({ id }: ServerSnapshot, primary: ServerSnapshot): Command => ({
  ...{ type: 'catch-up', server: id, source: primary.id, concurrent: true, bestEffort: true, timeoutMs: 10 * SECOND },
})

/** The first commit would wait for one that cannot come. */
const noAcknowledgement = ({ id, state }: ServerSnapshot): Command => ({
  ...{ type: 'set-semi-sync', server: id, source: false, bestEffort: true },
  replica: state?.semiSync.replicaEnabled ?? false,
})

const names = (servers: readonly ServerSnapshot[]): string => servers.map(({ name }) => name).join(', ')
