// Reads MySQL's replication channels.
import { printable } from '../../base/printable.js'
import { parseGtidSet, union } from '../../model/server/gtid.js'
import type { Channel } from '../../model/server/reading.js'
import { filtersIn } from '../shared/probe/filters.js'
import { tlsIn } from '../shared/probe/source-files.js'
import { numberIn, type RowValues, textIn, threadIn } from '../statement/rows.js'
import { renamed } from './names.js'

/**
 * One row of `SHOW REPLICA STATUS` and the same channel's row of the fast probe's heartbeat query.
 * https://dev.mysql.com/doc/refman/8.4/en/show-replica-status.html
 */
export function parseChannel(status: RowValues, heartbeat: RowValues): Channel {
  const row = renamed(status)
  const applied = parseGtidSet(textIn(row, 'Executed_Gtid_Set'))
  const receivedText = textIn(row, 'Retrieved_Gtid_Set')
  return {
    name: textIn(row, 'Channel_Name'),
    source: {
      host: textIn(row, 'Source_Host'),
      port: numberIn(row, 'Source_Port'),
      serverNumber: numberIn(row, 'Source_Server_Id'),
      uuid: textIn(row, 'Source_UUID'),
      user: textIn(row, 'Source_User'),
      ...tlsIn(row, 'Source_'),
    },
    io: threadIn(row, 'Replica_IO_Running'),
    sql: threadIn(row, 'Replica_SQL_Running'),
    ioError: { code: numberIn(row, 'Last_IO_Errno'), message: printable(textIn(row, 'Last_IO_Error')) },
    sqlError: { code: numberIn(row, 'Last_SQL_Errno'), message: printable(textIn(row, 'Last_SQL_Error')) },
    ...(textIn(row, 'Seconds_Behind_Source') === '' ? {} : { lagSeconds: numberIn(row, 'Seconds_Behind_Source') }),
    received: union(parseGtidSet(receivedText), applied),
    applied,
    heartbeats: numberIn(heartbeat, 'heartbeats'),
    receivedMark: `${textIn(row, 'Source_Log_File')}:${textIn(row, 'Read_Source_Log_Pos')} ${receivedText}`,
    heartbeatPeriodSeconds: numberIn(heartbeat, 'period'),
    usesGtid: numberIn(row, 'Auto_Position') === 1,
    delaySeconds: numberIn(row, 'SQL_Delay'),
    ...filtersIn(row),
    sqlThreadState: textIn(row, 'Replica_SQL_Running_State'),
    readFile: textIn(row, 'Source_Log_File'),
    readPosition: numberIn(row, 'Read_Source_Log_Pos'),
    executedFile: textIn(row, 'Relay_Source_Log_File'),
    executedPosition: numberIn(row, 'Exec_Source_Log_Pos'),
    relayLogBytes: numberIn(row, 'Relay_Log_Space'),
  }
}
