// The event that stopped the applier of a replica, as dialects find it and as effects pass over it.
import type { ReadStep } from '../reads/read.js'
import { textIn } from '../statement/rows.js'
import type { Rows } from '../statement/statement.js'

export interface FailingEvent {
  /** Its GTID; its place in the source's binary log where the channel does without. */
  readonly name: string
  /** What the server said of it. */
  readonly error: string
  /** MariaDB: the position behind it. */
  readonly position?: string
  /** There is no GTID to pass over it with. */
  readonly byCount: boolean
}

export const foundEvent = ({ name, error, position = '', byCount }: FailingEvent): ReadStep => ({
  type: 'rows',
  rows: [{ name, error, position, byCount: byCount ? 1 : 0 }],
})

/** What `foundEvent` told. */
export const parseFailing = ([row = {}]: Rows): FailingEvent => ({
  name: textIn(row, 'name'),
  error: textIn(row, 'error'),
  position: textIn(row, 'position'),
  byCount: row.byCount === 1,
})
