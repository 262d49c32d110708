// What a setting's value may be: one shape per kind, a zod schema that reads text or TOML, and a sentence of what is allowed.
import path from 'node:path'
import * as z from 'zod'
import { fail, ok, type Result } from '../../base/result.js'
import { reveal, type Secret, secret } from '../../base/secret.js'
import { suggest } from '../../base/suggest.js'

export type ShapeKind = 'boolean' | 'integer' | 'text' | 'choice' | 'list' | 'hosts' | 'shares' | 'cron' | 'secret'

/** A value as it is written in a file, in a flag or on the wire. */
export type PlainValue = boolean | number | string

export interface Shape<T> extends Omit<ShapeForm<T>, 'schema'> {
  /** Reads a TOML value or text. The message of a failure (`wrong-value`) says what is allowed, never a whole value. */
  parse(input: unknown): Result<T>
}

export interface ShapeForm<T> {
  readonly kind: ShapeKind
  /** Completes the sentence "allowed: …". */
  readonly allowed: string
  readonly unit?: string
  readonly choices?: readonly string[]
  /** Made at the first value that is read: most settings of most processes stay at their default. */
  readonly schema: () => z.ZodType<T>
  /** The value as it is written to a file; `parse` reads it back unchanged. A secret is written in clear. */
  plain(value: T): PlainValue
}

export function shapeOf<T>({ schema, ...form }: ShapeForm<T>): Shape<T> {
  let made: z.ZodType<T> | undefined
  return {
    ...form,
    parse: (input) => {
      made ??= schema()
      const read = made.safeParse(input)
      return read.success ? ok(read.data) : refuse(form.allowed + nearest(form, input), culpritOf(read.error))
    },
  }
}

/** The choice that was probably meant. */
function nearest({ kind, choices = [] }: Pick<ShapeForm<unknown>, 'kind' | 'choices'>, input: unknown): string {
  const near = kind === 'choice' && typeof input === 'string' ? suggest(input, choices.filter(Boolean)) : undefined
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** `wrong-value`; `culprit` names the part that is wrong: `db1:0 is not a host`. */
export const refuse = (allowed: string, culprit?: string): Result<never> =>
  fail('wrong-value', `${culprit === undefined ? '' : `${culprit}; `}allowed: ${allowed}`)

/** A check that names the wrong part in its failure: `<part> <what>`. */
export const naming =
  (isRight: (part: string) => boolean, what: string) =>
  (part: string, context: z.RefinementCtx<string>): void => {
    if (!isRight(part)) context.addIssue({ code: 'custom', params: { culprit: `${part} ${what}` } })
  }

function culpritOf({ issues }: z.ZodError): string | undefined {
  const culprits = issues.flatMap((issue) => (issue.code === 'custom' ? [issue.params?.culprit] : []))
  return culprits.find((culprit) => typeof culprit === 'string')
}

export const boolean = (): Shape<boolean> =>
  shapeOf({
    kind: 'boolean',
    allowed: 'true or false',
    schema: () => z.preprocess(word, z.stringbool({ truthy: ['true', 'on', '1'], falsy: ['false', 'off', '0'] })),
    plain: (value) => value,
  })

const word = (input: unknown): unknown => (typeof input === 'object' ? input : String(input).trim())

export interface IntegerBounds {
  readonly min?: number
  readonly max?: number
  readonly unit?: string
  /** The wire shows it as a string, as existing clients expect. */
  readonly quoted?: boolean
}

export const integer = ({ min = 0, max, unit, quoted = false }: IntegerBounds = {}): Shape<number> =>
  shapeOf({
    kind: 'integer',
    allowed: wholeNumberOf({ min, max, unit }),
    ...(unit === undefined ? {} : { unit }),
    schema: () => z.preprocess(wholeNumber, within(min, max)),
    plain: (value) => (quoted ? String(value) : value),
  })

const within = (min: number, max: number | undefined): z.ZodType<number> =>
  max === undefined ? z.int().min(min) : z.int().min(min).max(max)

function wholeNumberOf({ min, max, unit }: Record<'min', number> & Record<'max' | 'unit', unknown>): string {
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`
  return `a whole number ${range}${unit === undefined ? '' : ` (${unit})`}`
}

const wholeNumber = (input: unknown): unknown =>
  typeof input === 'string' && /^\s*[+-]?\d+\s*$/.test(input) ? Number(input) : input

/** A TCP port; 0 asks the system for a free one where `free` is set. */
export const port = ({ free = false, quoted = false } = {}): Shape<number> =>
  integer({ min: free ? 0 : 1, max: 65_535, quoted })

const factors: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 }

/** A size counted in `unit`; text may carry another unit (`4G`), which is converted and must come out whole. */
export const size = (unit: 'MB' | 'GB'): Shape<number> =>
  shapeOf({
    kind: 'integer',
    allowed: `${wholeNumberOf({ min: 1, max: undefined, unit })}, or with a unit: 512M, 4G`,
    unit,
    schema: () => z.preprocess(sizeIn(unit), within(1, undefined)),
    plain: String,
  })

const sizeIn =
  (unit: 'MB' | 'GB') =>
  (input: unknown): unknown => {
    const match = /^(\d+)\s*([KMGT])i?B?$/i.exec(String(input).trim())
    const factor = factors[match?.[2]?.toUpperCase() ?? ''] ?? Number.NaN
    return match ? (Number(match[1]) * factor) / (unit === 'GB' ? 1024 : 1) : wholeNumber(input)
  }

export interface TextRule {
  readonly pattern: RegExp
  readonly allowed: string
}

export const nonEmpty: TextRule = { pattern: /\S/, allowed: 'text, not empty' }

export const text = (rule?: TextRule): Shape<string> =>
  shapeOf({ kind: 'text', allowed: allowedText(rule), schema: () => line(rule), plain: (value) => value })

const allowedText = (rule: TextRule | undefined): string => rule?.allowed ?? 'text without control characters'

/** One line of text. */
const line = (rule: TextRule | undefined): z.ZodType<string> =>
  z.preprocess(plainText, rule ? z.string().regex(rule.pattern) : z.string())

/** A path; a relative one counts from where the manager was started, and is absolute from then on. */
export const filePath = (rule?: TextRule): Shape<string> =>
  shapeOf({
    kind: 'text',
    allowed: allowedText(rule),
    schema: () => line(rule).transform((value) => (value === '' ? value : path.resolve(value))),
    plain: (value) => value,
  })

/** One of `choices`; `synonyms` maps old spellings to a choice. */
export function oneOf<const C extends string>(
  choices: readonly C[],
  synonyms: Readonly<Record<string, NoInfer<C>>> = {},
): Shape<C> {
  const known = new Map<string, string>(Object.entries(synonyms))
  const choice = (input: unknown) => {
    const spelling = plainText(input)?.trim().toLowerCase()
    return spelling === undefined ? undefined : (known.get(spelling) ?? spelling)
  }
  return shapeOf({
    kind: 'choice',
    allowed: choices.map((one) => (one === '' ? 'nothing' : one)).join(', '),
    choices,
    schema: () => z.preprocess(choice, z.enum(choices)),
    plain: (value) => value,
  })
}

/** Any text, kept as a Secret. */
export const secretText = (rule?: TextRule): Shape<Secret> =>
  shapeOf({ kind: 'secret', allowed: allowedText(rule), schema: () => line(rule).transform(secret), plain: reveal })

/** `user:password` as one secret; nothing where the account is not needed. */
export const credential = (): Shape<Secret> =>
  secretText({ pattern: /^$|^[^:\s]+:.*$/, allowed: 'user:password, or nothing' })

/** Text of a TOML or flag value; undefined for anything but a single line of text. */
export function plainText(input: unknown): string | undefined {
  if (typeof input === 'number' || typeof input === 'boolean') return String(input)
  if (typeof input !== 'string') return undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return /[\u0000-\u0008\u000a-\u001f\u007f]/.test(input) ? undefined : input
}
