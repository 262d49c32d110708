// Origins of the values of variables: MariaDB and MySQL have separate tables for them.
import type { ServerPlugin, ValueOrigin } from '../../../model/server/configuration.js'
import type { SlowReading } from '../../../model/server/reading.js'
import type { ServerIdentity } from '../../../model/server/server.js'
import { flagIn, textIn } from '../../statement/rows.js'
import type { Rows, Statement } from '../../statement/statement.js'

/** Columns name, origin, path. */
export const mariadbOrigins: Statement = {
  sql:
    'SELECT LOWER(VARIABLE_NAME) AS name, GLOBAL_VALUE_ORIGIN AS origin, GLOBAL_VALUE_PATH AS path ' +
    "FROM information_schema.SYSTEM_VARIABLES WHERE GLOBAL_VALUE_ORIGIN NOT IN ('COMPILE-TIME')",
  values: [],
}

/** Columns name, origin, path. */
export const mysqlOrigins: Statement = {
  sql:
    'SELECT LOWER(VARIABLE_NAME) AS name, VARIABLE_SOURCE AS origin, VARIABLE_PATH AS path ' +
    "FROM performance_schema.variables_info WHERE VARIABLE_SOURCE <> 'COMPILED'",
  values: [],
}

/**
 * SET GLOBAL super_read_only = ON makes read_only ON and leaves its source as it was: both sources count. Of persisted values the one that
 * was set last decides at a start, which is not shown: read_only OFF beside super_read_only ON says nothing. super_read_only OFF opens nothing.
 */
const mysqlReadOnly: Statement = {
  sql:
    "SELECT MAX(VARIABLE_SOURCE = 'DYNAMIC') AS by_statement, IF(@@GLOBAL.read_only, 1, 0) AS value, " +
    'IF(@@GLOBAL.super_read_only, 1, 0) AS super, ' +
    "(SELECT IF(MIN(closed) = MAX(closed), MAX(closed), NULL) FROM (SELECT VARIABLE_VALUE IN ('ON', '1') " +
    'AS closed, VARIABLE_NAME AS name FROM performance_schema.persisted_variables WHERE @@GLOBAL.persisted_globals_load) ' +
    "AS persisted WHERE name = 'read_only' OR (name = 'super_read_only' AND closed)) AS kept " +
    "FROM performance_schema.variables_info WHERE VARIABLE_NAME IN ('read_only', 'super_read_only')",
  values: [],
}

/** What set read_only: columns value, by_statement, and on MySQL super (super_read_only) and kept (what SET PERSIST has for the next start, NULL where it does not decide). */
export const readOnlyOrigins: Readonly<Record<ServerIdentity['flavour'], Statement>> = {
  mariadb: {
    sql:
      "SELECT GLOBAL_VALUE_ORIGIN = 'SQL' AS by_statement, IF(GLOBAL_VALUE IN ('OFF', '0'), 0, 1) AS value " +
      "FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_NAME = 'READ_ONLY'",
    values: [],
  },
  mysql: mysqlReadOnly,
  percona: mysqlReadOnly,
}

/** Empty where it was not read, or the server does not list the variable. */
export function readOnlyOf([row]: Rows = []): Pick<SlowReading, 'readOnlySet'> {
  if (!row || textIn(row, 'by_statement') === '') return {}
  const kept = textIn(row, 'kept') === '' ? {} : { kept: flagIn(row, 'kept') }
  const superOn = textIn(row, 'super') === '' ? {} : { superOn: flagIn(row, 'super') }
  return { readOnlySet: { on: flagIn(row, 'value'), byStatement: flagIn(row, 'by_statement'), ...kept, ...superOn } }
}

/** Words of both flavours. */
const words: Readonly<Record<string, ValueOrigin['from']>> = {
  CONFIG: 'file',
  GLOBAL: 'file',
  SERVER: 'file',
  EXPLICIT: 'file',
  EXTRA: 'file',
  USER: 'file',
  LOGIN: 'file',
  PERSISTED: 'file',
  COMMAND_LINE: 'command-line',
  'COMMAND-LINE': 'command-line',
  ENVIRONMENT: 'command-line',
  SQL: 'statement',
  DYNAMIC: 'statement',
  AUTO: 'server',
}

export const parseOrigins = (rows: Rows): Readonly<Record<string, ValueOrigin>> =>
  Object.fromEntries(
    rows.flatMap((row) => {
      const from = words[textIn(row, 'origin')]
      const path = textIn(row, 'path')
      return from === undefined ? [] : [[textIn(row, 'name'), { from, ...(path === '' ? {} : { path }) }]]
    }),
  )

export const parsePlugins = (rows: Rows): readonly ServerPlugin[] =>
  rows.map((row) => ({
    name: textIn(row, 'Name'),
    status: textIn(row, 'Status'),
    library: textIn(row, 'Library'),
  }))
