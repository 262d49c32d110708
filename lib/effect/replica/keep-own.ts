// For a former primary that lost transactions of its own: its receiver takes them from the source for once. MariaDB drops events
// with its own server_id, unless gtid_strict_mode and the replica side of semi-sync are enabled when the receiver starts
// (https://jira.mariadb.org/browse/MDEV-21117).

import { transactions } from '../../base/counted.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import type { Statement } from '../../dialect/index.js'
import { contains, formatSet, type GtidSet, subtract } from '../../model/server/gtid.js'
import type { ServerId } from '../../model/server/server.js'
import type { Run } from '../kit/context.js'
import { execute, readServer } from '../kit/statements.js'

const names = ['gtid_strict_mode', 'rpl_semi_sync_slave_enabled'] as const

const setAll = (values: readonly number[]): readonly Statement[] =>
  names.map((name, index) => ({ sql: `SET GLOBAL ${name} = ?`, values: [values[index] ?? 1] }))

interface Own {
  readonly server: ServerId
  readonly own: GtidSet
  /** It fails when the server committed anything since its start: its GTIDs may name other transactions than the source's. */
  readonly ifUnwritten?: boolean
}

/** Runs `follow` with both enabled, waits until `own` has been applied, and sets them back whatever happens. */
export async function keepOwn<T>(
  run: Run,
  { server, own, ifUnwritten }: Own,
  follow: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const unwritten = ifUnwritten ? await proveUnwritten(run, server) : done
  if (!unwritten.ok) return unwritten
  const sql = `SELECT ${names.map((name) => `@@GLOBAL.${name} + 0 AS ${name}`).join(', ')}`
  const before = await execute(run, { server, statements: [{ sql, values: [] }] })
  if (!before.ok) return before
  const row = before.value[0]?.[0] ?? {}
  const enabled = await execute(run, { server, statements: setAll([1, 1]) })
  if (!enabled.ok) return enabled
  try {
    const followed = await follow()
    const got = followed.ok ? await untilHeld(run, server, own) : followed
    return got.ok ? followed : got
  } finally {
    await execute(run, { server, statements: setAll(names.map((name) => Number(row[name]))), uninterrupted: true })
  }
}

/** Transactions written to the binary log since the start. */
const commits: Statement = { sql: "SHOW GLOBAL STATUS LIKE 'Binlog_commits'", values: [] }

/** The server is closed, so that the counter does not rise any more. */
async function proveUnwritten(run: Run, server: ServerId): Promise<Result<void>> {
  const answer = await execute(run, { server, statements: [commits] })
  if (!answer.ok) return answer
  const count = Number(answer.value[0]?.[0]?.Value ?? Number.NaN)
  if (count === 0) return done
  const what = Number.isNaN(count) ? 'an unknown number of transactions' : transactions(count)
  return fail('step-failed', `it committed ${what} since its start, without those that it lost`)
}

const PAUSE_MS = 100

async function untilHeld(run: Run, server: ServerId, own: GtidSet): Promise<Result<void>> {
  for (;;) {
    const reading = await readServer(run, server)
    if (!reading.ok) return reading
    const { byOrigin } = reading.value.gtid
    if (contains(byOrigin, own)) return ok(undefined)
    if (run.signal.aborted || run.remaining() <= PAUSE_MS)
      return fail('step-failed', `it did not receive its own transactions ${formatSet(subtract(own, byOrigin))}`)
    await sleep(PAUSE_MS, run.signal)
  }
}
