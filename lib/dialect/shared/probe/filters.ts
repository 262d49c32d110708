// Filters of a replication channel, as its status shows them: what the replica leaves out or renames.
import type { ReplicationFilters } from '../../../model/server/reading.js'
import { type RowValues, textIn } from '../../statement/rows.js'

/** Columns of both flavours; those of domains are MariaDB's. */
const columns = [
  ...['Replicate_Do_DB', 'Replicate_Ignore_DB', 'Replicate_Do_Table', 'Replicate_Ignore_Table'],
  ...['Replicate_Wild_Do_Table', 'Replicate_Wild_Ignore_Table', 'Replicate_Rewrite_DB'],
  ...['Replicate_Do_Domain_Ids', 'Replicate_Ignore_Domain_Ids', 'Replicate_Ignore_Server_Ids'],
].map((column) => [column, column.toLowerCase()] as const)

/** Nothing where the channel replicates everything. */
export function filtersIn(row: RowValues): { readonly filters?: ReplicationFilters } {
  const set = columns.map(([column, name]) => [name, textIn(row, column)] as const).filter(([, value]) => value !== '')
  return set.length === 0 ? {} : { filters: Object.fromEntries(set) }
}
