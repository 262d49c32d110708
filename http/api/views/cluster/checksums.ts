// What checksums found, as clients read it: states in two letters, times in whole seconds, differing rows by the columns of their key.
import { SECOND } from '../../../../lib/base/time.js'
import type {
  ChecksumList,
  ChecksumState,
  KeyValues,
  TableChecksum,
  TableName,
} from '../../../../lib/model/checksum/checksum.js'

/** Waits, is compared, equal, different (an error), not compared. */
const words: Readonly<Record<ChecksumState, string>> = {
  waiting: 'WA',
  running: 'PR',
  equal: 'OK',
  different: 'ER',
  'not-compared': 'NA',
}

export const syncWords = Object.values(words)

type Listed = ChecksumList['tables'][number]

export const renderChecksum = (found: Listed) => ({
  ...{ table_schema: found.schema, table_name: found.table, table_sync: words[found.state], table_crc: found.crc },
  ...{ job: found.job, primary: found.primary, chunks: found.chunks, rows: found.rows },
  start: Math.floor(found.startedAt / SECOND),
  ...(found.endedAt === undefined ? {} : { end: Math.floor(found.endedAt / SECOND) }),
  ...(found.reason === undefined ? {} : { reason: found.reason }),
  servers: found.servers.map(({ server, name, verdict, reason, chunks, open }) => ({
    ...{ server, name, verdict, chunks, open },
    ...(reason === undefined ? {} : { reason }),
  })),
})

/** `C/checksums`: every table that was compared, by name. */
export const renderChecksums = ({ tables, waiting }: ChecksumList) => {
  const queued = new Set(waiting.map(nameOf))
  return tables
    .map((table) => renderChecksum(queued.has(nameOf(table)) ? { ...table, state: 'waiting' } : table))
    .toSorted((a, b) => (a.table_schema + a.table_name < b.table_schema + b.table_name ? -1 : 1))
}

/** One table with the parts that differ; values of keys as the database shows them, bytes as `0x…`. */
export const renderTableChecksum = (found: TableChecksum) => ({
  ...renderChecksum(found),
  differences: found.differences.map(({ server, chunk, predicate, rowsOnPrimary, rowsOnReplica, rows, rowCount }) => ({
    ...{ server, chunk, predicate, rowsOnPrimary, rowsOnReplica },
    ...(rowCount === undefined ? {} : { rowCount }),
    rows: rows.map(({ kind, key }) => ({ kind, key: renderKey(key, found.key ?? []) })),
  })),
})

const renderKey = (key: KeyValues, columns: NonNullable<TableChecksum['key']>) =>
  Object.fromEntries(
    key.map((value, index) => {
      const { name, kind } = columns[index] ?? { name: `column ${index + 1}`, kind: 'quoted' }
      if (value === null) return [name, null]
      return [name, kind === 'text' ? Buffer.from(value, 'hex').toString() : kind === 'binary' ? `0x${value}` : value]
    }),
  )

/** The tables of `C/schema` with what the latest checksum of each found. */
export function withChecksums<T extends { readonly table_schema: string; readonly table_name: string }>(
  rows: readonly T[],
  list: ChecksumList,
): readonly (T & { readonly table_sync: string; readonly table_crc: number })[] {
  const found = new Map(list.tables.map((table) => [nameOf(table), table]))
  const queued = new Set(list.waiting.map(nameOf))
  return rows.map((row) => {
    const name = nameOf({ schema: row.table_schema, table: row.table_name })
    const known = found.get(name)
    const table_sync = queued.has(name) ? words.waiting : known ? words[known.state] : ''
    return { ...row, table_sync, table_crc: known?.crc ?? 0 }
  })
}

const nameOf = ({ schema, table }: TableName): string => JSON.stringify([schema, table])
