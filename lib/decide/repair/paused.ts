// Replication that the manager stopped for a moment and did not start again, since it was killed meanwhile, or since a step did not
// end in its time: who it was, when it is started again, and when that is over. What a person stopped is none of it.

import type { Memory, Pause } from '../../model/memory.js'
import type { Command, CommandType } from '../../model/operation/command.js'
import type { Operation } from '../../model/operation/operation.js'
import type { Channel } from '../../model/server/reading.js'
import type { ServerId } from '../../model/server/server.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable, isUnanswered } from '../situation/channel.js'
import type { DecideSettings, Situation } from '../situation/situation.js'
import type { Repair } from './enforce.js'

/** Also one in maintenance: it gets back what was taken from it. */
export function startPaused({ snapshot, settings, memory }: Situation): Repair | undefined {
  for (const server of snapshot.servers) {
    const pause = memory.paused?.[server.id]
    if (!pause?.left || !isReachable(server)) continue
    if (pause.source !== undefined && server.sourceId !== pause.source) continue
    const stopped = pausedChannels(server, pause, settings).filter(isPaused)
    if (stopped.length === 0) continue
    return {
      reason: `${server.name} is not replicating since an operation on it was interrupted`,
      commands: [{ type: 'start-replication', server: server.id, channels: stopped.map(({ name }) => name) }],
    }
  }
  return undefined
}

/**
 * Without those that are members no more, or that were seen since to replicate, to stop by an error, or to have no channel. One that
 * was to get another source may get it after its step has ended: it is remembered until it has it, or is the primary.
 */
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
    const channels = pausedChannels(server, pause, settings)
    if (pause.source !== undefined && channels.length === 0) return memory.primary !== id
    return channels.some(isPaused)
  })
  if (kept.length === Object.keys(memory.paused).length) return memory
  return withPauses(memory, Object.fromEntries(kept))
}

/** No operation works any more on what a manager remembers as paused when it starts. */
export function leavePauses(memory: Memory): Memory {
  const left = Object.entries(memory.paused ?? {}).map(([id, pause]) => [id, { ...pause, left: true }] as const)
  return withPauses(memory, Object.fromEntries(left))
}

/** Commands that stop replication for a while, or begin by doing so. */
const pausing: ReadonlySet<CommandType> = new Set<CommandType>(['stop-replication', 'stop-receiving', 'repoint'])

/** With the servers that an interrupted operation had started to stop. */
export function recallPaused(started: readonly Command[], memory: Memory): Memory {
  const stopped = started.filter(({ type }) => pausing.has(type))
  // Every probe is later than what a previous manager did.
  return withLeft(memory, stopped, 0)
}

/** With the servers of which an operation that ended did not see the change of their source, or the start of their replication, through. */
export function leaveUnstarted(memory: Memory, { steps }: Operation, now: number): Memory {
  const left = steps.filter(({ command: { type }, state }) => starting.has(type) && state === 'failed')
  const commands = left.map(({ command }) => command)
  const started = steps.flatMap(({ command, state }) =>
    starting.has(command.type) && state === 'done' && 'server' in command ? [command.server] : [],
  )
  return withLeft(
    memory,
    commands.filter((command) => 'server' in command && !started.includes(command.server)),
    now,
  )
}

/** Commands that end with replication that runs. */
const starting: ReadonlySet<CommandType> = new Set<CommandType>(['start-replication', 'repoint'])

function withLeft(memory: Memory, commands: readonly Command[], since: number): Memory {
  const left = commands.flatMap((command): [ServerId, Pause][] => {
    if (!('server' in command)) return []
    const source = command.type === 'repoint' ? { source: command.source } : {}
    return [[command.server, { since, ...source, left: true }]]
  })
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

/** A thread that an error stopped is not paused. A source that does not answer stops none: it was being asked again when an order came. */
function isPaused(channel: Channel): boolean {
  const { io, sql, ioError, sqlError } = channel
  return (
    (io === 'stopped' && (ioError.code === 0 || isUnanswered(channel))) || (sql === 'stopped' && sqlError.code === 0)
  )
}
