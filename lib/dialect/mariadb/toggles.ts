// Diagnostics of MariaDB that can be toggled; three are plugins of its server package.
import { plain } from '../shared/control/locks.js'
import { sharedToggles, type Toggle, type Toggles } from '../shared/control/toggles.js'
import { numberIn, textIn } from '../statement/rows.js'

const install = (library: string) => plain(`INSTALL SONAME '${library}'`)

/** The file is missing: error 1126 (https://mariadb.com/kb/en/mariadb-error-codes/). */
const refusals = (library: string): Toggle['refusals'] => ({
  1126: `its plugin_dir has no ${library}.so: install the package with the plugins of its server (mariadb-server), then try again`,
})

/** A plugin that remains installed, with a variable that enables it. */
const byVariable = (
  library: string,
  variable: string,
  values: { readonly on: string; readonly off: string },
): Toggle => ({
  read: { sql: 'SHOW GLOBAL VARIABLES WHERE Variable_name = ?', values: [variable] },
  parse: ([row]) => {
    if (!row) return { on: false, detail: `the plugin ${library} is not installed`, absent: true }
    const value = textIn(row, 'Value')
    return { on: value !== values.off, detail: `${variable}=${value}` }
  },
  set: (on, { absent }) => [
    ...(absent ? [install(library)] : []),
    plain(`SET GLOBAL ${variable} = ${on ? values.on : values.off}`),
  ],
  refusals: refusals(library) ?? {},
})

const locks = 'metadata_lock_info'

/** It has no variable: it is enabled while it is installed. */
const lockList: Toggle = {
  read: {
    sql: "SELECT COUNT(*) AS active FROM information_schema.PLUGINS WHERE PLUGIN_NAME = ? AND PLUGIN_STATUS = 'ACTIVE'",
    values: [locks.toUpperCase()],
  },
  parse: ([row = {}]) => {
    const on = numberIn(row, 'active') > 0
    return { on, detail: `the plugin ${locks} is ${on ? '' : 'not '}installed` }
  },
  set: (on) => [on ? install(locks) : plain(`UNINSTALL SONAME '${locks}'`)],
  refusals: refusals(locks) ?? {},
}

export const mariadbToggles: Toggles = {
  ...sharedToggles,
  'lock-list': lockList,
  'response-times': byVariable('query_response_time', 'query_response_time_stats', { on: 'ON', off: 'OFF' }),
  // One of this many refused statements is written.
  'error-statements': byVariable('sql_errlog', 'sql_error_log_rate', { on: '1', off: '0' }),
}
