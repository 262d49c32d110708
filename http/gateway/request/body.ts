// Reads and parses a request's body within a bound: JSON, or the form fields that browsers and scripts send.
import type { IncomingMessage } from 'node:http'
import { type Failure, fail, ok, type Result } from '../../../lib/base/result.js'

/** The declared length is over the bound: the body need not be read to refuse it. */
export const isTooLarge = ({ headers }: IncomingMessage, limit: number): boolean =>
  Number(headers['content-length'] ?? 0) > limit

export const tooLarge = (limit: number): Failure => ({
  code: 'too-large',
  message: `the body is larger than ${limit} bytes`,
})

/** The fields of the body; an empty one has none. */
export async function readBody(req: IncomingMessage, limit: number): Promise<Result<unknown>> {
  const bytes = await readBytes(req, limit)
  return bytes.ok ? parseBody(bytes.value.toString(), req.headers['content-type'] ?? '') : bytes
}

/** The body as it was sent. */
export async function readBytes(req: IncomingMessage, limit: number): Promise<Result<Buffer>> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of req) {
      size += chunk.length
      if (size > limit) return { ok: false, failure: tooLarge(limit) }
      chunks.push(chunk)
    }
  } catch {
    return fail('bad-request', 'the body broke off')
  }
  return ok(Buffer.concat(chunks))
}

/** The fields of a query or a form: the last of several values of a name counts. */
export const parseFields = (text: string): Readonly<Record<string, string>> =>
  text === '' ? {} : Object.fromEntries(new URLSearchParams(text))

/** What begins as a JSON object is one, whatever its type: curl and wget call what they send a form unless a header says otherwise. */
function parseBody(text: string, type: string): Result<unknown> {
  if (text.trim() === '') return ok({})
  const isForm = type.startsWith('application/x-www-form-urlencoded')
  if (isForm && !text.trimStart().startsWith('{')) return ok(parseFields(text))
  try {
    return ok(JSON.parse(text))
  } catch {
    return isForm ? ok(parseFields(text)) : fail('bad-request', 'the body is not JSON')
  }
}
