// Gives the rows of a replica that were found to differ the values of the primary, in small transactions, each checked before it is kept.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { conditionOfKeys } from '../../decide/checksum/range.js'
import { judgeRows, type RowRepair } from '../../decide/checksum/repair.js'
import {
  countTriggers,
  deleteRows,
  parseCount,
  parseRowValues,
  type RowValues,
  readRows,
  repairSession,
  replaceRow,
} from '../../dialect/checksum/repair.js'
import { grantLines, hiddenFrom, ownGrants, type Rows, type Statement } from '../../dialect/index.js'
import type { KeyValues, TableKey, TableName, TableShape } from '../../model/checksum/checksum.js'
import { meet } from './compare-chunk.js'
import type { Peer } from './peer.js'

/** Rows of one transaction. */
const BATCH_ROWS = 50
/** How long the repair waits for a lock on the replica, seconds: its applier may hold it, and waits for the repair as long. */
const LOCK_SECONDS = 2
const ANSWER_MS = 15 * SECOND

export interface RepairRun {
  readonly primary: Peer
  readonly replica: Peer
  readonly keys: readonly KeyValues[]
  /** Failure: nothing more is changed. */
  readonly mayGoOn: () => Result<void>
  readonly log: (line: string) => void
}

export interface RepairOutcome {
  readonly repaired: number
  /** They were equal by then. */
  readonly equal: number
  /** They changed on the primary meanwhile, and were left alone. */
  readonly left: number
}

/** Why a table cannot be repaired on a replica; undefined: it can. */
export async function whyUnfit(
  { primary, replica }: Pick<RepairRun, 'primary' | 'replica'>,
  name: TableName,
): Promise<Result<string | TableShape>> {
  const shape = await primary.shapeOf(name)
  if (!shape.ok) return shape
  const own = await replica.shapeOf(name)
  if (!own.ok) return own
  if (!shape.value || !own.value) return ok('the table is missing on one of the servers')
  if (shape.value.definition !== own.value.definition) return ok('the columns of the table differ')
  if (!shape.value.key) return ok('the table has no unique key that identifies its rows')
  if (!own.value.transactional)
    return ok('its storage engine has no transactions: a row cannot be checked before it is kept')
  const triggers = await replica.ask(countTriggers(name))
  if (!triggers.ok) return triggers
  const grants = await replica.ask(ownGrants)
  if (!grants.ok) return grants
  const hidden = hiddenFrom('triggers', grantLines(grants.value))
  if (hidden !== undefined) return ok(hidden)
  return ok(parseCount(triggers.value) > 0 ? 'triggers of the table would fire on the replica' : shape.value)
}

/**
 * Repairs the rows of these keys. Failures: those of the sessions and of `mayGoOn`; `step-failed`: a row would not have become
 * equal, and its transaction was undone. What was committed before stays, and is right.
 */
export async function repairRows(name: TableName, run: RepairRun): Promise<Result<RepairOutcome>> {
  const fit = await whyUnfit(run, name)
  if (!fit.ok) return fit
  if (typeof fit.value === 'string') return fail('wrong-state', fit.value)
  const shape = fit.value
  const { key } = shape
  if (!key) return fail('wrong-state', 'the table has no unique key that identifies its rows')
  const opened = await openSession(run.replica.server.target)
  if (!opened.ok) return opened
  const session = opened.value
  try {
    const prepared = await session.run(repairSession(LOCK_SECONDS), [], ANSWER_MS)
    if (!prepared.ok) return prepared
    let outcome: RepairOutcome = { repaired: 0, equal: 0, left: 0 }
    for (let at = 0; at < run.keys.length; at += BATCH_ROWS) {
      const may = run.mayGoOn()
      if (!may.ok) return may
      const keys = run.keys.slice(at, at + BATCH_ROWS)
      const batch = await repairBatch({ ...run, keys }, { session, shape, key })
      if (!batch.ok) return batch
      outcome = {
        repaired: outcome.repaired + batch.value.repaired,
        equal: outcome.equal + batch.value.equal,
        left: outcome.left + batch.value.left,
      }
      run.log(`${outcome.repaired} rows repaired, ${outcome.equal} equal by now, ${outcome.left} left alone`)
    }
    return ok(outcome)
  } finally {
    // What is not committed is undone by the server.
    session.close()
  }
}

interface Place {
  readonly session: SqlSession
  readonly shape: TableShape
  readonly key: TableKey
}

/**
 * The rows are read on the primary, locked on the replica after it has applied what the primary had, and read on the primary again.
 * A row that is the same in both readings has no change that the replica still has to apply, and while it is locked none arrives.
 */
async function repairBatch(run: RepairRun, place: Place): Promise<Result<RepairOutcome>> {
  const { session, shape, key } = place
  const condition = conditionOfKeys(run.keys)
  const read = async (ask: (statement: Statement) => Promise<Result<Rows>>, locked: boolean) => {
    const rows = await ask(readRows(shape, key, { condition, locked }))
    return rows.ok ? ok(parseRowValues(shape, key, rows.value)) : rows
  }
  const ask = async ({ sql, values }: Statement): Promise<Result<Rows>> => {
    const answer = await session.run(sql, values, ANSWER_MS)
    return answer.ok ? ok(answer.value[0] ?? []) : answer
  }
  const early = await read((statement) => run.primary.ask(statement), false)
  if (!early.ok) return early
  const met = await meet(run)
  if (!met.ok) return met
  const begun = await ask({ sql: 'START TRANSACTION', values: [] })
  if (!begun.ok) return begun
  const own = await read(ask, true)
  if (!own.ok) return own
  const late = await read((statement) => run.primary.ask(statement), false)
  if (!late.ok) return late
  const judged = judgeRows<RowValues>({ before: early.value, replica: own.value, after: late.value })
  const changed = await write(judged.repairs, place, ask)
  if (!changed.ok) return changed
  const written = await read(ask, false)
  if (!written.ok) return written
  const wrong = judgeRows<RowValues>({ before: late.value, replica: written.value, after: late.value }).repairs.filter(
    ({ id }) => judged.repairs.some((repair) => repair.id === id),
  )
  if (wrong.length > 0)
    return fail('step-failed', `the row ${wrong[0]?.id} would not have become equal; its transaction was undone`)
  const may = run.mayGoOn()
  if (!may.ok) return may
  const committed = await ask({ sql: 'COMMIT', values: [] })
  return committed.ok ? ok({ repaired: judged.repairs.length, equal: judged.equal, left: judged.left }) : committed
}

/** What is extra or has other values goes first: by the collation of a key another spelling may be the same one. */
async function write(
  repairs: readonly RowRepair<RowValues>[],
  { shape, key }: Place,
  ask: (statement: Statement) => Promise<Result<Rows>>,
): Promise<Result<void>> {
  const present = repairs.filter(({ present: isPresent }) => isPresent)
  if (present.length > 0) {
    const deleted = await ask(deleteRows(shape, key, conditionOfKeys(present.map((repair) => repair.key))))
    if (!deleted.ok) return deleted
  }
  for (const { row } of repairs) {
    if (!row) continue
    const replaced = await ask(replaceRow(shape, row))
    if (!replaced.ok) return replaced
  }
  return ok(undefined)
}
