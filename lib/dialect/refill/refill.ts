// What is sent to a server whose data are replaced: its history forgotten, its position set, and how its tools write a dump.
import type { Flavour } from '../../model/server/version.js'

const isMariadb = (flavour: Flavour): boolean => flavour === 'mariadb'

/** Closed for all but administrators who ignore that. */
export const closeForRefill = (flavour: Flavour): readonly string[] => [
  'SET GLOBAL read_only = ON',
  ...(isMariadb(flavour) ? [] : ['SET GLOBAL super_read_only = OFF']),
]

/** The events of a copy do not run while it is loaded: `ON`, `OFF`, or `DISABLED`, which cannot be changed. */
export const readScheduler = 'SELECT @@GLOBAL.event_scheduler AS scheduler'
export const setScheduler = (on: boolean): string => `SET GLOBAL event_scheduler = ${on ? 'ON' : 'OFF'}`

/** Ends and removes every source; MySQL before 8.0.22 has `old` words. A server without a source may refuse the first. */
export const forgetSources = (flavour: Flavour, old: boolean): readonly string[] => {
  if (isMariadb(flavour)) return ['STOP ALL SLAVES', 'RESET SLAVE ALL']
  return old ? ['STOP SLAVE', 'RESET SLAVE ALL'] : ['STOP REPLICA', 'RESET REPLICA ALL']
}

/** Deletes the binary logs and, with them, every transaction that the server counts as executed. */
export const forgetTransactions = (flavour: Flavour, old: boolean): readonly string[] => {
  if (isMariadb(flavour)) return ['RESET MASTER', "SET GLOBAL gtid_slave_pos = ''"]
  return [old ? 'RESET MASTER' : 'RESET BINARY LOGS AND GTIDS']
}

/** What the data show: from here on it is a replica that was behind. Needs a server without transactions. */
export const setRefillPosition = (flavour: Flavour): string =>
  isMariadb(flavour) ? 'SET GLOBAL gtid_slave_pos = ?' : 'SET GLOBAL gtid_purged = ?'

/** Only servers with the newer words answer it. */
export const newWords = 'SHOW BINARY LOG STATUS'

/** An event is one of a replica; its schema and name are quoted already. */
export const disableEvent = (schema: string, name: string): string => `ALTER EVENT ${schema}.${name} DISABLE ON SLAVE`

const everyDump = [
  ...['--all-databases', '--single-transaction', '--quick', '--hex-blob', '--routines', '--events', '--triggers'],
  '--flush-privileges',
]

/** One snapshot without locks, everything that is stored, the position as a comment; nothing that belongs to the server itself. */
export const dumpOptions = (flavour: Flavour): readonly string[] =>
  isMariadb(flavour)
    ? [
        ...everyDump,
        ...['--gtid', '--master-data=2', '--ignore-database=manager_schema', '--ignore-table=mysql.gtid_slave_pos'],
      ]
    : [...everyDump, '--set-gtid-purged=COMMENTED', '--ignore-table=mysql.gtid_executed']

/** The position in the text of a dump: a comment on a line of its own; that of MySQL may have several lines. */
export function dumpPosition(flavour: Flavour, text: string): string | undefined {
  const pattern = isMariadb(flavour)
    ? /^-- SET GLOBAL gtid_slave_pos='([^'\n]*)';$/m
    : /SET @@GLOBAL\.GTID_PURGED=(?:\/\*!80000 '\+'\*\/ )?'([^']*)'/
  return pattern
    .exec(text)?.[1]
    ?.replace(/\s+/g, '')
    .replace(/(^|,)--/g, '$1')
}

/** Ends of dumps that are whole. */
export const isDumpComplete = (text: string): boolean => /^-- Dump completed/m.test(text)
