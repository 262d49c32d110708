// Replication that the manager stopped for a moment and that a manager which was killed meanwhile left stopped: who it
// was, when it is started again, and when that is over. What a person stopped is none of it.

import type { Memory, Pause } from '../../model/memory.js'
import type { Command, CommandType } from '../../model/operation/command.js'
import type { Channel } from '../../model/server/reading.js'
import type { ServerId } from '../../model/server/server.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable } from '../situation/channel.js'
import type { DecideSettings, Situation } from '../situation/situation.js'
import type { Repair } from './enforce.js'

/** Also one in maintenance: it gets back what was taken from it. */
export function startPaused({ snapshot, settings, memory }: Situation): Repair | undefined {
  for (const server of snapshot.servers) {
    const pause = memory.paused?.[server.id]
    if (!pause?.left || !isReachable(server)) continue
    const stopped = pausedChannels(server, pause, settings).filter(isPaused)
    if (stopped.length === 0) continue
    return {
      reason: `${server.name} is not replicating since an operation on it was interrupted`,
      commands: [{ type: 'start-replication', server: server.id, channels: stopped.map(({ name }) => name) }],
    }
  }
  return undefined
}

/** Without those that are members no more, or that were seen since to replicate, to stop by an error, or to have no channel. */
export function forgetStarted(
  memory: Memory,
  servers: readonly ServerSnapshot[],
  settings: Pick<DecideSettings, 'replication-source-name'>,
): Memory {
  if (!memory.paused) return memory
  const kept = Object.entries(memory.paused).filter(([id, pause]) => {
    const server = servers.find((one) => one.id === id)
    if (!server) return false
    if (!pause.left || !isReachable(server) || (server.stateAt ?? 0) <= pause.since) return true
    return pausedChannels(server, pause, settings).some(isPaused)
  })
  if (kept.length === Object.keys(memory.paused).length) return memory
  return withPauses(memory, Object.fromEntries(kept))
}

/** No operation works any more on what a manager remembers as paused when it starts. */
export function leavePauses(memory: Memory): Memory {
  const left = Object.entries(memory.paused ?? {}).map(([id, pause]) => [id, { ...pause, left: true }] as const)
  return withPauses(memory, Object.fromEntries(left))
}

/** Commands of a repair that stop replication for a while, or begin by doing so. */
const pausing: ReadonlySet<CommandType> = new Set<CommandType>(['stop-replication', 'stop-receiving', 'repoint'])

/** With the servers that an interrupted repair had started to stop. */
export function recallPaused(started: readonly Command[], memory: Memory): Memory {
  const stopped = started.flatMap((command) =>
    pausing.has(command.type) && 'server' in command ? [command.server] : [],
  )
  // Every probe is later than what a previous manager did.
  const left = stopped.map((id) => [id, { since: 0, left: true }] as const)
  return left.length === 0 ? memory : withPauses(memory, { ...memory.paused, ...Object.fromEntries(left) })
}

/** With one server's pause set, or taken away. */
export function keepPause(memory: Memory, server: ServerId, pause: Pause | undefined): Memory {
  const { [server]: _, ...others } = memory.paused ?? {}
  return withPauses(memory, pause ? { ...others, [server]: pause } : others)
}

function withPauses({ paused: _, ...memory }: Memory, pauses: Readonly<Record<ServerId, Pause>>): Memory {
  return Object.keys(pauses).length === 0 ? memory : { ...memory, paused: pauses }
}

function pausedChannels(
  server: ServerSnapshot,
  { channels }: Pause,
  settings: Pick<DecideSettings, 'replication-source-name'>,
): readonly Channel[] {
  if (channels) return (server.state?.channels ?? []).filter(({ name }) => channels.includes(name))
  const own = channelOf(server, settings)
  return own ? [own] : []
}

/** A thread that an error stopped is not paused. */
const isPaused = ({ io, sql, ioError, sqlError }: Channel): boolean =>
  (io === 'stopped' && ioError.code === 0) || (sql === 'stopped' && sqlError.code === 0)
