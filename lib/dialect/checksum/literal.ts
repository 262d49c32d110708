// Values of keys as SQL: read as texts that no character set can change, written again as typed literals; predicates of them.
import type { Condition, KeyColumn, KeyKind } from '../../model/checksum/checksum.js'
import { quoteIdentifier } from '../statement/quote.js'

interface Kind {
  /** What is compared and ordered by. */
  readonly operand: (column: string) => string
  /** The text of a value. */
  readonly text: (column: string) => string
  /** Every text of a value has this form. */
  readonly form: RegExp
  readonly literal: (text: string) => string
}

const asText = (column: string): string => `CAST(${column} AS CHAR)`

const kinds: Readonly<Record<KeyKind, Kind>> = {
  number: { operand: (column) => column, text: asText, form: /^-?\d+(\.\d+)?$/, literal: (text) => text },
  ordinal: {
    operand: (column) => `(${column} + 0)`,
    text: (column) => `CAST(${column} + 0 AS CHAR)`,
    form: /^\d+$/,
    literal: (text) => text,
  },
  text: {
    operand: (column) => column,
    text: (column) => `HEX(CONVERT(${column} USING utf8mb4))`,
    form: /^[0-9A-F]*$/,
    literal: (text) => `_utf8mb4 x'${text}'`,
  },
  binary: {
    operand: (column) => column,
    text: (column) => `HEX(${column})`,
    form: /^[0-9A-F]*$/,
    literal: (text) => `x'${text}'`,
  },
  quoted: { operand: (column) => column, text: asText, form: /^[-0-9a-f:. ]+$/i, literal: (text) => `'${text}'` },
}

/** The value of a key column as text. */
export const keyText = ({ name, kind }: KeyColumn): string => kinds[kind].text(quoteIdentifier(name))

/** What rows are ordered by. */
export const keyOperand = ({ name, kind }: KeyColumn): string => kinds[kind].operand(quoteIdentifier(name))

/** Throws on a text that is no value of the kind: nothing else gets into a statement. */
export function literalOf(kind: KeyKind, text: string): string {
  const { form, literal } = kinds[kind]
  if (!form.test(text)) throw new RangeError(`${text.slice(0, 40)} is no value of a key (${kind})`)
  return literal(text)
}

/** A predicate as SQL. */
export function conditionSql(condition: Condition, columns: readonly KeyColumn[]): string {
  if (condition.type === 'and' || condition.type === 'or') {
    const parts = condition.of.map((part) => conditionSql(part, columns))
    if (parts.length === 0) return condition.type === 'and' ? '1 = 1' : '1 = 0'
    return `(${parts.join(condition.type === 'and' ? ' AND ' : ' OR ')})`
  }
  const column = columns[condition.column]
  if (!column) throw new RangeError(`the key has no column ${condition.column}`)
  if (condition.type === 'null') return `${quoteIdentifier(column.name)} IS NULL`
  if (condition.type === 'not-null') return `${quoteIdentifier(column.name)} IS NOT NULL`
  return `${keyOperand(column)} ${condition.sign} ${literalOf(column.kind, condition.value)}`
}
