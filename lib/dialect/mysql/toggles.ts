// Diagnostics of MySQL that can be toggled: its performance schema covers MariaDB's plugins.
import { plain } from '../shared/control/locks.js'
import { sharedToggles, type Toggle, type Toggles, withoutInstruments } from '../shared/control/toggles.js'
import { flagIn } from '../statement/rows.js'

const instrument = 'wait/lock/metadata/sql/mdl'

const lockList: Toggle = {
  read: {
    sql:
      'SELECT @@GLOBAL.performance_schema AS instrumented, (SELECT MAX(ENABLED) FROM ' +
      'performance_schema.setup_instruments WHERE NAME = ?) AS state',
    values: [instrument],
  },
  parse: ([row = {}]) => {
    const on = flagIn(row, 'state')
    return { on, detail: `the instrument ${instrument} is ${on ? 'enabled' : 'disabled'}`, ...withoutInstruments(row) }
  },
  set: (on) => [
    {
      sql: 'UPDATE performance_schema.setup_instruments SET ENABLED = ?, TIMED = ? WHERE NAME = ?',
      values: [on ? 'YES' : 'NO', on ? 'YES' : 'NO', instrument],
    },
  ],
}

const impossible = (refusal: string): Toggle => ({
  read: plain('SELECT 1'),
  parse: () => ({ on: false, detail: '', refusal }),
  set: () => [],
})

export const mysqlToggles: Toggles = {
  ...sharedToggles,
  'lock-list': lockList,
  'response-times': impossible(
    'MySQL counts response times while performance_schema is on; they cannot be toggled separately',
  ),
  'error-statements': impossible(
    'the plugin sql_errlog belongs to MariaDB; MySQL counts errors in performance_schema.events_errors_summary_global_by_error',
  ),
}
