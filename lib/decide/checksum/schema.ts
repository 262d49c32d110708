// What differs between two definitions of a table. Pure.
import type { TableChange } from '../../model/checksum/schema.js'
import { type Change, compareListings } from '../watching/variable-changes.js'

/** Lines of one table that are kept. */
const MOST_LINES = 100

export interface Definitions {
  /** Of before, or of the primary; absent: there was no such table. */
  readonly before?: readonly string[]
  readonly now?: readonly string[]
}

/** The lines that differ, in a form for diffs. */
export const changesOf = ({ before = [], now = [] }: Definitions): readonly Change[] => compareListings(before, now)

/** Undefined: the definitions are equal. `key`: JSON of schema and table. */
export function judgeTable(key: string, definitions: Definitions): TableChange | undefined {
  const changes = changesOf(definitions)
  if (changes.length === 0) return undefined
  const [schema = '', table = ''] = JSON.parse(key) as readonly string[]
  const kind = !definitions.before ? 'created' : !definitions.now ? 'dropped' : 'altered'
  return { schema, table, kind, lines: changes.slice(0, MOST_LINES).map(({ sign, line }) => `${sign}${line}`) }
}
