// Ends statements or sessions on request, with a line in the log for each.
import type { Result } from '../../../lib/base/result.js'
import { type KilledThread, killStatements } from '../../../lib/effect/statements/kill.js'
import type { Cluster } from '../state/message/cluster.js'
import type { Request } from '../state/message/command.js'

export async function kill(
  actor: Pick<Cluster, 'tell'>,
  { user, server, ...request }: Extract<Request, { readonly type: 'kill' }>,
): Promise<Result<readonly KilledThread[]>> {
  const killed = await killStatements(server, request)
  if (!killed.ok) return killed
  if (request.dry) return killed
  for (const { id, user: owner, host, db, info } of killed.value) {
    const text = `${user} ended the ${request.end} of thread ${id} (${owner}@${host}, ${db}) on ${server.spec.name}: ${info}`
    actor.tell('noted', { level: 'WARN', text })
  }
  return killed
}
