// Statements by digest with what they cost, and the plan of one.
import { listOf, nullable, numberOf, present, textOf, wireOf } from '../wire.js'
import { floatOf } from './sessions.js'

export interface Statement {
  readonly digest: string
  /** A sample, or the digest's text where none was kept. */
  readonly text: string
  readonly digestText: string
  readonly schema?: string
  readonly count?: number
  /** Milliseconds. */
  readonly totalMs?: number
  readonly averageMs?: number
  readonly maxMs?: number
  readonly rowsSent?: number
  readonly rowsExamined?: number
  readonly errors?: number
  readonly isFullScan: boolean
  readonly temporaryOnDisk?: number
  readonly lastSeen?: string
}

/** Seconds as a text. */
function secondsOf(value: unknown): number | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : numberOf(Number(text))
}

export const readStatements = (reply: unknown): readonly Statement[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/servers/:server/digest-statements-pfs'>(reply)).flatMap((wire) => {
    const digest = textOf(wire.digest)
    if (digest === undefined) return []
    const seconds = secondsOf(wire.execTimeTotal)
    const max = floatOf(wire.execTimeMax)
    const digestText = textOf(wire.digestText) ?? textOf(wire.query) ?? ''
    return [
      present<Statement>({
        ...{
          digest,
          digestText,
          text: textOf(wire.query) ?? digestText,
          isFullScan: textOf(wire.planFullScan) !== undefined,
        },
        schema: textOf(wire.schemaName) ?? textOf(wire.shemaName),
        count: numberOf(wire.execCount),
        totalMs: seconds === undefined ? undefined : seconds * 1_000,
        averageMs: floatOf(wire.execTimeAvgMs),
        maxMs: max === undefined ? undefined : max * 1_000,
        rowsSent: numberOf(wire.rowsSent),
        rowsExamined: numberOf(wire.rowsScanned),
        errors: numberOf(wire.errCount) || undefined,
        temporaryOnDisk: numberOf(wire.planTmpDisk) || undefined,
        lastSeen: textOf(wire.lastSeen),
      }),
    ]
  })

/** What was counted between two readings, for the digests that ran in it; the most time first. */
export function compareStatements(before: readonly Statement[], after: readonly Statement[]): readonly Statement[] {
  const known = new Map(before.map((statement) => [keyOf(statement), statement]))
  return after
    .flatMap((now): readonly Statement[] => {
      const was = known.get(keyOf(now))
      const count = rest(now.count, was?.count)
      if (count === undefined || count === 0) return []
      const totalMs = rest(now.totalMs, was?.totalMs)
      return [
        present<Statement>({
          ...{ digest: now.digest, digestText: now.digestText, text: now.text, isFullScan: now.isFullScan },
          ...{ schema: now.schema, lastSeen: now.lastSeen, count, totalMs },
          averageMs: totalMs === undefined ? undefined : totalMs / count,
          maxMs: undefined,
          rowsSent: rest(now.rowsSent, was?.rowsSent),
          rowsExamined: rest(now.rowsExamined, was?.rowsExamined),
          errors: rest(now.errors, was?.errors) || undefined,
          temporaryOnDisk: rest(now.temporaryOnDisk, was?.temporaryOnDisk) || undefined,
        }),
      ]
    })
    .toSorted((a, b) => (b.totalMs ?? 0) - (a.totalMs ?? 0))
}

const keyOf = ({ digest, schema }: Statement): string => `${digest} ${schema ?? ''}`

/** Counters that went down were reset in between: what they show now is what was counted since. */
const rest = (now: number | undefined, was = 0): number | undefined =>
  now === undefined ? undefined : now >= was ? now - was : now

export interface PlanRow {
  readonly id?: string
  readonly kind?: string
  readonly table?: string
  readonly access?: string
  readonly possibleKeys?: string
  readonly key?: string
  readonly rows?: string
  /** What was met when it ran. */
  readonly realRows?: number
  readonly filtered?: number
  readonly extra?: string
}

export const readPlanRows = (reply: unknown): readonly PlanRow[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/servers/:server/queries/:digest/actions/explain-pfs'>(reply)).map((wire) =>
    present<PlanRow>({
      id: nullable(wire.id),
      kind: nullable(wire.selectType),
      table: nullable(wire.table),
      access: nullable(wire.type),
      possibleKeys: nullable(wire.possibleKeys),
      key: nullable(wire.key),
      rows: nullable(wire.rows),
      realRows: floatOf(wire.rRows),
      filtered: floatOf(wire.filtered),
      extra: nullable(wire.extra) || undefined,
    }),
  )
