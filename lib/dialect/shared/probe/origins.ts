// Origins of the values of variables: MariaDB and MySQL have separate tables for them.
import type { ServerPlugin, ValueOrigin } from '../../../model/server/configuration.js'
import type { ServerIdentity } from '../../../model/server/server.js'
import { textIn } from '../../statement/rows.js'
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

const mysqlReadOnly: Statement = {
  sql:
    "SELECT IF(EXISTS (SELECT 1 FROM performance_schema.persisted_variables WHERE VARIABLE_NAME IN ('read_only', 'super_read_only') " +
    "AND VARIABLE_VALUE = 'ON'), 'PERSISTED', VARIABLE_SOURCE) AS origin " +
    "FROM performance_schema.variables_info WHERE VARIABLE_NAME = 'read_only'",
  values: [],
}

/** What set the value of read_only, column origin. MySQL: one that is kept by SET PERSIST counts as one of its start. */
export const readOnlyOrigins: Readonly<Record<ServerIdentity['flavour'], Statement>> = {
  mariadb: {
    sql: "SELECT GLOBAL_VALUE_ORIGIN AS origin FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_NAME = 'READ_ONLY'",
    values: [],
  },
  mysql: mysqlReadOnly,
  percona: mysqlReadOnly,
}

/** Whether a statement set it since the start of the server: what its files have is not known then. */
export const isByStatement = ([row]: Rows): boolean => row !== undefined && words[textIn(row, 'origin')] === 'statement'

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
