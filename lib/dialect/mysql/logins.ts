// Authentication of MySQL accounts: each may retain its old password in addition to a new one (8.0.14+).
// https://dev.mysql.com/doc/refman/8.4/en/password-management.html#dual-passwords
import { fail, ok, type Result } from '../../base/result.js'
import type { PasswordChange } from '../../model/operation/rotation.js'
import type { DatabaseAccount } from '../../model/server/database-account.js'
import type { AccountsFit, Capabilities } from '../shared/dialect/dialect.js'
import { quoteIdentifier } from '../statement/quote.js'
import { flagIn, textIn } from '../statement/rows.js'
import type { Rows, Statement } from '../statement/statement.js'
import { option } from './names.js'

const plugins = ['caching_sha2_password', 'mysql_native_password', 'sha256_password']

/** SQL: who acts in this session: its account, and each role that is active in it. */
const ACTING =
  "WITH RECURSIVE held (u, h) AS (SELECT User, Host FROM mysql.user WHERE FIND_IN_SET(CONCAT('`', User, '`@`', Host, '`'), " +
  'CURRENT_ROLE()) UNION SELECT FROM_USER, FROM_HOST FROM mysql.role_edges JOIN held ON TO_USER = u AND TO_HOST = h) ' +
  "SELECT u, h FROM held UNION SELECT User, Host FROM mysql.user WHERE CONCAT(User, '@', Host) = CURRENT_USER()"

const hasSystemUser = (rows: string): string => `EXISTS (SELECT 1 FROM ${rows} PRIV = 'SYSTEM_USER')`

/**
 * Columns user, host, plugin, second (1: two passwords are valid), guarded (1: it has SYSTEM_USER; one that has it by a role
 * is changed by everyone that may change accounts, verified with 9.7), session (the account that
 * reads this, `user@host`), may (1: so has that one, itself or by a role that is active). What has SYSTEM_USER is changed only by what has it, too:
 * https://dev.mysql.com/doc/refman/8.4/en/account-categories.html
 */
export const accounts = (user: string): Statement => ({
  sql:
    "SELECT User AS user, Host AS host, plugin, User_attributes->'$.additional_password' IS NOT NULL AS second, " +
    `${hasSystemUser('mysql.global_grants WHERE USER = account.User AND HOST = account.Host AND')} AS guarded, ` +
    `CURRENT_USER() AS session, ` +
    `${hasSystemUser(`(${ACTING}) AS acting JOIN mysql.global_grants ON USER = u AND HOST = h WHERE`)} AS may ` +
    'FROM mysql.user AS account WHERE User = ? ORDER BY Host',
  values: [user],
})

/** All accounts: rows for `readAccounts`. A role is a locked account. */
export const everyAccount = (): Statement => ({
  sql:
    'SELECT User AS user, Host AS host, plugin, authentication_string AS text, ssl_type AS tls, ' +
    'account_locked AS locked FROM mysql.user ORDER BY User, Host',
  values: [],
})

/** By the first password of each: a second one is about to be discarded. */
export const readAccounts = (rows: Rows): readonly DatabaseAccount[] =>
  rows.map((row) => ({
    ...{ user: textIn(row, 'user'), host: textIn(row, 'host') },
    ways: [{ plugin: textIn(row, 'plugin'), text: textIn(row, 'text') }],
    tls: tlsOf(textIn(row, 'tls')),
    // Y or N.
    locked: textIn(row, 'locked') === 'Y',
  }))

function tlsOf(type: string): DatabaseAccount['tls'] {
  if (type === '') return 'none'
  return type === 'ANY' ? 'any' : 'certificate'
}

/**
 * Failure `unsupported`: no account of the name has a password, several have (which of them the password matches cannot
 * be determined from their salted hashes), or the server does not support two. `wrong-state`, with the GRANT: the account
 * has SYSTEM_USER, and that of the session has not.
 */
export function judgeAccounts(capabilities: Capabilities, rows: Rows, { user }: PasswordChange): Result<AccountsFit> {
  if (!capabilities.secondPassword) return fail('unsupported', 'an account has one password only before MySQL 8.0.14')
  const own = owned(rows)
  const [one] = own
  if (!one) return fail('unsupported', `no account of ${user} logs in by a password`)
  const hosts = own.map((row) => textIn(row, 'host')).join(', ')
  if (own.length > 1) return fail('unsupported', `${user} has several accounts, from ${hosts}: keep one`)
  if (flagIn(one, 'guarded') && !flagIn(one, 'may')) {
    const name = accountName(`${user}@${hosts}`)
    const grant = `GRANT SYSTEM_USER ON *.* TO ${accountName(textIn(one, 'session'))};`
    return fail(
      'wrong-state',
      `${name} has SYSTEM_USER, so the account of the manager must have it, too; run on the primary: ${grant}`,
    )
  }
  return ok(hasSecond(one) ? { second: `${user}@${hosts} has two passwords already` } : {})
}

/** The new password becomes the primary one, the old one is retained. */
export const admitPassword = (rows: Rows, { to }: PasswordChange): readonly Statement[] =>
  owned(rows)
    .filter((row) => !hasSecond(row))
    .map((row) => ({
      sql: 'ALTER USER IF EXISTS ?@? IDENTIFIED WITH ? BY ? RETAIN CURRENT PASSWORD',
      values: [textIn(row, 'user'), textIn(row, 'host'), textIn(row, 'plugin'), to],
    }))

/** Discards the old password; when reverting, the old one becomes the primary one first, so that the new one is discarded. */
export const dropPassword = (rows: Rows, { to, back }: PasswordChange): readonly Statement[] =>
  owned(rows)
    .filter(hasSecond)
    .flatMap((row) => {
      const account = [textIn(row, 'user'), textIn(row, 'host')]
      return [
        ...(back
          ? [
              {
                sql: 'ALTER USER IF EXISTS ?@? IDENTIFIED WITH ? BY ?',
                values: [...account, textIn(row, 'plugin'), to],
              },
            ]
          : []),
        { sql: 'ALTER USER IF EXISTS ?@? DISCARD OLD PASSWORD', values: account },
      ]
    })

/** Only the password changes. The receiver of the channel must be stopped. */
export const renewLogin = (capabilities: Capabilities, channel: string, password: string): readonly Statement[] => {
  const change = capabilities.changeSource ? 'CHANGE REPLICATION SOURCE TO' : 'CHANGE MASTER TO'
  return [
    { sql: `${change} ${option(capabilities, 'SOURCE_PASSWORD')} = ? FOR CHANNEL ?`, values: [password, channel] },
  ]
}

/** `user@host` as GRANT takes it. */
const accountName = (text: string): string => {
  const at = text.lastIndexOf('@')
  return `${quoteIdentifier(text.slice(0, at))}@${quoteIdentifier(text.slice(at + 1))}`
}

const owned = (rows: Rows): Rows => rows.filter((row) => plugins.includes(textIn(row, 'plugin')))

const hasSecond = (row: Rows[number]): boolean => flagIn(row, 'second')
