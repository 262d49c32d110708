// Origins of the values of variables: MariaDB and MySQL have separate tables for them.
import type { ServerPlugin, ValueOrigin } from '../../../model/server/configuration.js'
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
