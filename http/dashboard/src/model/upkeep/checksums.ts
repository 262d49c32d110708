// Checksums of tables: what was compared, on which servers it differs, and which rows do.
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

export const checksumStates = ['different', 'not-compared', 'running', 'waiting', 'equal'] as const

export type ChecksumState = (typeof checksumStates)[number]

const words: Readonly<Record<string, ChecksumState>> = {
  ...{ WA: 'waiting', PR: 'running', OK: 'equal', ER: 'different', NA: 'not-compared' },
}

export interface ServerVerdict {
  readonly server: string
  /** Host and port. */
  readonly name: string
  readonly verdict: 'equal' | 'different' | 'not-compared'
  /** Parts that differ. */
  readonly chunks: number
  /** Rows that changed too fast to be compared. */
  readonly open: number
  readonly reason?: string
}

export interface ComparedTable {
  readonly schema: string
  readonly table: string
  readonly state: ChecksumState
  readonly job?: string
  readonly rows?: number
  readonly chunks?: number
  readonly startedAt?: number
  /** Absent while it is compared. */
  readonly endedAt?: number
  readonly reason?: string
  readonly servers: readonly ServerVerdict[]
}

export interface DifferingRow {
  readonly kind: 'changed' | 'missing' | 'extra'
  /** "id 1207, shop NULL". */
  readonly key: string
}

/** A part of a table that differs on a server. */
export interface DifferingPart {
  readonly server: string
  readonly chunk?: number
  /** As SQL. */
  readonly predicate: string
  readonly rowsOnPrimary?: number
  readonly rowsOnReplica?: number
  /** How many rows differ; absent where too many would have had to be listed. */
  readonly rowCount?: number
  /** The first ones. */
  readonly rows: readonly DifferingRow[]
}

export interface ComparedDetails extends ComparedTable {
  readonly parts: readonly DifferingPart[]
}

type Wire = ReturnType<typeof fieldsOf>

export const nameOfTable = ({ schema, table }: Pick<ComparedTable, 'schema' | 'table'>): string => `${schema}.${table}`

/** Of `C/checksums`: what differs first, then by name. */
export const readChecksums = (reply: unknown): readonly ComparedTable[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/checksums'>(reply))
    .flatMap((wire) => readTable(wire) ?? [])
    .toSorted((one, other) => placeOf(one) - placeOf(other) || (nameOfTable(one) < nameOfTable(other) ? -1 : 1))

const placeOf = ({ state }: ComparedTable): number => checksumStates.indexOf(state)

/** Of one table; undefined for a reply that is none. */
export function readChecksum(reply: unknown): ComparedDetails | undefined {
  const wire = fieldsOf(wireOf<'GET /api/clusters/:cluster/schema/:schema/:table/checksum'>(reply))
  const table = readTable(wire)
  return table && { ...table, parts: listOf(wire.differences).map(readPart) }
}

function readTable(wire: Wire): ComparedTable | undefined {
  const [schema, table] = [textOf(wire.table_schema), textOf(wire.table_name)]
  const state = words[String(wire.table_sync)]
  if (schema === undefined || table === undefined || state === undefined) return undefined
  const job = numberOf(wire.job)
  return present<ComparedTable>({
    ...{ schema, table, state, job: job === undefined ? undefined : String(job) },
    ...{ rows: numberOf(wire.rows), chunks: numberOf(wire.chunks), reason: textOf(wire.reason) },
    ...{ startedAt: momentOf(wire.start), endedAt: momentOf(wire.end) },
    servers: listOf(wire.servers).flatMap((server) => readVerdict(server) ?? []),
  })
}

const verdicts = ['equal', 'different', 'not-compared'] as const

function readVerdict(wire: Wire): ServerVerdict | undefined {
  const server = textOf(wire.server)
  const verdict = verdicts.find((each) => each === wire.verdict)
  if (server === undefined || verdict === undefined) return undefined
  return present<ServerVerdict>({
    ...{ server, verdict, name: textOf(wire.name) ?? server, reason: textOf(wire.reason) },
    ...{ chunks: numberOf(wire.chunks) ?? 0, open: numberOf(wire.open) ?? 0 },
  })
}

const readPart = (wire: Wire): DifferingPart =>
  present<DifferingPart>({
    ...{ server: textOf(wire.server) ?? '', chunk: numberOf(wire.chunk), predicate: textOf(wire.predicate) ?? '' },
    ...{ rowsOnPrimary: numberOf(wire.rowsOnPrimary), rowsOnReplica: numberOf(wire.rowsOnReplica) },
    rowCount: numberOf(wire.rowCount),
    rows: listOf(wire.rows).flatMap((row: Wire) => readRow(row) ?? []),
  })

const kinds = ['changed', 'missing', 'extra'] as const

function readRow(wire: Wire): DifferingRow | undefined {
  const kind = kinds.find((each) => each === wire.kind)
  return kind && { kind, key: renderKey(fieldsOf(wire.key)) }
}

const renderKey = (key: Wire): string =>
  Object.entries(key)
    .map(([column, value]) => `${column} ${value === null ? 'NULL' : String(value)}`)
    .join(', ')

/** How many tables are in each state. */
export function countStates(tables: readonly ComparedTable[]): Readonly<Record<ChecksumState, number>> {
  const counts = { different: 0, 'not-compared': 0, running: 0, waiting: 0, equal: 0 }
  for (const { state } of tables) counts[state] += 1
  return counts
}

/** What fits words of a search and a state; '' fits all. */
export const filterTables = (
  tables: readonly ComparedTable[],
  { words: typed, state }: { readonly words: string; readonly state: string },
): readonly ComparedTable[] =>
  tables.filter(
    (table) =>
      (state === '' || table.state === state) && nameOfTable(table).toLowerCase().includes(typed.trim().toLowerCase()),
  )

/** Seconds to milliseconds; 0 is none. */
function momentOf(value: unknown): number | undefined {
  const seconds = numberOf(value)
  return seconds === undefined || seconds === 0 ? undefined : seconds * 1_000
}
