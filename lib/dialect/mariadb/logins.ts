// Authentication of MariaDB accounts, and statements that make an old and a new password valid at the same time: an account
// may have several authentication methods, two passwords included. https://mariadb.com/kb/en/alter-user/ (10.4+)
import { fail, ok, type Result } from '../../base/result.js'
import type { PasswordChange } from '../../model/operation/rotation.js'
import type { DatabaseAccount, LoginWay } from '../../model/server/database-account.js'
import type { AccountsFit } from '../shared/dialect/dialect.js'
import { nativePassword } from '../statement/native-password.js'
import { textIn } from '../statement/rows.js'
import type { Rows, Statement } from '../statement/statement.js'

const PLUGIN = 'mysql_native_password'

/** Columns user, host, priv (JSON). Names differ by case. */
export const accounts = (user: string): Statement => ({
  sql: 'SELECT User AS user, Host AS host, Priv AS priv FROM mysql.global_priv WHERE User = BINARY ? ORDER BY Host',
  values: [user],
})

/** All accounts: rows for `readAccounts`. */
export const everyAccount = (): Statement => ({
  sql: 'SELECT User AS user, Host AS host, Priv AS priv FROM mysql.global_priv ORDER BY User, Host',
  values: [],
})

/** Without roles, which cannot log in. */
export const readAccounts = (rows: Rows): readonly DatabaseAccount[] => parse(rows)

/** Failure `unsupported`: the password is not valid for any account of the name. */
export function judgeAccounts(rows: Rows, change: PasswordChange): Result<AccountsFit> {
  const all = parse(rows)
  if (owned(all, change).length > 0) return ok({})
  const found = all.map(({ host, ways }) => `${host} (${ways.map(({ plugin }) => plugin).join(', ')})`).join(', ')
  const which = found === '' ? 'there is no account of this name' : `accounts of this name: ${found}`
  return fail('unsupported', `no account of ${change.user} is opened by its password with ${PLUGIN}; ${which}`)
}

/**
 * Makes both passwords valid for every account that accepts one of them; nothing for an account that accepts both. Others that
 * an earlier rotation left remain until they are dropped: replicas may use them.
 */
export const admitPassword = (rows: Rows, change: PasswordChange): readonly Statement[] => {
  const [from, to] = [native(change.from), native(change.to)]
  return owned(parse(rows), change)
    .filter(({ ways }) => !holds(ways, from) || !holds(ways, to))
    .map((account) =>
      alter(account, [to, from, ...account.ways.filter((way) => isNative(way) && !holds([from, to], way))]),
    )
}

/** Removes every other password from accounts that accept the new one. */
export const dropPassword = (rows: Rows, change: PasswordChange): readonly Statement[] => {
  const to = native(change.to)
  return owned(parse(rows), change)
    .filter(({ ways }) => ways.filter(isNative).length > 1 || !holds(ways, to))
    .map((account) => alter(account, [to]))
}

/** The statement holds the hash: no log, binary log included, contains the password. */
function alter({ user, host, ways }: DatabaseAccount, passwords: readonly LoginWay[]): Statement {
  const all = [...ways.filter((way) => !isNative(way)), ...passwords]
  const list = all.map(({ text }) => (text === '' ? 'VIA_PLUGIN' : 'VIA_PLUGIN USING ?')).join(' OR ')
  const names = all.map(({ plugin }) => plugin)
  const sql = list.replaceAll('VIA_PLUGIN', () => pluginName(names.shift() ?? PLUGIN))
  return {
    sql: `ALTER USER IF EXISTS ?@? IDENTIFIED VIA ${sql}`,
    values: [user, host, ...all.flatMap(({ text }) => (text === '' ? [] : [text]))],
  }
}

/** Plugins are named by identifiers, never by values. */
const pluginName = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/** Only the password changes. The threads of the channel must be stopped. */
export const renewLogin = (channel: string, password: string): readonly Statement[] => [
  { sql: 'CHANGE MASTER ? TO MASTER_PASSWORD = ?', values: [channel, password] },
]

const isNative = ({ plugin }: LoginWay): boolean => plugin === PLUGIN

const holds = (ways: readonly LoginWay[], way: LoginWay): boolean =>
  ways.some(({ plugin, text }) => plugin === way.plugin && text.toUpperCase() === way.text)

/** Accounts that accept one of the two passwords: others of the same name belong to other users. */
const owned = (all: readonly DatabaseAccount[], { from, to }: PasswordChange): readonly DatabaseAccount[] =>
  all.filter(({ ways }) => holds(ways, native(from)) || holds(ways, native(to)))

const native = (password: string): LoginWay => ({
  plugin: PLUGIN,
  text: password === '' ? '' : nativePassword(password),
})

function parse(rows: Rows): readonly DatabaseAccount[] {
  return rows.flatMap((row) => {
    const priv = JSON.parse(textIn(row, 'priv') || '{}') as Privileges
    if (priv.is_role) return []
    const own = { plugin: priv.plugin || PLUGIN, text: priv.authentication_string ?? '' }
    // An empty object means the account's own method.
    const ways = (priv.auth_or ?? [{}]).map((each) =>
      each.plugin === undefined ? own : { plugin: each.plugin, text: each.authentication_string ?? '' },
    )
    const locked = priv.account_locked === true
    return [{ user: textIn(row, 'user'), host: textIn(row, 'host'), ways, tls: tlsOf(priv.ssl_type), locked }]
  })
}

interface Credentials {
  readonly plugin?: string
  readonly authentication_string?: string
}

interface Privileges extends Credentials {
  readonly is_role?: boolean
  readonly auth_or?: readonly Credentials[]
  readonly account_locked?: boolean
  /** 0 none, 1 any, 2 X509, 3 a specific certificate: enum SSL_type of include/violite.h. */
  readonly ssl_type?: number
}

function tlsOf(type = 0): DatabaseAccount['tls'] {
  if (type < 1) return 'none'
  return type === 1 ? 'any' : 'certificate'
}
