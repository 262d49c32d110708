// Groups the events of a binary log by transaction, with a bound on the rows that are held.
import type { LogEvent, LogTransaction } from './event.js'

/** Yields each transaction when it is complete. At most `mostRows` rows of one are kept, 10,000 when absent; all are counted. */
export async function* groupTransactions(
  events: AsyncIterable<LogEvent>,
  mostRows = 10_000,
): AsyncGenerator<LogTransaction> {
  let open: Building | undefined
  for await (const event of events) {
    if (event.kind === 'start' || event.kind === 'rotate') continue
    if (open && isOther(open, event)) {
      yield closed(open)
      open = undefined
    }
    open ??= { first: event, last: event, changes: [], rowCount: 0, kept: 0, ended: false, committed: false }
    add(open, event, mostRows)
  }
  if (open) yield closed(open)
}

interface Building {
  readonly first: LogEvent
  last: LogEvent
  readonly changes: LogEvent[]
  rowCount: number
  kept: number
  ended: boolean
  committed: boolean
}

const isOther = (open: Building, event: LogEvent): boolean =>
  open.ended || event.kind === 'begin' || event.gtid !== open.first.gtid || event.file !== open.first.file

function add(open: Building, event: LogEvent, mostRows: number): void {
  open.last = event
  open.rowCount += event.rows.length
  const alone = open.first.kind === 'statement' && event === open.first
  if (event.kind === 'commit' || event.kind === 'rollback' || alone) open.ended = true
  // A statement that is not inside a transaction commits implicitly.
  if (event.kind === 'commit' || alone) open.committed = true
  if (event.kind === 'begin' || event.kind === 'commit' || event.kind === 'rollback') return
  const rows = event.rows.slice(0, Math.max(0, mostRows - open.kept))
  open.kept += rows.length
  if (rows.length > 0 || event.rows.length === 0) open.changes.push({ ...event, rows })
}

function closed({ first, last, changes, rowCount, kept, committed }: Building): LogTransaction {
  const thread = last.thread ?? first.thread
  return {
    ...(first.gtid === undefined ? {} : { gtid: first.gtid }),
    ...{ at: last.at, file: first.file, offset: first.offset, end: last.end, serverId: first.serverId },
    ...(thread === undefined ? {} : { thread }),
    ...{ changes, rowCount, truncated: kept < rowCount, committed },
  }
}
