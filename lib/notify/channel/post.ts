// One POST of a message to a receiver on the web, within a deadline; any answer but 2xx is a failure.
import { done, fail, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { httpAsk } from '../../connect/http/request.js'
import { hostOf } from './channel.js'

const TIMEOUT_MS = 10 * SECOND
/** Characters of the receiver's answer that a failure cites. */
const CITED = 200

export interface Post {
  readonly url: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** Empty: none. */
  readonly proxy?: string
}

export async function postMessage({ url, body, headers = {}, proxy = '' }: Post): Promise<Result<void>> {
  const answer = await httpAsk({
    ...{ url, method: 'POST', body, headers, shown: hostOf(url), timeoutMs: TIMEOUT_MS },
    ...(proxy === '' ? {} : { proxy }),
  })
  if (!answer.ok) return fail('alert-failed', answer.failure.message)
  const { status } = answer.value
  if (status >= 200 && status < 300) return done
  const words = answer.value.body.replace(/\s+/g, ' ').trim().slice(0, CITED)
  return fail('alert-failed', `${hostOf(url)}: it answered ${status}${words === '' ? '' : ` ${words}`}`)
}
