// The accounts of a restored server on a new one that has only those it was created with.
import { counted } from '../../base/counted.js'
import { done, type Result } from '../../base/result.js'
import { MINUTE } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'
import {
  type Account,
  accountText,
  createAccount,
  grantsOf,
  listAccounts,
} from '../../dialect/shared/backup/accounts.js'
import { textIn } from '../../dialect/statement/rows.js'
import type { Flavour } from '../../model/server/version.js'
import type { RestoreRun } from './replay.js'

interface Servers {
  readonly from: SqlSession
  /** Its session writes nothing to the binary log. */
  readonly onto: SqlSession
  readonly flavour: Flavour
  /** Of the scratch server itself. */
  readonly own: string
}

/**
 * Accounts and roles that `onto` does not have, with their passwords and privileges; those that it has stay as they are. One that the server
 * refuses is a line of the log. Failures: those of a statement that reads.
 */
export async function copyAccounts({ from, onto, flavour, own }: Servers, { log }: RestoreRun): Promise<Result<void>> {
  const [theirs, ours] = [await read(from, flavour), await read(onto, flavour)]
  if (!theirs.ok) return theirs
  if (!ours.ok) return ours
  const known = new Set(ours.value.map(accountText))
  const missing = theirs.value.filter((account) => account.user !== own && !known.has(accountText(account)))
  const refused: string[] = []
  const run = async (account: Account, statements: Result<readonly string[]>) => {
    if (!statements.ok) refused.push(`${accountText(account)}: ${statements.failure.message}`)
    for (const sql of statements.ok ? statements.value : []) {
      const ran = await onto.run(sql, [], MINUTE)
      if (!ran.ok) refused.push(`${accountText(account)}: ${ran.failure.message}`)
    }
  }
  // Roles first; privileges when all that they are granted to, and may be roles, exist.
  const ordered = missing.toSorted((a, b) => Number(b.role) - Number(a.role))
  for (const account of ordered) await run(account, await texts(from, createAccount(flavour, account)))
  for (const account of ordered) await run(account, await texts(from, [grantsOf(account)]))
  const names = ordered.map(accountText).join(', ')
  if (ordered.length > 0) log(`${counted(ordered.length, 'account')} of the backup created: ${names}`)
  for (const reason of refused) log(`not as in the backup: ${reason}`)
  return done
}

async function read(session: SqlSession, flavour: Flavour): Promise<Result<readonly Account[]>> {
  const listed = await session.run(listAccounts(flavour), [], MINUTE)
  if (!listed.ok) return listed
  return {
    ok: true,
    value: (listed.value[0] ?? []).map((row) => ({
      ...{ user: textIn(row, 'user'), host: textIn(row, 'host'), role: Number(row.role) === 1 },
    })),
  }
}

/** The statements that the last of these answers, one a row. */
async function texts(session: SqlSession, statements: readonly string[]): Promise<Result<readonly string[]>> {
  let rows: readonly string[] = []
  for (const sql of statements) {
    const ran = await session.run(sql, [], MINUTE)
    if (!ran.ok) return ran
    rows = (ran.value[0] ?? []).map((row) => String(Object.values(row)[0] ?? ''))
  }
  return { ok: true, value: rows.filter((text) => text !== '') }
}
