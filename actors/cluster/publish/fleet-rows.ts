// The cluster's row of the fleet, from state to state: whether it changed, and how much the primary writes.
import { SECOND } from '../../../lib/base/time.js'
import { fleetRow } from '../../../lib/decide/fleet-row.js'
import { changedKeys, type FleetRow } from '../../../lib/model/fleet/row.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, type WritePace } from '../../../lib/model/snapshot.js'
import type { ClusterState } from '../state/state.js'

/** The pace is measured over this time at least: that of single probes would change the row with each of them. */
const PACE_MS = 10 * SECOND

interface Sample {
  readonly primary: ServerId | undefined
  readonly from: WritePace
  /** Transactions a second. */
  readonly pace: number
}

export class FleetRows {
  #row: FleetRow | undefined
  #sample: Sample | undefined

  /** As it was when `changed` was last asked. */
  row(state: ClusterState): FleetRow {
    return this.#row ?? this.#make(state)
  }

  /** Whether the row differs from what it was before. */
  changed(state: ClusterState): boolean {
    const row = this.#make(state)
    const isChanged = this.#row === undefined || Object.keys(changedKeys(this.#row, row)).length > 0
    if (isChanged) this.#row = row
    return isChanged
  }

  #make({ snapshot, memory, verdict, settings, ready, roll }: ClusterState): FleetRow {
    this.#measure(snapshot)
    return fleetRow({ snapshot, memory, verdict, settings, ready, roll, wps: this.#sample?.pace })
  }

  #measure(snapshot: ClusterState['snapshot']): void {
    const writes = findServer(snapshot, snapshot.primary)?.writes
    const before = this.#sample
    if (!writes) this.#sample = undefined
    else if (before === undefined || before.primary !== snapshot.primary || writes.count < before.from.count)
      this.#sample = { primary: snapshot.primary, from: writes, pace: writes.perSecond }
    else if (writes.at - before.from.at >= PACE_MS)
      this.#sample = {
        primary: snapshot.primary,
        from: writes,
        pace: (writes.count - before.from.count) / ((writes.at - before.from.at) / SECOND),
      }
  }
}
