// Remembers which events are enabled on the primary: on its replicas all of them look alike. Pure.
import type { Memory } from '../../model/memory.js'
import type { SlowReading } from '../../model/server/reading.js'
import { findServer, type Snapshot } from '../../model/snapshot.js'
import { isReachable, isWritable } from '../situation/channel.js'

interface Known {
  readonly snapshot: Snapshot
  readonly memory: Memory
}

/** The same memory where the reading changes nothing. While an operation runs, events change with the role. */
export function noteEvents({ snapshot, memory }: Known, { server: id, events }: SlowReading): Memory {
  const server = findServer(snapshot, id)
  if (!events || !server || id !== snapshot.primary || snapshot.operation) return memory
  if (!isReachable(server) || !isWritable(server)) return memory
  const list = events.map(({ schema, name }) => ({ schema, name }))
  const isKnown = memory.events?.server === id && JSON.stringify(memory.events.list) === JSON.stringify(list)
  return isKnown || (memory.events === undefined && list.length === 0)
    ? memory
    : { ...memory, events: { server: id, list } }
}
