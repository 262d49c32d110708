// A server of a cluster as comparisons read it.
import { Peer } from '../../../lib/effect/checksum/peer.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import { effectServer } from '../state/message/wires.js'
import type { ClusterState } from '../state/state.js'

/** Undefined for a server that is unknown or never reported what it is. Its session ends with `signal`. */
export function peerOf(state: ClusterState, id: ServerId, signal: AbortSignal): Peer | undefined {
  const server = effectServer(state, id)
  const reported = findServer(state.snapshot, id)?.state
  if (!server || !reported) return undefined
  const { target, dialect, spec } = server
  return new Peer({ id, name: spec.name, target, dialect, causal: reported.galera !== undefined }, signal)
}
