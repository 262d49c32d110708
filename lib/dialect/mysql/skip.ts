// Skips the transaction that stopped MySQL's applier, and resets its binary log.
// https://dev.mysql.com/doc/refman/8.4/en/replication-administration-skip.html

import { ask, type ReadStep, refuse } from '../reads/read.js'
import { plain } from '../shared/control/locks.js'
import type { Capabilities } from '../shared/dialect/dialect.js'
import { type FailingEvent, foundEvent } from '../shared/dialect/failing.js'
import { numberIn, type RowValues, textIn } from '../statement/rows.js'
import type { Statement } from '../statement/statement.js'
import { command, renamed } from './names.js'
import { startReplication, stopReplication } from './replication.js'

const isGtid = (text: string): boolean => /^[0-9a-f-]{36}(:\w+)?:\d+$/i.test(text)

/** The error names the transaction when workers applied it; the performance schema knows it in any case. */
export const failingEvent = (capabilities: Capabilities, channel: string): ReadStep =>
  ask(`${command(capabilities, 'SHOW REPLICA STATUS')} FOR CHANNEL ?`, [channel], ([status]) => {
    if (!status) return refuse('it does not replicate')
    const row = renamed(status)
    if (textIn(row, 'Replica_SQL_Running') !== 'No' || numberIn(row, 'Last_SQL_Errno') === 0)
      return refuse('its SQL thread is not stopped by an error')
    const error = textIn(row, 'Last_SQL_Error')
    const named = /transaction '([^']+)'/.exec(error)?.[1] ?? ''
    if (isGtid(named)) return foundEvent({ name: named, error, byCount: false })
    return ask(
      'SELECT APPLYING_TRANSACTION AS gtid FROM performance_schema.replication_applier_status_by_worker ' +
        'WHERE CHANNEL_NAME = ? AND LAST_ERROR_NUMBER <> 0 LIMIT 1',
      [channel],
      ([worker = {}]) => byWorker(row, textIn(worker, 'gtid')),
    )
  })

function byWorker(row: RowValues, gtid: string): ReadStep {
  const error = textIn(row, 'Last_SQL_Error')
  if (isGtid(gtid)) return foundEvent({ name: gtid, error, byCount: false })
  const place = `${textIn(row, 'Relay_Source_Log_File')}:${textIn(row, 'Exec_Source_Log_Pos')}`
  return numberIn(row, 'Auto_Position') === 1
    ? refuse(`nothing names the transaction that failed at ${place}`)
    : foundEvent({ name: place, error, byCount: true })
}

/** An empty transaction with its GTID, logged like any other, so that replicas of this server skip it too. */
export const skipEvent = (
  capabilities: Capabilities,
  channel: string,
  { name, byCount }: FailingEvent,
): readonly Statement[] => [
  ...stopReplication(capabilities, channel),
  ...(byCount
    ? [plain(`SET GLOBAL ${capabilities.replicaVariables ? 'sql_replica_skip_counter' : 'sql_slave_skip_counter'} = 1`)]
    : [
        plain('SET SESSION sql_log_bin = 1'),
        { sql: 'SET SESSION gtid_next = ?', values: [name] },
        plain('BEGIN'),
        plain('COMMIT'),
        plain("SET SESSION gtid_next = 'AUTOMATIC'"),
      ]),
  ...startReplication(capabilities, channel),
]

/** Column history: every executed transaction. */
export const binlogHistory = (): Statement => plain('SELECT @@GLOBAL.gtid_executed AS history')

/** With `history`, earlier transactions still count as executed, and replicas that have them find their position. */
export const resetBinlogs = (capabilities: Capabilities, history = ''): readonly Statement[] => [
  plain(capabilities.binaryLogStatus ? 'RESET BINARY LOGS AND GTIDS' : 'RESET MASTER'),
  ...(history === '' ? [] : [{ sql: 'SET GLOBAL gtid_purged = ?', values: [history.replace(/\s/g, '')] }]),
]

/** Session settings for actions on request: unlogged, with short lock waits. */
export const actSession = (lockSeconds: number): Statement => ({
  sql: 'SET SESSION sql_log_bin = 0, lock_wait_timeout = ?',
  values: [lockSeconds],
})
