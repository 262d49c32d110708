// The result of every fallible step: a value or a coded failure. Plain data, so it crosses threads.
import type { FailureCode } from './failures.js'

export interface Failure {
  readonly code: FailureCode
  /** What happened, where, with names and figures; one line. */
  readonly message: string
}

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })

export const done: Result<void> = { ok: true, value: undefined }

export const fail = (code: FailureCode, message: string): Result<never> => ({ ok: false, failure: { code, message } })

/** The failure of a result as an Error, for the few places (tests, main) that throw. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`${result.failure.code}: ${result.failure.message}`)
}
