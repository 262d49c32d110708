// Statements that take a server out of replication, and give it the history of data that were restored on it.
import { mariadbGtids } from '../../../model/server/gtid.js'
import { compareVersions, type Flavour, parseVersion } from '../../../model/server/version.js'

/** It follows no source from now on. */
export function detachStatements(flavour: Flavour, versionText: string): readonly string[] {
  return flavour !== 'mariadb' && isNewer(versionText, '8.0.22')
    ? ['STOP REPLICA', 'RESET REPLICA ALL']
    : [flavour === 'mariadb' ? 'STOP ALL SLAVES' : 'STOP SLAVE', 'RESET SLAVE ALL']
}

/** It has executed `position` and nothing else; its binary log is empty. */
export function historyStatements(
  flavour: Flavour,
  versionText: string,
  position: string,
): readonly { readonly sql: string; readonly values: readonly unknown[] }[] {
  const reset = resetOf(flavour, versionText)
  const variable = flavour === 'mariadb' ? 'gtid_slave_pos' : 'gtid_purged'
  return [
    { sql: reset, values: [] },
    { sql: `SET GLOBAL ${variable} = ?`, values: [position] },
  ]
}

/** Behind the highest number of a history that is set aside the next one begins so far: what is numbered between belongs to neither. */
const LINE_GAP = 1_000_000

/**
 * It has executed `position`, and what it writes next is numbered so that no transaction of the former `history` has the same GTID.
 * MariaDB only: MySQL numbers by the server, and fills gaps (https://mariadb.com/kb/en/gtid/#gtid_seq_no,
 * https://dev.mysql.com/doc/refman/8.0/en/replication-gtids-lifecycle.html). FLUSH PRIVILEGES is a logged statement without an effect.
 */
export function newLineStatements(
  flavour: Flavour,
  versionText: string,
  { position, history }: { readonly position: string; readonly history: string },
): readonly { readonly sql: string; readonly values: readonly unknown[] }[] {
  if (flavour !== 'mariadb') return historyStatements(flavour, versionText, position)
  const numbers = mariadbGtids(`${position},${history}`).map(({ sequence }) => sequence)
  const next = Math.max(0, ...numbers) + LINE_GAP
  return [
    { sql: 'RESET MASTER', values: [] },
    { sql: "SET GLOBAL gtid_slave_pos = ''", values: [] },
    { sql: 'SET GLOBAL gtid_binlog_state = ?', values: [position] },
    { sql: `SET SESSION sql_log_bin = 1, SESSION gtid_seq_no = ${next}`, values: [] },
    { sql: 'FLUSH PRIVILEGES', values: [] },
    { sql: 'SET SESSION sql_log_bin = 0', values: [] },
  ]
}

/** It holds no transaction by any account: until it has a position again it counts as empty. */
export const forgetStatements = (flavour: Flavour, versionText: string): readonly string[] => [
  resetOf(flavour, versionText),
  ...(flavour === 'mariadb' ? ["SET GLOBAL gtid_slave_pos = ''"] : []),
]

const resetOf = (flavour: Flavour, versionText: string): string =>
  flavour !== 'mariadb' && isNewer(versionText, '8.2.0') ? 'RESET BINARY LOGS AND GTIDS' : 'RESET MASTER'

const isNewer = (version: string, than: string): boolean =>
  compareVersions(parseVersion(version), parseVersion(than)) >= 0
