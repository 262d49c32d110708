// Status of a member of a Galera cluster. It is answered from memory, even while the member refuses other statements.
import type { GaleraState } from '../../model/server/reading.js'
import { pairs } from '../statement/rows.js'
import type { Rows } from '../statement/statement.js'

export const galeraStatus =
  "SHOW STATUS WHERE Variable_name IN ('wsrep_local_state', 'wsrep_local_state_comment', 'wsrep_ready', " +
  "'wsrep_cluster_status', 'wsrep_cluster_state_uuid')"

/** https://mariadb.com/kb/en/galera-cluster-status-variables/ : 2 is a donor, 4 is synced, all others are not synced yet. */
const states: Readonly<Record<string, GaleraState['state']>> = { '2': 'donor', '4': 'synced' }

export function parseGalera(rows: Rows): GaleraState {
  const status = pairs(rows)
  const part = status.wsrep_cluster_status ?? ''
  // A partitioned member keeps reporting its previous state.
  const place = part.toUpperCase() === 'PRIMARY' ? states[status.wsrep_local_state ?? ''] : undefined
  const ready = place !== undefined && status.wsrep_ready?.toUpperCase() === 'ON'
  return {
    state: place === 'synced' && !ready ? 'unsynced' : (place ?? 'unsynced'),
    ready,
    comment: status.wsrep_local_state_comment ?? '',
    part,
    cluster: status.wsrep_cluster_state_uuid ?? '',
  }
}
