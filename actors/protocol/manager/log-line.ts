// A line of a log as reported to clients.
import type { LogLevel } from '../../../lib/model/event.js'

export interface LogLine {
  /** Name of the cluster; empty for the manager's own. */
  readonly group: string
  readonly level: LogLevel
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
}
