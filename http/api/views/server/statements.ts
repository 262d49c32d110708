// Statements of a server in the shape clients read, from the performance schema or the slow log.
import type { Row } from './live.js'
import { nullFloat, number, text } from './live.js'

/** `S/slow-queries`, `S/digest-statements-slow`, `S/digest-statements-pfs`: times in seconds but for the average. */
export const renderStatements = (rows: readonly Row[]) =>
  rows.map((row) => {
    const [executions, seconds] = [number(row.executions), number(row.seconds)]
    const average = executions === 0 ? undefined : (seconds / executions) * 1_000
    const schema = text(row.schema_name) ?? ''
    return {
      digest: text(row.digest) ?? '',
      query: text(row.statement) ?? '',
      digestText: text(row.digest_text) ?? '',
      // Clients read the misspelt key.
      shemaName: schema,
      schemaName: schema,
      lastSeen: text(row.last_seen) ?? '',
      planFullScan: number(row.full_scans) > 0 ? '*' : '',
      planTmpDisk: number(row.tmp_disk),
      planTmpMem: number(row.tmp_tables),
      execCount: executions,
      errCount: number(row.errors),
      warnCount: number(row.warnings),
      // A text to existing clients, as `value` is.
      execTimeTotal: seconds.toFixed(6),
      execTimeMax: nullFloat(row.longest),
      execTimeAvgMs: nullFloat(average === undefined ? undefined : round(average)),
      rowsSent: number(row.rows_sent),
      rowsSentAvg: executions === 0 ? 0 : Math.round(number(row.rows_sent) / executions),
      rowsScanned: number(row.rows_examined),
      value: seconds.toFixed(6),
    }
  })

/** Microseconds are the finest unit that servers report. */
const round = (value: number): number => Math.round(value * 1e6) / 1e6
