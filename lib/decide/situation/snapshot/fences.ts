// Which servers the manager itself has closed for writes, so that it is not taken for a person's act.
import { keepEqual } from '../../../base/keep-equal.js'
import { MINUTE } from '../../../base/time.js'
import type { Fence, Memory } from '../../../model/memory.js'
import type { Command } from '../../../model/operation/command.js'
import type { ServerId } from '../../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable, isWritable } from '../channel.js'

/** A server that hung for longer is not expected to carry out a fence that it kept. */
const LATE_MS = 10 * MINUTE

/** The memory after these commands were sent: the last one to each server counts. */
export function noteFences(memory: Memory, commands: readonly Command[], at: number): Memory {
  const fenced = new Map<ServerId, Fence>(Object.entries(memory.fenced ?? {}))
  for (const command of commands) {
    if (!('server' in command)) continue
    if (closes(command)) fenced.set(command.server, { at })
    if (opens(command)) fenced.delete(command.server)
  }
  return withFenced(memory, fenced)
}

const closes = (command: Command): boolean =>
  command.type === 'fence' ||
  command.type === 'freeze' ||
  command.type === 'make-read-only' ||
  command.type === 'take-back' ||
  (command.type === 'unfreeze' && !command.writable)

const opens = (command: Command): boolean =>
  command.type === 'make-writable' || (command.type === 'unfreeze' && command.writable)

/** A fence is over when its server was seen closed and is open again; empty when nothing changed. */
export function followFences(memory: Memory, servers: readonly ServerSnapshot[]): Pick<Memory, 'fenced'> {
  if (!memory.fenced) return {}
  const fenced = new Map<ServerId, Fence>()
  for (const [id, fence] of Object.entries(memory.fenced)) {
    const server = findServer({ servers }, id)
    const next = server && followFence(fence, server)
    if (next) fenced.set(id, next)
  }
  const { fenced: kept } = withFenced(memory, fenced)
  return kept === memory.fenced ? {} : { fenced: kept ?? {} }
}

function followFence(fence: Fence, server: ServerSnapshot): Fence | undefined {
  const seenAt = server.stateAt ?? 0
  if (!isReachable(server) || seenAt <= fence.at) return fence
  if (!isWritable(server)) return fence.landed ? fence : { ...fence, landed: true }
  return fence.landed || seenAt - fence.at > LATE_MS ? undefined : fence
}

function withFenced(memory: Memory, fenced: ReadonlyMap<ServerId, Fence>): Memory {
  if (fenced.size === 0 && memory.fenced === undefined) return memory
  const next = keepEqual(memory.fenced, Object.fromEntries(fenced))
  return next === memory.fenced ? memory : { ...memory, fenced: next }
}
