// Decides values that MariaDB's tool prints ambiguously: `\x0a` is one byte unless the bytes of the event hold these four characters.
import { open } from 'node:fs/promises'
import path from 'node:path'
import type { ChangedRow, LogEvent, LogTransaction, RowImage } from '../../../backup/binlog/event.js'

/** Row events whose rows are not compressed: https://mariadb.com/kb/en/rows_event_v1v2-rows_compressed_event_v1/. */
const plainRows: ReadonlySet<number> = new Set([23, 24, 25, 30, 31, 32])
const TYPE_AT = 4

const isInexact = (image: RowImage = []): boolean => image.some(({ exact }) => !exact)
const isUnsure = ({ rows }: LogEvent): boolean =>
  rows.some(({ before, after }) => isInexact(before) || isInexact(after))

export const areUnsure = (transactions: readonly LogTransaction[]): boolean =>
  transactions.some(({ changes }) => changes.some(isUnsure))

/** `folder` holds the raw files under their names. Values stay inexact where the bytes do not decide it. */
export async function decideValues(
  transactions: readonly LogTransaction[],
  folder: string,
): Promise<readonly LogTransaction[]> {
  const decided: LogTransaction[] = []
  for (const transaction of transactions) {
    const changes: LogEvent[] = []
    for (const event of transaction.changes)
      changes.push(isUnsure(event) && (await isPlain(event, folder)) ? asExact(event) : event)
    decided.push({ ...transaction, changes })
  }
  return decided
}

/** No backslash before an x in the whole event: none was printed as it is. */
async function isPlain({ file, offset, end }: LogEvent, folder: string): Promise<boolean> {
  const handle = await open(path.join(folder, path.basename(file)), 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, end - offset))
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset)
    return bytesRead === bytes.length && plainRows.has(bytes[TYPE_AT] ?? 0) && !bytes.includes('\\x')
  } finally {
    await handle.close()
  }
}

const exactImage = (image: RowImage): RowImage => image.map((value) => ({ ...value, exact: true }))

const asExact = (event: LogEvent): LogEvent => ({
  ...event,
  rows: event.rows.map(
    ({ before, after }): ChangedRow => ({
      ...(before ? { before: exactImage(before) } : {}),
      ...(after ? { after: exactImage(after) } : {}),
    }),
  ),
})
