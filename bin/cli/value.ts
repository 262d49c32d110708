// Any value for people: lists of objects as tables, objects line by line, everything else as text.
import { paint, widthOf } from './paint.js'
import { type Column, renderTable } from './table.js'
import { padText, tame, textWidth } from './text-width.js'

type Fields = Readonly<Record<string, unknown>>

export interface ValueView {
  /** Fields of the entries that are shown, where not all of them are. */
  readonly columns?: readonly string[]
  readonly width?: number
}

export function renderValue(value: unknown, { columns, width = widthOf(process.stdout) }: ValueView = {}): string {
  if (!Array.isArray(value)) return isFields(value) ? renderFields(value) : cellText(value, tameLines)
  if (value.length === 0) return 'None.'
  if (!value.every(isFields)) return value.map((entry) => cellText(entry)).join('\n')
  const names = columns ?? [...new Set(value.flatMap(Object.keys))]
  return renderTable(names.map(columnOf), value, width)
}

const columnOf = (name: string): Column<Fields> => ({
  title: name,
  text: (entry) => cellText(entry[name]),
})

function renderFields(fields: Fields): string {
  const width = Math.max(...Object.keys(fields).map(textWidth))
  return Object.entries(fields)
    .map(([name, value]) => `${paint('bold', padText(tame(name), width))}  ${cellText(value)}`.trimEnd())
    .join('\n')
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of a value in one cell. */
export function cellText(value: unknown, harmless: (text: string) => string = tame): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return harmless(String(value))
  if (Array.isArray(value)) return value.every(isFlat) ? value.map((each) => cellText(each)).join(',') : asJson(value)
  const inner = nullable(value as Fields)
  return inner === undefined ? asJson(value) : cellText(inner.value)
}

const asJson = (value: object): string => tame(JSON.stringify(value))

/** Texts of several lines stay what they are, apart from what steers terminals. */
const tameLines = (text: string): string => text.trimEnd().split('\n').map(tame).join('\n')

const isFlat = (value: unknown): boolean => typeof value !== 'object' || value === null

/** The value of an object that stands for one a database may leave NULL. */
function nullable(value: Fields): { readonly value: unknown } | undefined {
  if (typeof value.Valid !== 'boolean') return undefined
  const [inner, ...others] = Object.entries(value).filter(([name]) => name !== 'Valid')
  if (inner === undefined || others.length > 0) return undefined
  return { value: value.Valid ? inner[1] : null }
}
