// Any value for people: lists of objects as tables, objects line by line, everything else as text.
import { counted } from '../../../lib/base/counted.js'
import { isoTime, SECOND } from '../../../lib/base/time.js'
import { paint, widthOf } from './paint.js'
import { type Column, fits, renderTable } from './table.js'
import { padText, tame, textWidth } from './text-width.js'

type Fields = Readonly<Record<string, unknown>>

/** A field by its path (`before.value`), its title where that is not the path's own words, and texts for some of its values. */
export type Shown = string | readonly [path: string, title: string, texts?: Readonly<Record<string, string>>]

export interface ValueView {
  /** Fields of the value or of its entries that are shown, where not all of them are. */
  readonly columns?: readonly Shown[]
  readonly width?: number
}

/** So many entries with more fields than there is room for are shown one below the other. */
const FEW = 5

/** Entries that a filter left whole: they are shown as all of them are. */
export const keepsColumns = (value: unknown, columns: readonly Shown[]): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (entry) =>
      isFields(entry) &&
      columns.filter((shown) => fieldAt(entry, typeof shown === 'string' ? shown : shown[0]) !== undefined).length * 2 >
        columns.length,
  )

export function renderValue(value: unknown, { columns, width = widthOf(process.stdout) }: ValueView = {}): string {
  if (!Array.isArray(value)) return isFields(value) ? renderChosen(value, columns) : cellText(value, tameLines)
  if (value.length === 0) return 'None.'
  if (!value.every(isFields)) return value.map((entry) => cellText(entry)).join('\n')
  const shown = (columns ?? [...new Set(value.flatMap(Object.keys))]).map(columnOf)
  if (columns === undefined && value.length <= FEW && !fits(shown, value, width))
    return value.map((entry) => renderFields(entry)).join('\n\n')
  return renderTable(shown, value, width)
}

function columnOf(shown: Shown, place: number): Column<Fields> {
  const path = typeof shown === 'string' ? shown : shown[0]
  const title = typeof shown === 'string' ? spaced(shown) : shown[1]
  const texts = typeof shown === 'string' ? {} : (shown[2] ?? {})
  return {
    title,
    isKey: place === 0 || path in moments,
    keepsEnd: /gtid/i.test(path),
    text: (entry) => {
      const text = fieldText(path, fieldAt(entry, path))
      return texts[text] ?? text
    },
  }
}

/** `expiresAt` → `expires at`; names in capitals stay as they are. */
const spaced = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()

/** The field, or the one within it that a path with dots leads to. */
const fieldAt = (entry: Fields, path: string): unknown =>
  path in entry
    ? entry[path]
    : path.split('.').reduce<unknown>((within, name) => (isFields(within) ? within[name] : undefined), entry)

/** Other fields that hold a moment, where they are numbers of milliseconds since the epoch: from 2001 on. */
const momentName = /(?:At|^since|^until|To)$/
const FIRST_MOMENT = 1e12

/** Timestamps that the API sends as numbers: milliseconds per unit. */
const moments: Readonly<Record<string, number>> = { at: 1, UnixTimestamp: SECOND, failoverLastTime: SECOND }

function fieldText(path: string, value: unknown): string {
  const isMoment = momentName.test(path) && typeof value === 'number' && value >= FIRST_MOMENT
  const unit = moments[path] ?? (isMoment ? 1 : undefined)
  if (unit !== undefined && typeof value === 'number') return value > 0 ? toSeconds(isoTime(value * unit)) : 'never'
  return toSeconds(cellText(value))
}

/** A moment without its fractions, everything else as it is. */
const toSeconds = (text: string): string => text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$/, '$1Z')

/** The fields that were chosen, and how many more there are. */
function renderChosen(fields: Fields, columns: readonly Shown[] | undefined): string {
  if (columns === undefined) return renderFields(fields)
  const chosen = columns
    .map((shown): readonly [string, unknown] => (typeof shown === 'string' ? [shown, shown] : [shown[1], shown[0]]))
    .map(([title, path]) => [title, fieldAt(fields, String(path)), String(path)] as const)
    .filter(([, value]) => value !== undefined)
  if (chosen.length === 0) return renderFields(fields)
  const known = Object.fromEntries(chosen.map(([title, value, path]) => [title, fieldText(path, value)]))
  const more = Object.keys(fields).length - chosen.length
  return [
    renderFields(known),
    ...(more > 0 ? [paint('dim', `… and ${counted(more, 'more field')}: --output json shows them all.`)] : []),
  ].join('\n')
}

function renderFields(fields: Fields): string {
  const width = Math.max(...Object.keys(fields).map(textWidth))
  return Object.entries(fields)
    .map(([name, value]) => `${paint('bold', padText(tame(name), width))}  ${fieldText(name, value)}`.trimEnd())
    .join('\n')
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of a value in one cell. */
export function cellText(value: unknown, harmless: (text: string) => string = tame): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return harmless(String(value))
  if (Array.isArray(value)) {
    if (value.every(isFlat)) return value.map((each) => cellText(each)).join(',')
    return value.every(isMember) ? value.map(({ host, port }) => tame(`${host}:${port}`)).join(', ') : asJson(value)
  }
  const inner = nullable(value as Fields)
  return inner === undefined ? asJson(value) : cellText(inner.value)
}

const asJson = (value: object): string => tame(JSON.stringify(value))

/** Texts of several lines stay what they are, apart from what steers terminals. */
const tameLines = (text: string): string => text.trimEnd().split('\n').map(tame).join('\n')

const isFlat = (value: unknown): boolean => typeof value !== 'object' || value === null

/** A server among others that an entry names. */
const isMember = (value: unknown): value is { readonly host: string; readonly port: string | number } =>
  isFields(value) && typeof value.host === 'string' && value.port !== undefined

/** The value of an object that represents a nullable column. */
function nullable(value: Fields): { readonly value: unknown } | undefined {
  if (typeof value.Valid !== 'boolean') return undefined
  const [inner, ...others] = Object.entries(value).filter(([name]) => name !== 'Valid')
  if (inner === undefined || others.length > 0) return undefined
  return { value: value.Valid ? inner[1] : null }
}
