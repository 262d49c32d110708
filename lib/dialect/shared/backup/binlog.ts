// Statements of a reader of binary logs.
import { compareVersions, type Flavour, parseVersion } from '../../../model/server/version.js'
import type { Statement } from '../../statement/statement.js'

/** The end of the log of a server: columns File, Position. */
export function endOfLog(flavour: Flavour, versionText: string): Statement {
  const renamed = flavour !== 'mariadb' && compareVersions(parseVersion(versionText), parseVersion('8.2.0')) >= 0
  return { sql: renamed ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS', values: [] }
}

/** A reader knows checksums and MariaDB's GTID events; a server that writes nothing shows every so often that it is alive. */
export function dumpOpening(heartbeatMs: number): string {
  const nanoseconds = Math.round(heartbeatMs * 1_000_000)
  const settings = [
    '@master_binlog_checksum = @@GLOBAL.binlog_checksum',
    '@source_binlog_checksum = @@GLOBAL.binlog_checksum',
    '@mariadb_slave_capability = 4',
    `@master_heartbeat_period = ${nanoseconds}`,
    `@source_heartbeat_period = ${nanoseconds}`,
  ]
  return `SET ${settings.join(', ')}`
}
