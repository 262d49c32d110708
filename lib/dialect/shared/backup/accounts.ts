// Accounts and roles of a server as statements that create them elsewhere.
import type { Flavour } from '../../../model/server/version.js'
import { quoteIdentifier } from '../../statement/quote.js'

export interface Account {
  readonly user: string
  /** Empty for a role of MariaDB. */
  readonly host: string
  /** Of MariaDB; a role of MySQL is an account. */
  readonly role: boolean
}

/** All but PUBLIC, which every server has. */
export const listAccounts = (flavour: Flavour): string =>
  flavour === 'mariadb'
    ? "SELECT User AS user, Host AS host, is_role = 'Y' AS role FROM mysql.user WHERE User <> 'PUBLIC'"
    : 'SELECT User AS user, Host AS host, 0 AS role FROM mysql.user'

export const accountText = ({ user, host, role }: Account): string =>
  role ? named(user) : `${named(user)}@${named(host)}`

/** Answers one row with the statement that creates it. */
export function createAccount(flavour: Flavour, account: Account): readonly string[] {
  if (account.role) return [`SELECT 'CREATE ROLE ${accountText(account).replaceAll("'", "''")}'`]
  // A hash of caching_sha2_password has bytes that are no text.
  const hex = flavour === 'mariadb' ? [] : ['SET SESSION print_identified_with_as_hex = ON']
  return [...hex, `SHOW CREATE USER ${accountText(account)}`]
}

/** Answers its privileges and roles, one statement a row. */
export const grantsOf = (account: Account): string => `SHOW GRANTS FOR ${accountText(account)}`

/** An anonymous account has no name. */
const named = (name: string): string => (name === '' ? '``' : quoteIdentifier(name))
