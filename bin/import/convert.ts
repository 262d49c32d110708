// Conversions of single values, each for the rows of the tables.
import type { SettingName } from '../../lib/settings/index.js'
import type { Convert, Part, Plain } from './foreign.js'

/** As it stands. */
export const copy =
  (...names: readonly SettingName[]): Convert =>
  ({ value }) =>
    give(names, value)

/** It says which servers and sections belong together; the clusters are made from it. */
export const structure: Convert = () => ({})

export const half =
  (part: Part): Convert =>
  () => ({ part })

export const truth =
  (...names: readonly SettingName[]): Convert =>
  ({ value }) => {
    const is = readTruth(value)
    return is === undefined ? { problem: 'neither true nor false: correct it there' } : give(names, is)
  }

/** Sets the value where the foreign one is true, and leaves the default where it is not. */
export const where =
  (wanted: boolean, name: SettingName, value: Plain): Convert =>
  (entry) => {
    const is = readTruth(entry.value)
    if (is === undefined) return { problem: 'neither true nor false: correct it there' }
    return is === wanted ? give([name], value) : {}
  }

/** A whole number, multiplied. */
export const times =
  (factor: number, name: SettingName): Convert =>
  ({ value }) =>
    /^\d+$/.test(value.trim()) ? give([name], Number(value) * factor) : { problem: 'no whole number: correct it there' }

/** A duration in whole seconds, rounded up; a number without a unit is in `unitMs`. */
export const seconds =
  (unitMs: number, name: SettingName): Convert =>
  ({ value }) => {
    const ms = readDuration(value, unitMs)
    return ms === undefined
      ? { problem: 'no duration: correct it there' }
      : give([name], Math.max(1, Math.ceil(ms / 1000)))
  }

/** The server of this section, where the value is true. */
export const listed =
  (name: SettingName): Convert =>
  ({ value }, { address }) =>
    readTruth(value) === true && address !== undefined ? { items: { [name]: [address] } } : {}

/** Names of sections of servers, as their addresses. */
export const named =
  (name: SettingName): Convert =>
  ({ value }, { addressOf }) => {
    const names = listOf(value)
    const unknown = names.filter((each) => addressOf(each) === undefined)
    if (unknown.length > 0) return { problem: `no section of a server: ${unknown.join(', ')}` }
    return { items: { [name]: names.flatMap((each) => addressOf(each) ?? []) } }
  }

/** Patterns of host names: the hosts of the cluster that one of them matches. */
export const matching =
  (name: SettingName): Convert =>
  ({ items = [] }, { hosts }) => {
    const patterns = items.map(readPattern)
    if (patterns.includes(undefined)) return { problem: 'a pattern that cannot be read here: name the servers by hand' }
    const found = hosts.filter((host) => patterns.some((pattern) => pattern?.test(host)))
    if (items.length > 0 && found.length === 0) return { problem: 'no server of the cluster matches' }
    return found.length === 0 ? {} : { items: { [name]: found } }
  }

export const listOf = (value: string): readonly string[] =>
  value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

export function readTruth(value: string): boolean | undefined {
  if (/^(true|yes|on|1)$/i.test(value.trim())) return true
  return /^(false|no|off|0|)$/i.test(value.trim()) ? false : undefined
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }

export function readDuration(value: string, unitMs: number): number | undefined {
  const [, number = '', unit = ''] = /^(\d+)\s*(ms|s|m|min|h)?$/i.exec(value.trim()) ?? []
  return number === '' ? undefined : Number(number) * (units[unit.toLowerCase()] ?? unitMs)
}

/** Long patterns and those with nested repetition are not run: one could hold the program. */
export function readPattern(text: string): RegExp | undefined {
  if (text.length > 200 || /[+*}]\s*\)\s*[+*{]/.test(text)) return undefined
  try {
    return new RegExp(text)
  } catch {
    return undefined
  }
}

const give = (names: readonly SettingName[], value: Plain) => ({
  settings: Object.fromEntries(names.map((name) => [name, value])),
})
