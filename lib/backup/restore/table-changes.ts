// Counts what transactions change, table by table. Pure.
import type { FoundTransaction, LogWish, TableChanges, Undone } from '../../model/operation/cluster-recovery.js'
import type { LogEvent, LogTransaction } from '../binlog/event.js'

const LONGEST_STATEMENT = 200
const MOST_STATEMENTS = 5
const MOST_UNDONE_STATEMENTS = 20

const counters = { insert: 'inserted', update: 'updated', delete: 'deleted' } as const

/** What a transaction changes; its rows must be counted, so none may be left out. */
export function changesOf(changes: readonly LogEvent[]): readonly TableChanges[] {
  const tables = new Map<string, TableChanges>()
  for (const { kind, schema = '', table = '', rows } of changes) {
    if (kind !== 'insert' && kind !== 'update' && kind !== 'delete') continue
    const key = `${schema}\0${table}`
    const before = tables.get(key) ?? { schema, table, inserted: 0, updated: 0, deleted: 0 }
    tables.set(key, { ...before, [counters[kind]]: before[counters[kind]] + rows.length })
  }
  return [...tables.values()]
}

/** The texts of its statements: those that change definitions, and of statement-based logs every one. */
export const statementsOf = (changes: readonly LogEvent[]): readonly string[] =>
  changes
    .filter(({ kind, text }) => kind === 'statement' && text !== undefined)
    .map(({ text = '' }) => {
      const line = text.replace(/\s+/g, ' ').trim()
      return line.length > LONGEST_STATEMENT ? `${line.slice(0, LONGEST_STATEMENT)}…` : line
    })

/** As an answer of a search. */
export function describeTransaction(transaction: LogTransaction, term: string): FoundTransaction {
  const { gtid = '', at, file, offset, end, thread, changes } = transaction
  return {
    ...{ gtid, at, term, file, offset, end },
    ...(thread === undefined ? {} : { thread }),
    tables: changesOf(changes),
    statements: statementsOf(changes).slice(0, MOST_STATEMENTS),
  }
}

/** Whether a transaction concerns what is searched. A statement concerns a table that its text names. */
export function isWanted({ gtid, at, changes }: LogTransaction, wanted: LogWish): boolean {
  if (wanted.gtid !== undefined && gtid !== wanted.gtid) return false
  if (wanted.from !== undefined && at < wanted.from) return false
  if (wanted.to !== undefined && at > wanted.to) return false
  if (wanted.schema === undefined && wanted.table === undefined) return true
  return changes.some((change) => (change.kind === 'statement' ? isNamed(change, wanted) : isOfTable(change, wanted)))
}

const isOfTable = ({ schema, table }: LogEvent, wanted: LogWish): boolean =>
  (wanted.schema === undefined || schema === wanted.schema) && (wanted.table === undefined || table === wanted.table)

function isNamed({ schema, text = '' }: LogEvent, wanted: LogWish): boolean {
  const words: readonly string[] = text.match(/[\p{L}\p{N}_$-]+/gu) ?? []
  const ofSchema = wanted.schema === undefined || schema === wanted.schema || words.includes(wanted.schema)
  return ofSchema && (wanted.table === undefined || words.includes(wanted.table))
}

export const nothingUndone: Undone = { transactions: 0, tables: [], statements: [] }

/** The sum with one more transaction. */
export function addUndone(sum: Undone, { gtid = '', at, changes }: LogTransaction): Undone {
  const room = MOST_UNDONE_STATEMENTS - sum.statements.length
  return {
    transactions: sum.transactions + 1,
    firstAt: sum.firstAt ?? at,
    first: sum.first ?? gtid,
    ...{ lastAt: at, last: gtid },
    tables: addTables(sum.tables, changesOf(changes)),
    statements: room > 0 ? [...sum.statements, ...statementsOf(changes).slice(0, room)] : sum.statements,
  }
}

function addTables(sum: readonly TableChanges[], more: readonly TableChanges[]): readonly TableChanges[] {
  if (more.length === 0) return sum
  const tables = new Map(sum.map((each) => [`${each.schema}\0${each.table}`, each]))
  for (const each of more) {
    const key = `${each.schema}\0${each.table}`
    const before = tables.get(key)
    tables.set(
      key,
      before
        ? {
            ...before,
            inserted: before.inserted + each.inserted,
            updated: before.updated + each.updated,
            deleted: before.deleted + each.deleted,
          }
        : each,
    )
  }
  return [...tables.values()].toSorted((a, b) => rowsOf(b) - rowsOf(a))
}

/** Changed rows of a table in all. */
export const rowsOf = ({ inserted, updated, deleted }: TableChanges): number => inserted + updated + deleted
