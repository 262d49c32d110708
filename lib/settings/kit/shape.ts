// What a setting's value may be: one shape per kind, each reading text or TOML and saying what is allowed.
import path from 'node:path'
import { fail, ok, type Result } from '../../base/result.js'
import { reveal, type Secret, secret } from '../../base/secret.js'

export type ShapeKind = 'boolean' | 'integer' | 'text' | 'choice' | 'list' | 'hosts' | 'shares' | 'cron' | 'secret'

/** A value as it stands in a file, in a flag or on the wire. */
export type PlainValue = boolean | number | string

export interface Shape<T> {
  readonly kind: ShapeKind
  /** Completes the sentence "allowed: …". */
  readonly allowed: string
  readonly unit?: string
  readonly choices?: readonly string[]
  /** Reads a TOML value or text. The message of a failure (`wrong-value`) says what is allowed, never the value. */
  parse(input: unknown): Result<T>
  /** The value as it is written to a file; `parse` reads it back unchanged. A secret comes out in clear. */
  plain(value: T): PlainValue
}

export interface IntegerBounds {
  readonly min?: number
  readonly max?: number
  readonly unit?: string
  /** The wire shows it as a string, as existing clients expect. */
  readonly quoted?: boolean
}

const words: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'off', '0'].map((word) => [word, false] as const),
])

export function boolean(): Shape<boolean> {
  const allowed = 'true or false'
  return {
    kind: 'boolean',
    allowed,
    parse: (input) => {
      if (typeof input === 'boolean') return ok(input)
      const value = typeof input === 'object' ? undefined : words.get(String(input).trim().toLowerCase())
      return value === undefined ? refuse(allowed) : ok(value)
    },
    plain: (value) => value,
  }
}

export function integer({ min = 0, max, unit, quoted = false }: IntegerBounds = {}): Shape<number> {
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`
  const allowed = `a whole number ${range}${unit === undefined ? '' : ` (${unit})`}`
  return {
    kind: 'integer',
    allowed,
    ...(unit === undefined ? {} : { unit }),
    parse: (input) => {
      const value = wholeNumber(input)
      return value === undefined || value < min || (max !== undefined && value > max) ? refuse(allowed) : ok(value)
    },
    plain: (value) => (quoted ? String(value) : value),
  }
}

/** A TCP port; 0 asks the system for a free one where `free` is set. */
export const port = ({ free = false, quoted = false } = {}): Shape<number> =>
  integer({ min: free ? 0 : 1, max: 65_535, quoted })

const factors: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 }

/** A size counted in `unit`; text may carry another unit (`4G`), which is converted and must come out whole. */
export function size(unit: 'MB' | 'GB'): Shape<number> {
  const count = integer({ min: 1, unit, quoted: true })
  const allowed = `${count.allowed}, or with a unit: 512M, 4G`
  return {
    ...count,
    allowed,
    parse: (input) => {
      const match = /^(\d+)\s*([KMGT])i?B?$/i.exec(String(input).trim())
      const factor = factors[match?.[2]?.toUpperCase() ?? ''] ?? Number.NaN
      const parsed = count.parse(match ? (Number(match[1]) * factor) / (unit === 'GB' ? 1024 : 1) : input)
      return parsed.ok ? parsed : refuse(allowed)
    },
  }
}

export interface TextRule {
  readonly pattern: RegExp
  readonly allowed: string
}

export const nonEmpty: TextRule = { pattern: /\S/, allowed: 'text, not empty' }

export function text(rule?: TextRule): Shape<string> {
  const allowed = rule?.allowed ?? 'text without control characters'
  return {
    kind: 'text',
    allowed,
    parse: (input) => {
      const value = plainText(input)
      return value === undefined || rule?.pattern.test(value) === false ? refuse(allowed) : ok(value)
    },
    plain: (value) => value,
  }
}

/** A path; a relative one counts from where the manager was started, and is absolute from then on. */
export function filePath(rule?: TextRule): Shape<string> {
  const inner = text(rule)
  return {
    ...inner,
    parse: (input) => {
      const value = inner.parse(input)
      return value.ok && value.value !== '' ? ok(path.resolve(value.value)) : value
    },
  }
}

/** One of `choices`; `synonyms` maps old spellings to a choice. */
export function oneOf<const C extends string>(
  choices: readonly C[],
  synonyms: Readonly<Record<string, NoInfer<C>>> = {},
): Shape<C> {
  const known = new Map<string, C>([...Object.entries(synonyms), ...choices.map((choice) => [choice, choice] as const)])
  const allowed = choices.map((choice) => (choice === '' ? 'nothing' : choice)).join(', ')
  return {
    kind: 'choice',
    allowed,
    choices,
    parse: (input) => {
      const choice = known.get(plainText(input)?.trim().toLowerCase() ?? ' ')
      return choice === undefined ? refuse(allowed) : ok(choice)
    },
    plain: (value) => value,
  }
}

/** Any text, kept as a Secret. */
export function secretText(rule?: TextRule): Shape<Secret> {
  const inner = text(rule)
  return {
    kind: 'secret',
    allowed: inner.allowed,
    parse: (input) => {
      const value = inner.parse(input)
      return value.ok ? ok(secret(value.value)) : value
    },
    plain: reveal,
  }
}

/** `user:password` as one secret; nothing where the account is not needed. */
export const credential = (): Shape<Secret> =>
  secretText({ pattern: /^$|^[^:\s]+:.*$/, allowed: 'user:password, or nothing' })

export const refuse = (allowed: string): Result<never> => fail('wrong-value', `allowed: ${allowed}`)

/** Text of a TOML or flag value; undefined for what is no single line of text. */
export function plainText(input: unknown): string | undefined {
  if (typeof input === 'number' || typeof input === 'boolean') return String(input)
  if (typeof input !== 'string') return undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return /[\u0000-\u0008\u000a-\u001f\u007f]/.test(input) ? undefined : input
}

function wholeNumber(input: unknown): number | undefined {
  const value = typeof input === 'string' && /^\s*[+-]?\d+\s*$/.test(input) ? Number(input) : input
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}
