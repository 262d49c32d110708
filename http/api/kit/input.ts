// Shapes of parameters that arrive as text: what the server accepts of each is exactly what OpenAPI says of it.
import * as z from 'zod'

const flags: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** `true` or `false`, as text or as JSON. */
export const flag = () =>
  z.preprocess((given) => flags.get(given) ?? given, z.boolean('must be true or false')).meta({ type: 'boolean' })

/** Bounds of a number, both inclusive. */
export interface Range {
  readonly min: number
  readonly max: number
}

const WHOLE = /^(0|-?[1-9]\d{0,15})$/
const DECIMAL = /^-?(0|[1-9]\d{0,15})(\.\d{1,30})?([eE][+-]?\d{1,3})?$/

/** A whole number, as decimal digits or as JSON. */
export const wholeNumber = ({ min, max }: Range) =>
  z
    .preprocess(numberOf(WHOLE), z.number().int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max })

/** A number with or without a fraction, as text or as JSON. */
export const decimalNumber = ({ min, max }: Range) =>
  z.preprocess(numberOf(DECIMAL), z.number().min(min).max(max)).meta({ type: 'number', minimum: min, maximum: max })

const numberOf = (form: RegExp) => (given: unknown) =>
  typeof given === 'string' && form.test(given) ? Number(given) : given

/** A whole number that is passed on as the text that it is: a segment of a path. */
export const wholeText = ({ min, max }: Range) =>
  z
    .string()
    .refine(
      (text) => WHOLE.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .meta({ type: 'integer', minimum: min, maximum: max })

/** The same with a fraction. */
export const decimalText = ({ min, max }: Range) =>
  z
    .string()
    .refine(
      (text) => DECIMAL.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a number from ${min} to ${max}`,
    )
    .meta({ type: 'number', minimum: min, maximum: max })

/** A TCP port as a segment of a path. */
export const portText = () => wholeText({ min: 1, max: 65_535 })

const MOST_LAG = 999_999_999

/** Seconds of lag, with or without the unit `s`. */
export const lagText = () =>
  z
    .string()
    .regex(/^\d{1,9}s?$/, 'a number of seconds is expected')
    .meta({ type: ['integer', 'string'], minimum: 0, maximum: MOST_LAG })

/** What every segment of a path is: no control characters, no name of a folder. */
export const segmentJson = { type: 'string', minLength: 1, pattern: '^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f]+$' }

const states = ['on', 'off', 'true', 'false', '1', '0'] as const

/** The last word of a path that sets something to a state, or toggles it without one. */
export const stateParams = z.looseObject({ state: z.enum(states).optional() })

export const stateOf = (state: string | undefined): boolean | undefined =>
  state === undefined ? undefined : ['on', 'true', '1'].includes(state)

/** The same as a field of a request: absent for a toggle. */
export function wantedOf(state: string | undefined): { readonly on?: boolean } {
  const on = stateOf(state)
  return on === undefined ? {} : { on }
}
