// The order of a fleet: by default those in trouble first. Pure, without imports but of rows.
import { type FleetRow, fleetStates } from './row.js'

type Compare = (one: FleetRow, other: FleetRow) => number

const names = new Intl.Collator('en', { numeric: true })

const byName: Compare = (one, other) => names.compare(one.name, other.name)

/** How bad it is: 0 is the worst. A cluster that is being changed comes before those at rest. */
export const troubleOf = ({ state, op }: FleetRow): number => fleetStates.indexOf(state) * 2 + (op === null ? 1 : 0)

const byTrouble: Compare = (one, other) =>
  troubleOf(one) - troubleOf(other) || other.errors - one.errors || other.warnings - one.warnings

const text =
  (read: (row: FleetRow) => string): Compare =>
  (one, other) =>
    names.compare(read(one), read(other))

/** What is unknown comes last in either direction. */
const number =
  (read: (row: FleetRow) => number | null, sign: 1 | -1): Compare =>
  (one, other) => {
    const [left, right] = [read(one), read(other)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return sign * (left - right)
  }

const numbers = {
  up: ({ up }: FleetRow) => up,
  of: ({ of }: FleetRow) => of,
  lag: ({ lag }: FleetRow) => lag,
  loss: ({ loss }: FleetRow) => loss,
  errors: ({ errors }: FleetRow) => errors,
  warnings: ({ warnings }: FleetRow) => warnings,
  at: ({ at }: FleetRow) => at,
  wps: ({ wps }: FleetRow) => wps,
} as const

const texts = {
  name: ({ name }: FleetRow) => name,
  primary: ({ primary }: FleetRow) => primary,
  topology: ({ topology }: FleetRow) => topology,
  worst: ({ worst }: FleetRow) => worst ?? '',
} as const

export const sortKeys = ['trouble', ...Object.keys(texts), ...Object.keys(numbers)] as readonly string[]

/** `lag` upwards, `-lag` downwards; several keys separated by commas; undefined for a key that is unknown. */
export function parseOrder(sort: string): Compare | undefined {
  const keys = sort.split(',').filter(Boolean)
  const all = keys.map(parseKey)
  if (all.some((compare) => compare === undefined)) return undefined
  const compares = [...(all as readonly Compare[]), byName]
  return (one, other) => {
    for (const compare of compares) {
      const result = compare(one, other)
      if (result !== 0) return result
    }
    return 0
  }
}

function parseKey(given: string): Compare | undefined {
  const key = given.replace(/^-/, '')
  const sign = given.startsWith('-') ? -1 : 1
  if (key === 'trouble') return (one, other) => sign * byTrouble(one, other)
  if (Object.hasOwn(numbers, key)) return number(numbers[key as keyof typeof numbers], sign)
  if (!Object.hasOwn(texts, key)) return undefined
  const compare = text(texts[key as keyof typeof texts])
  return (one, other) => sign * compare(one, other)
}

export const sortByTrouble = (rows: readonly FleetRow[]): readonly FleetRow[] =>
  rows.toSorted((one, other) => byTrouble(one, other) || byName(one, other))
