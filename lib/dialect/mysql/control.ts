// MySQL's read-only state, semi-synchronous switches and locks.
import type { Capabilities } from '../shared/dialect.js'
import { boundLockWaits, plain } from '../shared/locks.js'
import type { Statement } from '../statement/statement.js'
import { semiSync } from './names.js'

/** `super_read_only` includes `read_only`; `read_only` off disables both. */
export const setReadOnly = (on: boolean, waitSeconds?: number): readonly Statement[] => [
  ...(waitSeconds === undefined ? [] : [boundLockWaits(waitSeconds)]),
  plain(on ? 'SET GLOBAL super_read_only = 1' : 'SET GLOBAL read_only = 0'),
]

export function setSemiSync(
  capabilities: Capabilities,
  sides: { readonly source: boolean; readonly replica: boolean },
): readonly Statement[] {
  const { replica } = capabilities.semiSyncSides
  return [
    ...setSourceSide(capabilities, sides.source),
    ...(replica ? [set(semiSync(capabilities, 'rpl_semi_sync_replica_enabled'), sides.replica)] : []),
  ]
}

/** Commits stop waiting when the source side is disabled; killing their sessions does not stop the wait. */
export const releaseCommits = (capabilities: Capabilities): readonly Statement[] => setSourceSide(capabilities, false)

const setSourceSide = (capabilities: Capabilities, on: boolean): readonly Statement[] =>
  capabilities.semiSyncSides.source ? [set(semiSync(capabilities, 'rpl_semi_sync_source_enabled'), on)] : []

const set = (name: string, on: boolean): Statement => plain(`SET GLOBAL ${name} = ${on ? 1 : 0}`)

export const flushTables = (waitSeconds: number): readonly Statement[] => [
  boundLockWaits(waitSeconds),
  plain('FLUSH NO_WRITE_TO_BINLOG TABLES'),
]

export const globalReadLock = (waitSeconds: number): readonly Statement[] => [
  boundLockWaits(waitSeconds),
  plain('FLUSH TABLES WITH READ LOCK'),
]
