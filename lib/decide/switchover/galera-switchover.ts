// In a Galera cluster a switchover sends writes to another member: no server is made read-only, frozen or repointed for it.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { Plan } from '../../model/operation/operation.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { UNREAD_MS } from '../failover/election/eligibility.js'
import { runScript } from '../failover/hand-over.js'
import { isReachable, isWritable } from '../situation/channel.js'
import { isGaleraMember, isSynced, rankTargets } from '../situation/galera.js'
import type { Situation } from '../situation/situation.js'

interface Move {
  readonly user: string
  readonly candidate?: ServerId
}

/**
 * The steps. Clients that still write on the old member continue: both are writable, and the cluster certifies. Failures:
 * `operation-running`, `no-primary`, `is-primary`, `unknown-server`, `no-candidate`.
 */
export function planGaleraSwitchover(situation: Situation, { user, candidate: wanted }: Move): Result<Plan> {
  const { snapshot, settings } = situation
  if (snapshot.operation)
    return fail('operation-running', `${snapshot.operation.id} by ${snapshot.operation.owner} is running.`)
  const old = findServer(snapshot, snapshot.primary)
  if (!old) return fail('no-primary', 'Writes are sent to no member.')
  if (wanted === old.id) return fail('is-primary', `Writes are already sent to ${old.name}.`)
  const chosen = chooseNext(snapshot.servers, old, wanted)
  if (!chosen.ok) return chosen
  const candidate = chosen.value
  const roles = { old, candidate, others: [] }
  return ok({
    kind: 'switchover',
    reason: `requested by ${user}`,
    oldPrimary: old.id,
    newPrimary: candidate.id,
    commands: [
      { type: 'reprobe', candidate: candidate.id, timeoutMs: UNREAD_MS + 3 * SECOND },
      ...runScript({ script: settings['failover-pre-script'], kind: 'switchover', roles }),
      // It takes writes already: the point from which the role is its own.
      { type: 'make-writable', server: candidate.id, timeoutMs: 3 * SECOND, replicating: true },
      { type: 'route-writes', primary: candidate.id, bestEffort: true },
      ...runScript({ script: settings['failover-post-script'], kind: 'switchover', roles }),
      {
        type: 'report',
        text: `Writes are sent to ${candidate.name}, no longer to ${old.name}${user === '' ? '' : `, requested by ${user}`}.`,
      },
    ],
    undo: [],
    deadlineMs: DEADLINE_MS,
  })
}

/** Scripts take most of it, at most half a minute each. */
const DEADLINE_MS = 90 * SECOND

function chooseNext(
  servers: readonly ServerSnapshot[],
  old: ServerSnapshot,
  wanted: ServerId | undefined,
): Result<ServerSnapshot> {
  const asked = findServer({ servers }, wanted)
  if (wanted !== undefined && !asked) return fail('unknown-server', `No server is called ${wanted}.`)
  const others = asked ? [asked] : rankTargets(servers.filter(({ id }) => id !== old.id))
  const next = others.find((server) => reasonAgainst(server) === undefined)
  if (next) return ok(next)
  const reasons = others.map((server) => `${server.name} ${reasonAgainst(server)}.`).join(' ')
  return fail('no-candidate', reasons || 'There is no other member.')
}

/** Why writes are not sent there on request; undefined when they may be. */
function reasonAgainst(server: ServerSnapshot): string | undefined {
  if (!isReachable(server)) return `does not answer (${server.observation})`
  if (server.maintenance) return 'is in maintenance'
  if (!isGaleraMember(server)) return 'is not a member of the Galera cluster'
  if (!isSynced(server)) return `is not synced (${server.state?.galera?.comment})`
  return isWritable(server) ? undefined : 'is read-only'
}
