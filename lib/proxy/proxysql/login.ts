// The account with which ProxySQL monitors its servers: its password is changed while the old one is still valid.
// https://proxysql.com/documentation/global-variables/mysql-variables/#mysql-monitor_password
import { done, fail, ok, type Result } from '../../base/result.js'
import type { ProxyLogin } from '../kit/index.js'
import { literal } from './changes.js'
import { type Ask, execute } from './wire.js'

const USER = 'mysql-monitor_username'
const PASSWORD = 'mysql-monitor_password'
/** What its next start reads. https://proxysql.com/documentation/the-admin-schemas/ */
const DISK = 'disk.global_variables'

export interface MonitorRenewal {
  /** Of the proxy, as messages give it. */
  readonly name: string
  readonly logins: readonly ProxyLogin[]
  /** All its variables are saved to its disk (`proxysql-save-to-disk`); otherwise this password only. */
  readonly save: boolean
}

/**
 * Loaded only where it is not in force yet: a load also applies whatever else an operator prepared. The old password is not
 * valid any more at the end of a rotation, so its disk gets the new one in either case, each time: a manager may have been
 * killed between the two. A ProxySQL that monitors with a separate account is not changed. Failure: `proxy-failed`.
 */
export async function renewMonitor(ask: Ask, { name, logins, save }: MonitorRenewal): Promise<Result<void>> {
  const before = await monitorOf(ask, 'runtime_global_variables')
  if (!before.ok) return before
  const login = logins.find(({ user }) => user === before.value.user)
  if (!login) return done
  const kept = await monitorOf(ask, 'global_variables')
  if (!kept.ok) return kept
  const isNew = before.value.password === login.password && kept.value.password === login.password
  const loaded = isNew ? done : await load(ask, login.password)
  if (!loaded.ok) return loaded
  const after = await monitorOf(ask, 'runtime_global_variables')
  if (!after.ok) return after
  if (after.value.user !== login.user || after.value.password !== login.password)
    return fail('proxy-failed', `${name}: ${PASSWORD} was changed but has another value`)
  return save ? execute(ask, ['SAVE MYSQL VARIABLES TO DISK']) : keep(ask, name, login)
}

/**
 * Writes one row of its disk: what else an operator prepared or did not save stays as it is. A disk without the account has
 * never been saved to, or starts it with a separate account.
 */
async function keep(ask: Ask, name: string, login: ProxyLogin): Promise<Result<void>> {
  const before = await monitorOf(ask, DISK)
  if (!before.ok) return before
  if (before.value.user !== login.user || before.value.password === login.password) return done
  const written = await execute(ask, [setPassword(DISK, login.password)])
  if (!written.ok) return written
  const after = await monitorOf(ask, DISK)
  if (!after.ok || after.value.password === login.password) return after.ok ? done : after
  return fail('proxy-failed', `${name}: ${PASSWORD} was saved to its disk but has another value there`)
}

const load = (ask: Ask, password: string): Promise<Result<void>> =>
  execute(ask, [setPassword('global_variables', password), 'LOAD MYSQL VARIABLES TO RUNTIME'])

const setPassword = (table: string, password: string): string =>
  `UPDATE ${table} SET variable_value=${literal(password)} WHERE variable_name=${literal(PASSWORD)}`

async function monitorOf(
  ask: Ask,
  table: 'global_variables' | 'runtime_global_variables' | typeof DISK,
): Promise<Result<{ readonly user: string; readonly password: string }>> {
  const rows = await ask(
    `SELECT variable_name, variable_value FROM ${table} WHERE variable_name='${USER}' OR variable_name='${PASSWORD}'`,
  )
  if (!rows.ok) return rows
  const cellOf = (name: string) => String(rows.value.find((row) => row.variable_name === name)?.variable_value ?? '')
  return ok({ user: cellOf(USER), password: cellOf(PASSWORD) })
}
