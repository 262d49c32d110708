// Adds the users of the databases to ProxySQL: each logs in with the password that the databases store.
// https://proxysql.com/documentation/users-management/mysql-authentication
import { fail, ok, type Result } from '../../base/result.js'
import { nativePassword } from '../../dialect/index.js'
import { compareVersions, parseVersion as parseNumbers } from '../../model/server/version.js'
import type { ProxyFilling, ProxyTrouble } from '../kit/index.js'
import { type HashKind, type ProxyUser, proxyUsers } from '../kit/users.js'
import { type Groups, literal } from './changes.js'
import { parseUser, parseVersion, selectUsers, selectVersion, type UserRow } from './tables.js'
import { type Ask, execute } from './wire.js'

/** In the comment of a row that the manager created, so that it removes none of an operator. */
export const FILLED = '[filled by the manager]'

export interface UserFilling extends ProxyFilling {
  readonly groups: Groups
  readonly save: boolean
}

/** Since this version clients log in with the stored hash of `caching_sha2_password`. */
const SHA2_SINCE = { major: 2, minor: 6, patch: 0 }

/** Problems of single users; a failure where nothing was done: `proxy-failed`. */
export async function fillUsers(ask: Ask, filling: UserFilling): Promise<Result<readonly ProxyTrouble[]>> {
  if (filling.accounts.length === 0) return fail('proxy-failed', 'the databases show no account')
  const version = await ask(selectVersion)
  if (!version.ok) return version
  const present = await usersOf(ask, 'mysql_users')
  if (!present.ok) return present
  const runtime = await usersOf(ask, 'runtime_mysql_users')
  if (!runtime.ok) return runtime
  const users = proxyUsers(filling.accounts, kindsOf(parseVersion(version.value)))
  const plan = planUsers(users, present.value, filling)
  if (plan.statements.length === 0 && unlike(plan, runtime.value, filling).length === 0) return ok(plan.troubles)
  // Saved first: a manager that is killed between the two finds that the load is missing.
  const save = filling.save ? ['SAVE MYSQL USERS TO DISK'] : []
  const executed = await execute(ask, [...plan.statements, ...save, 'LOAD MYSQL USERS TO RUNTIME'])
  if (!executed.ok) return executed
  const after = await usersOf(ask, 'runtime_mysql_users')
  return after.ok ? ok([...plan.troubles, ...unlike(plan, after.value, filling)]) : after
}

const kindsOf = (version: string): readonly HashKind[] =>
  compareVersions(parseNumbers(version), SHA2_SINCE) >= 0 ? ['native', 'caching-sha2'] : ['native']

async function usersOf(ask: Ask, table: 'mysql_users' | 'runtime_mysql_users'): Promise<Result<readonly UserRow[]>> {
  const rows = await ask(selectUsers(table))
  return rows.ok ? ok(rows.value.map(parseUser)) : rows
}

type FitUser = Extract<ProxyUser, { readonly outcome: 'fit' }>

interface UserPlan {
  readonly statements: readonly string[]
  /** Rows that must be in force as they are. */
  readonly wanted: readonly { readonly name: string; readonly password: string }[]
  /** Names that have a row afterwards. */
  readonly stay: readonly string[]
  readonly troubles: readonly ProxyTrouble[]
}

/** What is done for one user. */
type Step = Partial<Omit<UserPlan, 'stay'>> & { readonly gone?: readonly string[] }

function planUsers(users: readonly ProxyUser[], rows: readonly UserRow[], filling: UserFilling): UserPlan {
  const names = new Set(users.map(({ name }) => name))
  const strangers = rows.filter((row) => isFilled(row, filling) && !names.has(row.name))
  const steps = [
    removed(strangers),
    ...users.map((user): Step => {
      const held = rows.filter(({ name }) => name === user.name)
      return user.outcome === 'fit' ? align(user, held, filling) : leave(user, held, filling)
    }),
  ]
  const wanted = steps.flatMap((step) => step.wanted ?? [])
  const gone = new Set(steps.flatMap((step) => step.gone ?? []))
  return {
    statements: steps.flatMap(({ statements = [] }) => statements),
    wanted,
    stay: [...rows, ...wanted].map(({ name }) => name).filter((name) => !gone.has(name)),
    troubles: steps.flatMap(({ troubles = [] }) => troubles),
  }
}

const removed = (rows: readonly UserRow[]): Step => ({
  statements: rows.map(
    ({ name, comment }) => `DELETE FROM mysql_users WHERE username=${literal(name)} AND comment=${literal(comment)}`,
  ),
  gone: rows.map(({ name }) => name),
})

/**
 * A row of an operator keeps everything except a password that is not the user's. A pair of rows (one for clients, one for
 * databases) and a disabled row are intentional; rows of other groups are not changed.
 */
function align(user: FitUser, held: readonly UserRow[], filling: UserFilling): Step {
  const { name, hashes } = user
  const [row, pair] = held
  const [hash = ''] = hashes
  if (!row) return filling.own.includes(name) ? {} : inserted(user, hash, filling)
  if (pair || !row.active) return {}
  const fits = hashes.some((each) => kept(each) === kept(row.password)) || !mayJudge(row.password, hash)
  if (!isOurs(row, filling)) {
    const detail = `${name} is configured there for group ${row.group} with another password`
    return fits ? {} : { troubles: [{ code: 'ERR00054', detail }] }
  }
  const password = fits ? row.password : hash
  const tls = isFilled(row, filling) ? Number(user.tls) : row.tls
  const wanted = [{ name, password }]
  if (fits && tls === row.tls) return { wanted }
  const sql = `UPDATE mysql_users SET password=${literal(password)}, use_ssl=${tls} WHERE username=${literal(name)}`
  return { statements: [sql], wanted }
}

const inserted = ({ name, tls }: FitUser, password: string, { groups }: UserFilling): Step => ({
  statements: [
    'INSERT INTO mysql_users (username, password, use_ssl, default_hostgroup, comment) ' +
      `VALUES (${[name, password, Number(tls), groups.writer, FILLED].map(literal).join(', ')})`,
  ],
  wanted: [{ name, password }],
})

/** A user that ProxySQL cannot authenticate with what the databases store; a row of an operator possibly can. */
function leave(
  { name, outcome, reason }: Exclude<ProxyUser, FitUser>,
  held: readonly UserRow[],
  filling: UserFilling,
): Step {
  const filled = held.filter((row) => isFilled(row, filling))
  const step = outcome === 'unfit' ? removed(filled) : {}
  if (filling.own.includes(name) || held.length > filled.length) return step
  return { ...step, troubles: [{ code: outcome === 'unfit' ? 'ERR00054' : 'ERR00057', detail: reason }] }
}

/** What differs in ProxySQL: at run time a user has a row for clients and one for databases. */
function unlike(
  { wanted, stay }: UserPlan,
  runtime: readonly UserRow[],
  filling: UserFilling,
): readonly ProxyTrouble[] {
  const clients = new Map(runtime.filter(({ frontend }) => frontend).map((row) => [row.name, row]))
  const missing = wanted.filter(({ name, password }) => {
    const row = clients.get(name)
    return row === undefined || kept(row.password) !== kept(password)
  })
  const names = new Set(stay)
  const extra = [...clients.values()].filter((row) => isFilled(row, filling) && !names.has(row.name))
  return [
    ...missing.map(({ name }) => ({
      code: 'ERR00054' as const,
      detail: `${name} was configured there, but the proxy refuses its login`,
    })),
    ...extra.map(({ name }) => ({ code: 'ERR00054' as const, detail: `${name} was removed but can still log in` })),
  ]
}

const isOurs = ({ group }: UserRow, { groups: { writer, reader } }: UserFilling): boolean =>
  group === writer || group === reader

const isFilled = (row: UserRow, filling: UserFilling): boolean => isOurs(row, filling) && row.comment.includes(FILLED)

/** ProxySQL detects a hash by its prefix. https://proxysql.com/documentation/password-management */
const isNative = (password: string): boolean => password.startsWith('*')
const isSha2 = (password: string): boolean => password.startsWith('$A$')

/** A password in clear text is hashed when it is loaded, by `admin-hash_passwords`. */
function kept(password: string): string {
  if (isSha2(password)) return password
  return isNative(password) ? password.toUpperCase() : nativePassword(password)
}

/** A password in clear text cannot be compared with a salted hash. */
const mayJudge = (password: string, hash: string): boolean => isNative(hash) || isNative(password) || isSha2(password)
