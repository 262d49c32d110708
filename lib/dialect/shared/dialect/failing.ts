// The event that stopped the applier of a replica, as dialects find it and as effects skip it.
import type { ReadStep } from '../../reads/read.js'
import { textIn } from '../../statement/rows.js'
import type { Rows } from '../../statement/statement.js'

export interface FailingEvent {
  /** Its GTID; its position in the source's binary log where the channel does not use GTID. */
  readonly name: string
  /** The server's error message. */
  readonly error: string
  /** MariaDB: the position after it. */
  readonly position?: string
  /** It has no GTID to skip it by. */
  readonly byCount: boolean
}

export const foundEvent = ({ name, error, position = '', byCount }: FailingEvent): ReadStep => ({
  type: 'rows',
  rows: [{ name, error, position, byCount: byCount ? 1 : 0 }],
})

/** Result of `foundEvent`. */
export const parseFailing = ([row = {}]: Rows): FailingEvent => ({
  name: textIn(row, 'name'),
  error: textIn(row, 'error'),
  position: textIn(row, 'position'),
  byCount: row.byCount === 1,
})
