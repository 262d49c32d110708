// The replication account on a server: for which hosts it exists, and the statements that make its login work.
import type { Statement } from '../../statement/statement.js'

const FITS = "SUBSTRING_INDEX(USER(), '@', -1) LIKE Host"

/** The account that the server takes for a host: the one without wildcards, or with the first of them furthest behind. */
const MOST_SPECIFIC = "IF(LOCATE('%', Host) = 0, 1000, LOCATE('%', Host)) DESC"

/** All that decides whether a login is accepted. MariaDB before 10.4 keeps passwords elsewhere: there it is not compared. */
const decisive = [
  ...['Host', 'ssl_type', 'ssl_cipher', 'x509_issuer', 'x509_subject', 'plugin', 'authentication_string'],
  'password_expired',
]

/**
 * Columns accounts; fitting: those for the host of the session that asks (a netmask is not understood); requirement: ssl_type of the
 * one that is taken there; digest: equal where the accounts are, of two servers asked with the same `salt`, which nobody else knows. NULL
 * where one has no password.
 */
export const accountHosts = (user: string, salt: string): Statement => ({
  sql:
    `SELECT COUNT(*) AS accounts, COALESCE(SUM(${FITS}), 0) AS fitting, ` +
    `SUBSTRING_INDEX(GROUP_CONCAT(IF(${FITS}, ssl_type, NULL) ORDER BY ${MOST_SPECIFIC}), ',', 1) AS requirement, ` +
    "IF(SUM(authentication_string = '') = 0, " +
    `SHA2(CONCAT(?, GROUP_CONCAT(CONCAT_WS('|', ${decisive.map((name) => `HEX(${name})`).join(', ')}) ORDER BY Host)), 256), NULL) AS digest ` +
    'FROM mysql.user WHERE User = ?',
  values: [salt, user],
})

/** As text for people: the password stands for itself, since messages are logged. */
export function repairLogin(user: string, exists: boolean): string {
  const account = `'${user.replaceAll("'", "''")}'@'%'`
  const verb = exists ? 'ALTER' : 'CREATE'
  const set = `${verb} USER ${account} IDENTIFIED BY '<password of replication-credential>';`
  return exists ? set : `${set} GRANT REPLICATION SLAVE ON *.* TO ${account};`
}

/** What the receiver of a replica asks first, in a session with whatever the server gives to each; a row for each statement. */
export const asReplica = "SELECT UNIX_TIMESTAMP() AS now; SHOW GLOBAL VARIABLES LIKE 'server_id'"

/** The login works, and what a replica asks then does not. */
export const repairDefaults =
  "replicas begin with this server's defaults of sessions and its init_connect: SET GLOBAL init_connect = ''; or the variable " +
  'that the error names back to its default (sql_select_limit, max_join_size, sql_big_selects, max_statement_time).'

/** An account that asks for more than the password, which no statement on the account repairs. */
export const repairCertificate =
  'set replication-ssl-cert and replication-ssl-key to files on the hosts of the databases that satisfy it'
export const repairTls = 'set replication-use-ssl on'
