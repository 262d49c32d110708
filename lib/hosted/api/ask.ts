// One question to a service of the operator: JSON both ways, bounded in time and size, no redirects, certificates verified.
import { fail, type Result } from '../../base/result.js'
import { type HttpRequest, httpAsk } from '../../connect/http/request.js'
import { type Json, type Refusals, readAnswer } from './answer.js'

/** Bytes of an answer. */
const LONGEST = 65_536

export interface Question extends Pick<HttpRequest, 'method' | 'headers' | 'timeoutMs' | 'signal'> {
  /** The host, as failures name it. */
  readonly shown: string
  readonly url: string
  /** JSON. */
  readonly body?: string
  readonly refusals: Refusals
  /** A password that the answer may repeat: it is in no text that results. */
  readonly hidden: string
}

/** `registration-unreachable`, or the failure of the status. */
export async function askJson({ refusals, hidden, headers, ...request }: Question): Promise<Result<Json>> {
  const answer = await httpAsk({
    ...request,
    headers: { accept: 'application/json', ...headers },
    maxBytes: LONGEST + 1,
  })
  if (!answer.ok) return fail('registration-unreachable', answer.failure.message)
  const { status, body } = answer.value
  const text = Buffer.byteLength(body) > LONGEST ? '' : body
  return readAnswer({ status, body: text }, { refusals, shown: request.shown, hidden })
}

/** The address without its last slashes: paths are appended to it. */
export const baseOf = (address: string): string => new URL(address).href.replace(/\/+$/, '')
