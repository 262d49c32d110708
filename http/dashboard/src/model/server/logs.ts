// Lines of logs, tables and response times of a server.
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

export interface LogLine {
  readonly level: string
  readonly at: string
  readonly text: string
}

/** Of the error log of a server, and of what the manager logs. */
export const readLogLines = (reply: unknown): readonly LogLine[] =>
  listOf(fieldsOf(wireOf<'GET /api/clusters/:cluster/servers/:server/errorlog'>(reply)).buffer).map((wire) => ({
    level: textOf(wire.level) ?? 'INFO',
    at: textOf(wire.timestamp)?.replaceAll('/', '-') ?? '',
    text: textOf(wire.text) ?? '',
  }))

export interface TableSize {
  readonly schema: string
  readonly name: string
  readonly engine?: string
  readonly rows?: number
  readonly data?: number
  readonly index?: number
}

export const readTables = (reply: unknown): readonly TableSize[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/servers/:server/tables'>(reply)).map((wire) =>
    present<TableSize>({
      ...{ schema: textOf(wire.table_schema) ?? '', name: textOf(wire.table_name) ?? '' },
      engine: textOf(wire.engine),
      rows: numberOf(wire.table_rows),
      data: numberOf(wire.data_length),
      index: numberOf(wire.index_length),
    }),
  )

/** Statements that took at most so long, seconds. */
export interface ResponseTime {
  readonly upTo: number
  readonly count: number
  readonly seconds: number
}

/** Without the decades that no statement fell into at either end. */
export function readResponseTimes(reply: unknown): readonly ResponseTime[] {
  const all = listOf(wireOf<'GET /api/clusters/:cluster/servers/:server/query-response-time'>(reply)).flatMap(
    (wire) => {
      const upTo = Number(textOf(wire.time))
      const count = numberOf(wire.count)
      return Number.isFinite(upTo) && count !== undefined
        ? [{ upTo, count, seconds: Number(textOf(wire.total)) || 0 }]
        : []
    },
  )
  const first = all.findIndex(({ count }) => count > 0)
  const last = all.findLastIndex(({ count }) => count > 0)
  return first < 0 ? [] : all.slice(first, last + 1)
}
