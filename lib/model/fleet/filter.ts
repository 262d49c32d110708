// The language that selects clusters of a fleet: one for the API, the client and the page. Pure, without imports but of rows.
import { type FleetRow, type FleetState, fleetFlags, fleetStates, semiStates } from './row.js'

export interface FilterFault {
  /** Where the term begins that is wrong, counted from 0. */
  readonly at: number
  readonly message: string
}

export type FleetFilter =
  | { readonly ok: true; readonly matches: (row: FleetRow) => boolean }
  | { readonly ok: false; readonly fault: FilterFault }

type Matches = (row: FleetRow) => boolean

/** Terms of one filter, and characters of it. */
const MOST_TERMS = 50
export const LONGEST_FILTER = 1_000

/** For help and documents: each form with an example and what it selects. */
export const filterForms = [
  ['word', 'shop', 'the word is part of the name, of the primary or of a tag'],
  ['state:', 'state:down,broken', `one of these states: ${fleetStates.join(', ')}`],
  ['tag:', 'tag:prod', 'it has this tag'],
  ['has:', 'has:op', 'it has this: op, errors, warnings, lag, loss, tags, paused, observed'],
  ['code:', 'code:WARN0060', 'its worst finding has this code, or a code that begins so'],
  ['op:', 'op:switchover', 'this operation is running'],
  ['primary:', 'primary:db1', 'the name of the primary contains this'],
  ['topology:', 'topology:master-slave', 'it has this topology'],
  ['mode:', 'mode:manual', 'failover is automatic or manual'],
  ['semi:', 'semi:off', 'semi-synchronous replication is on, off or none'],
  ['number', 'lag>5', 'lag, loss, errors, warnings, up, of, down or wps compared by < <= > >= ='],
  ['-', '-state:healthy', 'not so'],
] as const

/** All terms must hold; an empty filter selects everything. */
export function parseFilter(text: string): FleetFilter {
  if (text.length > LONGEST_FILTER) return fault(0, `the filter is longer than ${LONGEST_FILTER} characters`)
  const found = [...text.matchAll(/\S+/g)]
  if (found.length > MOST_TERMS) return fault(found[MOST_TERMS]?.index ?? 0, `more than ${MOST_TERMS} terms`)
  const terms: Matches[] = []
  for (const { 0: term, index } of found) {
    const isNegated = term.startsWith('-') && term.length > 1
    const parsed = parseTerm(isNegated ? term.slice(1) : term)
    if (typeof parsed === 'string') return fault(index, `${term}: ${parsed}`)
    terms.push(isNegated ? (row) => !parsed(row) : parsed)
  }
  return { ok: true, matches: (row) => terms.every((matches) => matches(row)) }
}

const fault = (at: number, message: string): FleetFilter => ({ ok: false, fault: { at, message } })

/** The message says what is wrong. */
function parseTerm(term: string): Matches | string {
  const compared = /^([a-z]+)(<=|>=|<|>|=)(.*)$/i.exec(term)
  if (compared) return parseComparison(compared[1] ?? '', compared[2] ?? '', compared[3] ?? '')
  const [, key = '', value = ''] = /^([a-z]+):(.*)$/i.exec(term) ?? []
  if (key === '') return word(term)
  const parse = own(fields, key.toLowerCase())
  // `localhost:3306` is the name of a server.
  if (!parse) return /^\d+$/.test(value) ? word(term) : `unknown: ${key}; known: ${Object.keys(fields).join(', ')}`
  return value === '' ? 'a value is missing after the colon' : parse(value.toLowerCase().split(',').filter(Boolean))
}

/** Not `constructor` of every object. */
const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

function word(text: string): Matches {
  const wanted = text.toLowerCase()
  return ({ name, primary, tags }) =>
    name.toLowerCase().includes(wanted) ||
    primary.toLowerCase().includes(wanted) ||
    tags.some((tag) => tag.toLowerCase().includes(wanted))
}

const has: Readonly<Record<string, Matches>> = {
  op: ({ op }) => op !== null,
  errors: ({ errors }) => errors > 0,
  warnings: ({ warnings }) => warnings > 0,
  lag: ({ lag }) => lag !== null && lag > 0,
  loss: ({ loss }) => loss !== null && loss > 0,
  tags: ({ tags }) => tags.length > 0,
  ...Object.fromEntries(fleetFlags.map((flag) => [flag, ({ flags }: FleetRow) => flags.includes(flag)])),
}

/** One of several values, separated by commas. */
const fields: Readonly<Record<string, (values: readonly string[]) => Matches | string>> = {
  state: (values) => oneOf(fleetStates, values) ?? (({ state }) => (values as readonly FleetState[]).includes(state)),
  tag: (values) => (row) => row.tags.some((tag) => values.includes(tag.toLowerCase())),
  has: (values) => oneOf(Object.keys(has), values) ?? ((row) => values.some((value) => has[value]?.(row))),
  code: (values) => (row) => values.some((value) => row.worst?.toLowerCase().startsWith(value)),
  op: (values) => (row) => row.op !== null && values.includes(row.op.toLowerCase()),
  name: (values) => (row) => values.some((value) => row.name.toLowerCase().includes(value)),
  primary: (values) => (row) => values.some((value) => row.primary.toLowerCase().includes(value)),
  topology: (values) => (row) => values.includes(row.topology.toLowerCase()),
  mode: (values) => oneOf(['automatic', 'manual'], values) ?? ((row) => values.includes(row.mode)),
  semi: (values) => oneOf(semiStates, values) ?? ((row) => values.includes(row.semi)),
}

const oneOf = (known: readonly string[], values: readonly string[]): string | undefined => {
  const wrong = values.find((value) => !known.includes(value))
  return wrong === undefined ? undefined : `unknown: ${wrong}; known: ${known.join(', ')}`
}

const numbers: Readonly<Record<string, (row: FleetRow) => number | null>> = {
  lag: ({ lag }) => lag,
  loss: ({ loss }) => loss,
  errors: ({ errors }) => errors,
  warnings: ({ warnings }) => warnings,
  up: ({ up }) => up,
  of: ({ of }) => of,
  down: ({ of, up }) => of - up,
  wps: ({ wps }) => wps,
}

const comparisons: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '=': (one, other) => one === other,
}

/** What is unknown is neither more nor less than anything. */
function parseComparison(key: string, sign: string, text: string): Matches | string {
  const [read, compare] = [own(numbers, key.toLowerCase()), comparisons[sign]]
  if (!read || !compare) return `${key} is no number of a cluster; known: ${Object.keys(numbers).join(', ')}`
  if (!/^\d+(\.\d+)?$/.test(text)) return `a number is expected after ${sign}`
  const wanted = Number(text)
  return (row) => {
    const value = read(row)
    return value !== null && compare(value, wanted)
  }
}
