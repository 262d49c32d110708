// Rolling work as clients read it: servers with their names, times in whole milliseconds since the epoch.
import { transactions } from '../../../../lib/base/counted.js'
import type { Roll } from '../../../../lib/model/operation/roll.js'
import type { ServerId } from '../../../../lib/model/server/server.js'

export interface Named {
  readonly id: ServerId
  readonly name: string
}

export function renderRoll(roll: Roll, members: readonly Named[]) {
  const nameOf = (id: ServerId): string => members.find((member) => member.id === id)?.name ?? id
  return {
    id: roll.id,
    kind: roll.kind,
    owner: roll.owner,
    phase: roll.phase,
    startedAt: Math.round(roll.startedAt),
    ...(roll.endedAt === undefined ? {} : { endedAt: Math.round(roll.endedAt) }),
    primary: nameOf(roll.primary),
    home: nameOf(roll.home),
    /** What it waits for just now, or what it does. */
    ...(roll.phase === 'running' ? { doing: doing(roll, nameOf) } : {}),
    ...(roll.message === undefined ? {} : { message: roll.message }),
    ...(roll.cancelledBy === undefined ? {} : { cancelledBy: roll.cancelledBy }),
    done: roll.servers.filter(({ state }) => state === 'done').length,
    total: roll.servers.filter(({ state }) => state !== 'skipped').length,
    servers: roll.servers.map(({ server, state, message, actedAt, endedAt }) => ({
      ...{ id: server, name: nameOf(server), state },
      ...(actedAt === undefined ? {} : { startedAt: Math.round(actedAt) }),
      ...(endedAt === undefined ? {} : { endedAt: Math.round(endedAt) }),
      ...(message === undefined ? {} : { message }),
    })),
  }
}

function doing({ waiting, moving, servers, kind }: Roll, nameOf: (id: ServerId) => string): string {
  const acting = servers.find(({ state }) => state === 'acting')
  if (acting) return `${kind} of ${nameOf(acting.server)}`
  if (moving) return 'the role is handed over'
  if (!waiting) return 'checking the servers'
  return waiting.left === undefined ? waiting.text : `${waiting.text}: ${transactions(waiting.left)} left`
}
