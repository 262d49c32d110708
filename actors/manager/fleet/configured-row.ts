// What the row of a cluster shows while its actor gives none: what is known by its configuration.
import type { FleetRow } from '../../../lib/model/fleet/row.js'
import type { Settings } from '../../../lib/settings/index.js'

export const configuredRow = (settings: Settings | undefined): Pick<FleetRow, 'mode' | 'flags' | 'of' | 'tags'> => ({
  mode: settings?.['failover-mode'] === 'manual' ? 'manual' : 'automatic',
  flags: [
    ...(settings?.['monitoring-pause'] ? (['paused'] as const) : []),
    ...(settings?.['monitoring-observe'] ? (['observed'] as const) : []),
  ],
  of: settings?.['db-servers-hosts'].length ?? 0,
  tags: settings?.['cluster-tags'] ?? [],
})
