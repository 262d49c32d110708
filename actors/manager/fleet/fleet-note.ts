// What of a cluster's events a view of the whole fleet shows: findings that open and close, operations that begin and end.
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { FleetNote } from '../../../lib/model/fleet/row.js'

/** A note is one line. */
const LONGEST = 300

export function noteOf({ cluster, at, kind, text, data = {} }: ClusterEvent): FleetNote | undefined {
  const said = { c: cluster, at, text: text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text }
  if (kind === 'finding-opened' || kind === 'finding-closed')
    return { ...said, kind, ...(typeof data.code === 'string' ? { code: data.code } : {}) }
  if (kind !== 'operation') return undefined
  return {
    ...said,
    kind: data.phase === 'running' ? 'operation-began' : 'operation-ended',
    ...(typeof data.kind === 'string' ? { op: data.kind } : {}),
  }
}
