// How a tool reads the binary log of a server that does not enforce the order of its GTIDs.

/**
 * An option for `mariadb-binlog` (since 10.8 it ends with an error where a sequence number of a domain is not above the one
 * before). Other tools, which do not know it, pass over it. Not among their first options: a login or `--no-defaults` precedes it.
 */
export const anyOrder = '--loose-gtid-strict-mode=0'
