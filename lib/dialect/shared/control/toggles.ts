// Diagnostics that can be toggled: how their state is read and changed. Rows that flavours share.
import type { SlowSettings, ToggleName } from '../../../model/server/server-act.js'
import { flagIn, numberIn, textIn } from '../../statement/rows.js'
import type { Rows, Statement } from '../../statement/statement.js'
import { plain } from './locks.js'

export interface ToggleReading {
  readonly on: boolean
  /** State that the server reports: names and values. */
  readonly detail: string
  /** It needs a plugin that is not installed yet. */
  readonly absent?: true
  /** Why the server does not support it, and what to do. */
  readonly refusal?: string
  readonly slow?: SlowSettings
}

export interface Toggle {
  readonly read: Statement
  readonly parse: (rows: Rows) => ToggleReading
  /** `kept`: the settings before a capture started, if stored. */
  readonly set: (on: boolean, before: ToggleReading, kept?: SlowSettings) => readonly Statement[]
  /** Meaning of a refusal of these statements, by the server's error number. */
  readonly refusals?: Readonly<Record<number, string>>
}

export type Toggles = Readonly<Record<ToggleName, Toggle>>

const word = (on: boolean): string => (on ? 'ON' : 'OFF')

const engineMonitor: Toggle = {
  read: plain('SELECT @@GLOBAL.innodb_status_output AS state'),
  parse: ([row = {}]) => {
    const on = flagIn(row, 'state')
    return { on, detail: `innodb_status_output=${word(on)}` }
  },
  set: (on) => [plain(`SET GLOBAL innodb_status_output = ${word(on)}`)],
}

/** The last one stores the samples; it depends on the others. */
const consumers = ['global_instrumentation', 'thread_instrumentation', 'events_statements_current'] as const
const history = 'events_statements_history_long'

const statementHistory: Toggle = {
  read: {
    sql:
      'SELECT @@GLOBAL.performance_schema AS instrumented, (SELECT COUNT(*) FROM performance_schema.setup_consumers ' +
      "WHERE ENABLED = 'YES' AND NAME IN (?)) AS enabled",
    values: [[...consumers, history]],
  },
  parse: ([row = {}]) => {
    const on = numberIn(row, 'enabled') > consumers.length
    return { on, detail: `${history} ${on ? 'enabled' : 'disabled'}`, ...withoutInstruments(row) }
  },
  set: (on) => [
    {
      sql: 'UPDATE performance_schema.setup_consumers SET ENABLED = ? WHERE NAME IN (?)',
      values: [on ? 'YES' : 'NO', on ? [...consumers, history] : [history]],
    },
  ],
}

/** A column `instrumented` with value NO. */
export const withoutInstruments = (row: Rows[number]): Pick<ToggleReading, 'refusal'> =>
  flagIn(row, 'instrumented')
    ? {}
    : { refusal: 'performance_schema is OFF: set performance_schema=ON in its configuration and restart it' }

const readSlow = plain(
  'SELECT @@GLOBAL.slow_query_log AS logging, @@GLOBAL.long_query_time AS seconds, @@GLOBAL.log_output AS output',
)

const parseSlow =
  (isOn: (slow: SlowSettings, output: string) => boolean): Toggle['parse'] =>
  ([row = {}]) => {
    const slow = { logging: flagIn(row, 'logging'), seconds: numberIn(row, 'seconds') }
    const output = textIn(row, 'output')
    const detail = `slow_query_log=${word(slow.logging)}, long_query_time=${slow.seconds}, log_output=${output}`
    return { on: isOn(slow, output.toUpperCase()), detail, slow }
  }

const setSlow = ({ seconds, logging }: SlowSettings): readonly Statement[] => [
  { sql: 'SET GLOBAL long_query_time = ?', values: [seconds] },
  plain(`SET GLOBAL slow_query_log = ${word(logging)}`),
]

/** Server defaults, for a capture without stored settings. */
const usualSlow: SlowSettings = { seconds: 10, logging: false }

export const sharedToggles = {
  'engine-monitor': engineMonitor,
  'statement-history': statementHistory,
  'slow-log': {
    read: readSlow,
    parse: parseSlow(({ logging }) => logging),
    set: (on) => [plain(`SET GLOBAL slow_query_log = ${word(on)}`)],
  },
  'slow-capture': {
    read: readSlow,
    parse: parseSlow(({ logging, seconds }) => logging && seconds === 0),
    set: (on, _, kept = usualSlow) => setSlow(on ? { seconds: 0, logging: true } : kept),
  },
  'slow-table': {
    read: readSlow,
    parse: parseSlow((_, output) => output.split(',').includes('TABLE')),
    set: (on) => [plain(`SET GLOBAL log_output = '${on ? 'TABLE' : 'FILE'}'`)],
  },
} satisfies Partial<Record<ToggleName, Toggle>>
