// Reads MariaDB's replication channels and positions.
import { printable } from '../../base/printable.js'
import { type GtidSet, mariadbGtids, parsePosition, union } from '../../model/server/gtid.js'
import type { Channel } from '../../model/server/reading.js'
import { filtersIn } from '../shared/probe/filters.js'
import { tlsIn } from '../shared/probe/source-files.js'
import { numberIn, type RowValues, textIn, threadIn } from '../statement/rows.js'

export interface Positions {
  /** Everything written or applied here. */
  readonly executed: GtidSet
  /** Everything applied as a replica. */
  readonly replicated: GtidSet
}

/**
 * One row of `SHOW ALL SLAVES STATUS`. `Gtid_IO_Pos` moves with every event group received in full; it starts from
 * the applied position and is empty without GTID, so both are joined.
 * https://mariadb.com/kb/en/show-replica-status/
 */
export function parseChannel(row: RowValues, { executed, replicated }: Positions): Channel {
  const usesGtid = textIn(row, 'Using_Gtid') !== 'No'
  const applied = textIn(row, 'Using_Gtid') === 'Current_Pos' ? executed : replicated
  const receivedText = usesGtid ? textIn(row, 'Gtid_IO_Pos') : ''
  return {
    name: textIn(row, 'Connection_name'),
    source: {
      host: textIn(row, 'Master_Host'),
      port: numberIn(row, 'Master_Port'),
      serverNumber: numberIn(row, 'Master_Server_Id'),
      user: textIn(row, 'Master_User'),
      ...tlsIn(row, 'Master_'),
    },
    io: threadIn(row, 'Slave_IO_Running'),
    sql: threadIn(row, 'Slave_SQL_Running'),
    ioError: { code: numberIn(row, 'Last_IO_Errno'), message: printable(textIn(row, 'Last_IO_Error')) },
    sqlError: { code: numberIn(row, 'Last_SQL_Errno'), message: printable(textIn(row, 'Last_SQL_Error')) },
    ...(textIn(row, 'Seconds_Behind_Master') === '' ? {} : { lagSeconds: numberIn(row, 'Seconds_Behind_Master') }),
    received: union(parsePosition(receivedText), applied),
    applied,
    heartbeats: numberIn(row, 'Slave_received_heartbeats'),
    receivedMark: `${textIn(row, 'Master_Log_File')}:${textIn(row, 'Read_Master_Log_Pos')} ${receivedText}`,
    heartbeatPeriodSeconds: numberIn(row, 'Slave_heartbeat_period'),
    usesGtid,
    delaySeconds: numberIn(row, 'SQL_Delay'),
    ...filtersIn(row),
    sqlThreadState: textIn(row, 'Slave_SQL_Running_State'),
    readFile: textIn(row, 'Master_Log_File'),
    readPosition: numberIn(row, 'Read_Master_Log_Pos'),
    executedFile: textIn(row, 'Relay_Master_Log_File'),
    executedPosition: numberIn(row, 'Exec_Master_Log_Pos'),
    relayLogBytes: numberIn(row, 'Relay_Log_Space'),
  }
}

/** The highest GTID of each domain in any of the texts, as MariaDB writes positions. */
export function joinPositions(...texts: readonly string[]): string {
  const furthest = new Map<number, { origin: number; sequence: number }>()
  for (const { domain, origin, sequence } of texts.flatMap(mariadbGtids)) {
    const known = furthest.get(domain)
    if (!known || known.sequence < sequence) furthest.set(domain, { origin, sequence })
  }
  return [...furthest].map(([domain, { origin, sequence }]) => `${domain}-${origin}-${sequence}`).join(',')
}

/** MariaDB's functions compare domain and sequence number; the server id passed to them does not matter. */
export const positionText = (set: GtidSet): string =>
  Object.entries(set)
    .map(([domain, intervals]) => `${domain}-1-${intervals.at(-1)?.[1] ?? 0}`)
    .join(',')
