// Skips the event that stopped MariaDB's applier, and resets its binary log.
// https://mariadb.com/kb/en/gtid/#setting-gtid_slave_pos https://mariadb.com/kb/en/set-global-sql_slave_skip_counter/
import { mariadbGtids } from '../../model/server/gtid.js'
import { ask, type ReadStep, refuse } from '../reads/read.js'
import { plain } from '../shared/control/locks.js'
import { type FailingEvent, foundEvent } from '../shared/dialect/failing.js'
import { numberIn, textIn } from '../statement/rows.js'
import type { Rows, Statement } from '../statement/statement.js'
import { startReplication, stopReplication } from './replication.js'

/** The relay log holds the transaction at which the applier stopped. */
export const failingEvent = (channel: string): ReadStep =>
  ask('SHOW ALL SLAVES STATUS', [], (rows) => {
    const row = rows.find((each) => textIn(each, 'Connection_name').toLowerCase() === channel.toLowerCase())
    if (!row) return refuse('it does not replicate')
    const error = textIn(row, 'Last_SQL_Error')
    if (textIn(row, 'Slave_SQL_Running') !== 'No' || numberIn(row, 'Last_SQL_Errno') === 0)
      return refuse('its SQL thread is not stopped by an error')
    const place = `${textIn(row, 'Relay_Master_Log_File')}:${textIn(row, 'Exec_Master_Log_Pos')}`
    if (textIn(row, 'Using_Gtid') === 'No') return foundEvent({ name: place, error, byCount: true })
    return ask(
      'SHOW RELAYLOG ? EVENTS IN ? FROM ? LIMIT 1',
      [channel, textIn(row, 'Relay_Log_File'), numberIn(row, 'Relay_Log_Pos')],
      ([event = {}]) => {
        const gtid = /GTID (\d+-\d+-\d+)/.exec(textIn(event, 'Info'))?.[1]
        if (gtid === undefined) return refuse(`its relay log names no transaction at ${place}`)
        return ask('SELECT @@GLOBAL.gtid_slave_pos AS position', [], (answer) => behind(gtid, error, answer))
      },
    )
  })

/** An applied position beyond the event means that another event failed. */
function behind(gtid: string, error: string, [row = {}]: Rows): ReadStep {
  const [failing] = mariadbGtids(gtid)
  const applied = mariadbGtids(textIn(row, 'position'))
  const own = applied.find(({ domain }) => domain === failing?.domain)
  if (!failing || (own && own.sequence >= failing.sequence)) return refuse(`${gtid} has been applied already`)
  const others = applied.filter((one) => one !== own)
  const position = [...others, failing]
    .map(({ domain, origin, sequence }) => `${domain}-${origin}-${sequence}`)
    .join(',')
  return foundEvent({ name: gtid, error, position, byCount: false })
}

export const skipEvent = (channel: string, { position = '', byCount }: FailingEvent): readonly Statement[] => [
  ...stopReplication(channel),
  ...(byCount
    ? [
        { sql: 'SET SESSION default_master_connection = ?', values: [channel] },
        plain('SET GLOBAL sql_slave_skip_counter = 1'),
      ]
    : [{ sql: 'SET GLOBAL gtid_slave_pos = ?', values: [position] }]),
  ...startReplication(channel),
]

/** Column history: the GTID history in its binary log. */
export const binlogHistory = (): Statement => plain('SELECT @@GLOBAL.gtid_binlog_state AS history')

/** With `history`, GTID numbering continues, and replicas with earlier transactions find their position. */
export const resetBinlogs = (history = ''): readonly Statement[] => [
  plain('RESET MASTER'),
  ...(history === '' ? [] : [{ sql: 'SET GLOBAL gtid_binlog_state = ?', values: [history] }]),
]

/** Session settings for actions on request: unlogged, with short lock waits. */
export const actSession = (lockSeconds: number): Statement => ({
  sql: 'SET SESSION sql_log_bin = 0, lock_wait_timeout = ?, max_statement_time = ?',
  values: [lockSeconds, lockSeconds * 4],
})
