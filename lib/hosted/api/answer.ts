// What a hosted service answers, read with bounds: JSON of limited size, without secrets, its refusals as failures.
import type { FailureCode } from '../../base/failures.js'
import { fail, ok, type Result } from '../../base/result.js'
import { MASK } from '../../base/secret.js'
import type { HttpAnswer } from '../../connect/http/request.js'

/** A JSON value as it came. */
export type Json = Readonly<Record<string, unknown>> | readonly unknown[]

/** Characters of the service's own words that a message cites. */
const CITED = 300

/** Fields whose values are never passed on. */
const SECRET_FIELD = /pass|secret|token|credential|key/i

/** By status, what a refusal means; any other status that is not 2xx means that the service cannot be used now. */
export type Refusals = Readonly<Record<number, FailureCode>>

/** The JSON of a 2xx answer, else the failure of its status. `shown` names the service; `hidden` is in no text that results. */
export function readAnswer(
  { status, body }: HttpAnswer,
  { refusals, shown, hidden }: { readonly refusals: Refusals; readonly shown: string; readonly hidden: string },
): Result<Json> {
  const parsed = masked(parseJson(body), hidden)
  if (status >= 200 && status < 300)
    return parsed === undefined
      ? fail('registration-unreachable', `${shown}: answered ${status} with what is no JSON of at most 64 KiB`)
      : ok(parsed)
  const code = refusals[status]
  const words = wordsOf(parsed)
  const cited = words === '' ? '' : `: ${words}`
  return code === undefined
    ? fail(
        'registration-unreachable',
        `${shown}: answered ${status}${isRedirect(status) ? ', a redirect, which is not followed' : ''}${cited}`,
      )
    : fail(code, `${shown}: answered ${status}${cited}`)
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** An answer may repeat the request: as it is, or as the text of its JSON. */
function masked(value: Json | undefined, hidden: string): Json | undefined {
  if (hidden === '') return value
  const escaped = JSON.stringify(hidden).slice(1, -1)
  return mapped(value, (text) => text.replaceAll(hidden, MASK).replaceAll(escaped, MASK)) as Json | undefined
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => mapped(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [change(name), mapped(field, change)]))
}

function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

/** An answer as it is passed on: without fields that are named like secrets. */
export function withoutSecrets<T>(value: T): T {
  return stripped(value) as T
}

function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([name]) => !SECRET_FIELD.test(name))
  return Object.fromEntries(fields.map(([name, field]) => [name, stripped(field)]))
}

/** The service's own words in one line. */
function wordsOf(value: Json | undefined): string {
  if (value === undefined || Array.isArray(value)) return ''
  const { error, message } = value as Readonly<Record<string, unknown>>
  const words = typeof error === 'string' ? error : typeof message === 'string' ? message : ''
  return words
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, CITED)
}
