// Reads stored binary logs for people: transactions of a table or a time, and what a recovery to a point would undo.
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import type {
  FoundTransaction,
  FoundTransactions,
  LocatedPoint,
  LogWish,
  StoredRange,
  Undone,
} from '../../model/operation/cluster-recovery.js'
import type { RecoveryTarget } from '../../model/operation/recovery.js'
import { contains, type GtidSet, noTransactions } from '../../model/server/gtid.js'
import type { ChangedRow, LogEvent, LogTransaction } from '../binlog/event.js'
import { readLog } from '../binlog/read-log.js'
import { scanFile } from '../binlog/scan-file.js'
import { oneOf, pathOf, readTerms, type StoredFile, type Term, transactionsOf } from '../binlog/term.js'
import { groupTransactions } from '../binlog/transactions.js'
import { planReplay, type ReplayPlan } from './chain.js'
import { type RestoreRun, unpack } from './replay.js'
import { addUndone, describeTransaction, isWanted, nothingUndone } from './table-changes.js'

/** A backup from which a point may be reached. */
export interface Origin {
  readonly backup: number
  readonly position: string
  /** When it began, milliseconds since the epoch. */
  readonly startedAt: number
}

export interface SearchOrder {
  readonly search: /** Transactions that fit, oldest first; at most `most`. */
    | { readonly type: 'transactions'; readonly wanted: LogWish; readonly most: number }
    /** A point, reached from the first of the origins that can, and what stands behind it. */
    | { readonly type: 'point'; readonly target: RecoveryTarget; readonly origins: readonly Origin[] }
  /** Where binary logs are stored. */
  readonly logs: string
  /** For unpacked files; created, and removed at the end. */
  readonly scratch: string
  /** Path of mariadb-binlog or mysqlbinlog. */
  readonly binlogTool: string
  readonly deadlineMs: number
}

export type SearchAnswer =
  | { readonly type: 'transactions'; readonly found: FoundTransactions }
  | { readonly type: 'point'; readonly point: LocatedPoint }

/** Failures: `no-recovery` (nothing reaches the point), `script-failed` (the tool), `file-unreadable`. */
export async function searchLogs(order: SearchOrder, run: RestoreRun): Promise<Result<SearchAnswer>> {
  const terms = await readTerms(order.logs)
  if (!terms.ok) return terms
  await mkdir(order.scratch, { recursive: true, mode: modeOf('scratch') })
  try {
    const { search } = order
    if (search.type === 'transactions') return await find({ order, terms: terms.value, run }, search)
    return await locate({ order, terms: terms.value, run }, search)
  } catch (error) {
    return fail('no-recovery', error instanceof Error ? error.message : String(error))
  } finally {
    await rm(order.scratch, { recursive: true, force: true })
  }
}

interface Reading {
  readonly order: SearchOrder
  readonly terms: readonly Term[]
  readonly run: RestoreRun
}

async function find(
  reading: Reading,
  { wanted, most }: { readonly wanted: LogWish; readonly most: number },
): Promise<Result<SearchAnswer>> {
  const transactions: FoundTransaction[] = []
  let more = false
  let seen = 0
  for (const term of reading.terms)
    for (const file of term.files.filter((each) => mayHold(each, term, wanted))) {
      if (more) break
      const read = await readFrom(reading, { term, file, from: 4 }, (transaction) => {
        seen = Math.max(seen, transaction.at)
        if (!transaction.committed || !isWanted(transaction, wanted)) return true
        // Files of two terms overlap.
        if (transactions.some(({ gtid }) => gtid !== '' && gtid === transaction.gtid)) return true
        more = transactions.length === most
        if (!more) transactions.push(describeTransaction(transaction, term.id))
        return !more
      })
      if (!read.ok) return read
    }
  const found = { transactions, more, stored: rangeOf(reading.terms, seen) }
  return ok({ type: 'transactions', found })
}

/** The index of a file that is still written has no end. */
function mayHold(file: StoredFile, { flavour }: Term, { from, to, gtid }: LogWish): boolean {
  if (!file.closed) return true
  if (from !== undefined && file.lastAt < from) return false
  if (to !== undefined && file.firstAt > to) return false
  return gtid === undefined || contains(file.transactions, oneOf(flavour, gtid))
}

async function locate(
  reading: Reading,
  { target, origins }: { readonly target: RecoveryTarget; readonly origins: readonly Origin[] },
): Promise<Result<SearchAnswer>> {
  const { order, terms } = reading
  let refused: Result<never> | undefined
  for (const { backup, position, startedAt } of origins) {
    const planned = await planReplay({ directory: order.logs, terms, position, startedAt, target })
    if (!planned.ok) {
      refused ??= planned
      continue
    }
    const undone = await sumUndone(reading, planned.value)
    if (!undone.ok) return undone
    const { last, next, left } = planned.value
    const named = { ...(last ? { last } : {}), ...(next ? { next } : {}) }
    const { lastAt = last?.at ?? 0 } = undone.value
    const at = { backup, position: planned.value.position, left, undone: undone.value, stored: rangeOf(terms, lastAt) }
    return ok({ type: 'point', point: { ...at, ...named } })
  }
  return refused ?? fail('no-recovery', 'there is no backup whose position is known')
}

/** Behind the place at which the replay ends: the rest of its term, then what later terms have beyond it. */
async function sumUndone(reading: Reading, { segments }: ReplayPlan): Promise<Result<Undone>> {
  const { terms } = reading
  const cut = segments.at(-1)
  const index = terms.findIndex(({ id }) => id === cut?.term)
  const term = terms[index]
  if (!cut || !term) return ok(nothingUndone)
  let sum = nothingUndone
  const first = term.files.findIndex(({ name }) => name === cut.files.at(-1)?.name)
  const add = (known: GtidSet, flavour: Term['flavour']) => (transaction: LogTransaction) => {
    const { gtid = '', committed } = transaction
    const isKnown = gtid !== '' && contains(known, oneOf(flavour, gtid))
    if (committed && !isKnown) sum = addUndone(sum, transaction)
    return true
  }
  for (const [position, file] of term.files.slice(first).entries()) {
    const place = { term, file, from: position === 0 ? cut.to : 4 }
    const read = await readFrom(reading, place, add(noTransactions, term.flavour))
    if (!read.ok) return read
  }
  let known = transactionsOf(term)
  for (const later of terms.slice(index + 1)) {
    // Its GTIDs may be those of other transactions.
    if (later.apart) known = noTransactions
    for (const file of later.files) {
      const read = await readFrom(reading, { term: later, file, from: 4 }, add(known, later.flavour))
      if (!read.ok) return read
    }
  }
  return ok(sum)
}

interface Place {
  readonly term: Term
  readonly file: StoredFile
  /** Offset of the first event to read. */
  readonly from: number
}

/** `false` of the callback ends the reading of this file. */
async function readFrom(
  { order, run }: Reading,
  { term, file, from }: Place,
  take: (transaction: LogTransaction) => boolean,
): Promise<Result<void>> {
  const local = await unpack(pathOf(order.logs, term, file), path.join(order.scratch, `${term.id}-${file.name}`))
  const reading = readLog({
    flavour: term.flavour,
    program: [order.binlogTool],
    files: [local],
    options: [...(from > 4 ? [`--start-position=${from}`] : []), ...(await endOf(local, { term, file }))],
    signal: run.signal,
  })
  let ended = false
  for await (const transaction of groupTransactions(counted(reading.events), Number.MAX_SAFE_INTEGER)) {
    // The name of the unpacked file is not that of the server.
    if (take({ ...transaction, file: file.name })) continue
    ended = true
    break
  }
  await rm(local, { force: true })
  const done = await reading.done
  return ended && !run.signal.aborted ? ok(undefined) : done
}

/** The end of a file that is still written may lie within an event. */
async function endOf(local: string, { term, file }: Pick<Place, 'term' | 'file'>): Promise<readonly string[]> {
  if (file.closed) return []
  const { settled } = await scanFile(local, term.flavour)
  return [`--stop-position=${Math.max(4, settled)}`]
}

const bare: ChangedRow = {}

/** Rows are counted here: what they hold would fill the memory with a large transaction. */
async function* counted(events: AsyncIterable<LogEvent>): AsyncGenerator<LogEvent> {
  for await (const event of events)
    yield event.rows.length === 0 ? event : { ...event, rows: new Array<ChangedRow>(event.rows.length).fill(bare) }
}

/** The index of a file that is still written is behind what was read of it: until `seen`. */
function rangeOf(terms: readonly Term[], seen: number): StoredRange {
  const files = terms.flatMap((term) => term.files)
  const times = [seen, ...files.flatMap(({ firstAt, lastAt }) => [firstAt, lastAt])].filter((at) => at > 0)
  return times.length === 0 ? {} : { from: Math.min(...times), to: Math.max(...times) }
}
