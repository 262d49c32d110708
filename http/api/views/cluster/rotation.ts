// A rotation of passwords as clients read it: no password, times in whole milliseconds since the epoch.
import type { Rotation } from '../../../../lib/model/operation/rotation.js'
import type { Named } from './roll.js'

export function renderRotation({ turn, renewed, ...rotation }: Rotation, members: readonly Named[]) {
  const nameOf = (id: string): string => members.find((member) => member.id === id)?.name ?? id
  return {
    ...rotation,
    startedAt: Math.round(rotation.startedAt),
    ...(rotation.endedAt === undefined ? {} : { endedAt: Math.round(rotation.endedAt) }),
    ...(turn ? { turn: nameOf(turn.server) } : {}),
    renewed: renewed.map(nameOf),
  }
}
