// Statements around a backup: locks against changes of tables, sizes, positions.
import type { Flavour, Version } from '../../../model/server/version.js'
import { compareVersions, parseVersion } from '../../../model/server/version.js'
import type { Statement } from '../../statement/statement.js'

const plain = (sql: string): Statement => ({ sql, values: [] })

/** Held by their session until it ends or they are taken back. Empty where the server has no such lock. */
export function lockDdl(flavour: Flavour, version: Version): readonly Statement[] {
  if (flavour === 'mariadb')
    return compareVersions(version, { major: 10, minor: 4, patch: 1 }) < 0
      ? []
      : [plain('BACKUP STAGE START'), plain('BACKUP STAGE BLOCK_DDL')]
  return version.major < 8 ? [] : [plain('LOCK INSTANCE FOR BACKUP')]
}

/** A wait for a lock that others hold ends after so long, seconds. */
export const limitLockWait = (seconds: number): Statement => plain(`SET SESSION lock_wait_timeout = ${seconds}`)

/** One row with `bytes`: data and indexes of all tables, as the server estimates them. */
export const sizeOfData: Statement = plain(
  'SELECT COALESCE(SUM(DATA_LENGTH + INDEX_LENGTH), 0) AS bytes FROM information_schema.TABLES',
)

/** One row with `gtid`: the transactions before a position of the server's own binary log (MariaDB). */
export const gtidAt = (file: string, offset: number): Statement => ({
  sql: 'SELECT BINLOG_GTID_POS(?, ?) AS gtid',
  values: [file, offset],
})

/** One row with `most`: how many rows a session reads that sets nothing, as that of a dump program. */
export const rowsOfSessions: Statement = plain('SELECT @@GLOBAL.sql_select_limit AS most')

/** One row with `applied`: the position of a replica (MariaDB). */
export const appliedPosition: Statement = plain('SELECT @@GLOBAL.gtid_slave_pos AS applied')

/** One row with `datadir` and `pid_file`. */
export const dataFolder: Statement = plain('SELECT @@datadir AS datadir, @@pid_file AS pid_file')

/** Options of a dump that write its position as a comment; `version`: what the program prints of itself. */
export function dumpOptions(
  { flavour, binlog }: { readonly flavour: Flavour; readonly binlog: boolean },
  version: string,
): readonly string[] {
  if (flavour === 'mariadb') return binlog ? ['--master-data=2', '--gtid'] : []
  if (!binlog) return ['--set-gtid-purged=OFF']
  return [parseVersion(version).major >= 8 ? '--source-data=2' : '--master-data=2', '--set-gtid-purged=COMMENTED']
}
