// MySQL's renamed terms: new ones on new servers, old ones on old servers, from one spelling.
import type { Capabilities } from '../shared/dialect/dialect.js'
import type { RowValues } from '../statement/rows.js'

/** `STOP REPLICA` as this server spells it. */
export const command = (capabilities: Capabilities, text: string): string =>
  capabilities.replicaWords ? text : text.replace('REPLICA', 'SLAVE')

/** `SOURCE_HOST` as its CHANGE statement spells it. */
export const option = (capabilities: Capabilities, name: string): string =>
  capabilities.changeSource ? name : name.replace('SOURCE', 'MASTER')

/** `rpl_semi_sync_source_enabled` as the installed plugin spells it. */
export const semiSync = (capabilities: Capabilities, name: string): string =>
  capabilities.semiSync === 'old-names' ? name.replace('source', 'master').replace('replica', 'slave') : name

/** The row with the new column names, whichever the server used. */
export const renamed = (row: RowValues): RowValues =>
  'Source_Host' in row
    ? row
    : Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name.replace('Master', 'Source').replace('Slave', 'Replica'),
          value,
        ]),
      )
