// A failure with its code on its way through streams, which know only errors.
import type { FailureCode } from '../../../base/failures.js'
import { type Failure, fail, type Result } from '../../../base/result.js'

export class StreamFailure extends Error {
  readonly failure: Failure
  constructor(code: FailureCode, message: string) {
    super(message)
    this.failure = { code, message }
  }
}

/** The value, or the failure thrown. */
export function need<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new StreamFailure(result.failure.code, result.failure.message)
}

export function failureOf(error: unknown): Result<never> {
  if (error instanceof StreamFailure) return { ok: false, failure: error.failure }
  return fail('transfer-failed', error instanceof Error ? error.message : String(error))
}
