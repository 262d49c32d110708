// Rows of a fleet, healthy unless a spec says otherwise.
import type { FleetRow } from '../../../lib/model/fleet/row.js'

export const fleetRowOf = (name: string, changes: Partial<FleetRow> = {}): FleetRow => ({
  ...{ name, state: 'healthy', primary: 'db1', topology: 'master-slave', mode: 'automatic', flags: [] },
  ...{ up: 3, of: 3, lag: 0, semi: 'on', loss: 0, errors: 0, warnings: 0, worst: null, op: null },
  ...{ at: 1_795_440_000_000, wps: 0, tags: [] },
  ...changes,
})
