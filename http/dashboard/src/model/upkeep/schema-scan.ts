// Scans of the schema: when the latest was, which tables have changed since the one before, which replicas have other tables.
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

const kinds = ['created', 'dropped', 'altered'] as const

export interface TableChange {
  readonly schema: string
  readonly table: string
  readonly kind: (typeof kinds)[number]
  /** As in a diff: `-` what was or what the primary has, `+` what is there. */
  readonly lines: readonly string[]
}

export interface NotedChange extends TableChange {
  readonly at?: number
}

/** A table of a replica that is not as the primary's. */
export interface SchemaDifference extends TableChange {
  readonly server: string
}

export interface SchemaReport {
  /** Absent before the first scan. */
  readonly at?: number
  readonly primary?: string
  readonly tables: number
  /** What could not be read, in words. */
  readonly unread: readonly string[]
  /** Newest first. */
  readonly changes: readonly NotedChange[]
  readonly differences: readonly SchemaDifference[]
}

type Wire = ReturnType<typeof fieldsOf>

/** Of `C/schema-changes`. */
export function readSchemaReport(reply: unknown): SchemaReport {
  const wire = fieldsOf(wireOf<'GET /api/clusters/:cluster/schema-changes'>(reply))
  return present<SchemaReport>({
    ...{ at: numberOf(wire.at), primary: textOf(wire.primary), tables: numberOf(wire.tables) ?? 0 },
    unread: Array.isArray(wire.unread) ? wire.unread.map(String) : [],
    changes: listOf(wire.changes)
      .flatMap((change: Wire) => {
        const read = readChange(change)
        return read ? [present<NotedChange>({ ...read, at: numberOf(change.at) })] : []
      })
      .toReversed(),
    differences: listOf(wire.differences).flatMap((difference: Wire) => {
      const read = readChange(difference)
      return read ? [{ ...read, server: textOf(difference.name) ?? textOf(difference.server) ?? '' }] : []
    }),
  })
}

function readChange(wire: Wire): TableChange | undefined {
  const [schema, table] = [textOf(wire.schema), textOf(wire.table)]
  const kind = kinds.find((each) => each === wire.kind)
  if (schema === undefined || table === undefined || kind === undefined) return undefined
  return { schema, table, kind, lines: Array.isArray(wire.lines) ? wire.lines.map(String) : [] }
}
