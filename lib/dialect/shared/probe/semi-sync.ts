// Semi-synchronous replication: the terms both flavours share.
import { type Named, textOf } from '../../../model/server/named.js'
import type { SemiSyncState } from '../../../model/server/reading.js'
import { flagIn, numberIn, type RowValues, textIn } from '../../statement/rows.js'
import type { SemiSyncStatus } from '../dialect/dialect.js'

/** It is unknown, or not available. */
export const noStatus: SemiSyncStatus = { sourceActive: false, replicaActive: false, clients: 0, unacknowledged: 0 }

/** The `semi_*` columns of a fast probe with the status read last; a disabled side is not active, whatever was read. */
export function parseSemiSync(row: RowValues, status: SemiSyncStatus): SemiSyncState {
  const sourceEnabled = flagIn(row, 'semi_source')
  const replicaEnabled = flagIn(row, 'semi_replica')
  return {
    sourceEnabled,
    sourceActive: sourceEnabled && status.sourceActive,
    replicaEnabled,
    replicaActive: replicaEnabled && status.replicaActive,
    waitPoint: waitPointOf(textIn(row, 'semi_point')),
    timeoutMs: numberIn(row, 'semi_timeout'),
    waitsWithoutReplica: flagIn(row, 'semi_alone'),
    clients: sourceEnabled ? status.clients : 0,
    unacknowledged: status.unacknowledged,
  }
}

function waitPointOf(word: string): SemiSyncState['waitPoint'] {
  if (word.toUpperCase() === 'AFTER_SYNC') return 'after-sync'
  return word.toUpperCase() === 'AFTER_COMMIT' ? 'after-commit' : 'none'
}

/** By the names of all versions. MariaDB waits for one. */
const countNames = ['rpl_semi_sync_source_wait_for_replica_count', 'rpl_semi_sync_master_wait_for_slave_count']

/** Acknowledgements that one commit waits for, by the variables of its server. */
export const acknowledgementsIn = (variables: Named | undefined): number =>
  countNames.map((name) => Number(textOf(variables, name) ?? 0)).find((count) => count > 0) ?? 1
