// The accounts of a new server as statements for an init file, with one statement per line.

export interface NewAccount {
  readonly user: string
  readonly password: string
  /** Hosts it may come from; `%` for all. */
  readonly hosts: readonly string[]
}

/**
 * Statements that create the manager's account and the replication account. They are kept out of the binary log, so
 * that all servers of a new cluster start with an empty GTID state.
 */
export function createAccounts(accounts: { readonly monitor: NewAccount; readonly replication: NewAccount }): string[] {
  const { monitor, replication } = accounts
  // One user for both purposes gets the larger grants.
  const own = replication.user === monitor.user ? [] : grant(replication, 'REPLICATION SLAVE', '')
  return ['SET SESSION sql_log_bin = 0;', ...own, ...grant(monitor, 'ALL PRIVILEGES', ' WITH GRANT OPTION')]
}

const grant = ({ user, password, hosts }: NewAccount, privileges: string, suffix: string): string[] =>
  hosts.flatMap((host) => {
    const account = `${quoteText(user)}@${quoteText(host)}`
    return [
      // Both flavours take these two; replacing an account at once is a statement of MariaDB only.
      `CREATE USER IF NOT EXISTS ${account};`,
      `ALTER USER ${account} IDENTIFIED BY ${quoteText(password)};`,
      `GRANT ${privileges} ON *.* TO ${account}${suffix};`,
    ]
  })

/** A text literal on one line: an init file is read line by line. */
const quoteText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\0', '\\0')}'`
