// One bounded HTTP GET: for checks of something outside, whose answer is a status and a few words.
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { fail, ok, type Result } from '../base/result.js'

export interface HttpRequest {
  readonly url: string
  /** Longest time until the whole answer is there. */
  readonly timeoutMs: number
  /** Longest body that is read, bytes; 65,536 when absent. What follows is cut off. */
  readonly maxBytes?: number
  /** PEM text of the authority a private certificate is checked with. */
  readonly ca?: string
  readonly signal?: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly body: string
}

type Settle = (result: Result<HttpAnswer>) => void

/** Any status is an answer; `http-failed` when none came in time or at all. Follows no redirect, keeps no connection. */
export function httpGet(wanted: HttpRequest): Promise<Result<HttpAnswer>> {
  const { url, timeoutMs, maxBytes = 65_536, ca, signal } = wanted
  const failed = (reason: string) => fail('http-failed', `${url}: ${reason}`)
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return Promise.resolve(failed('no HTTP address'))
  if (signal?.aborted) return Promise.resolve(failed('given up'))
  return new Promise((resolve) => {
    const settle: Settle = (result) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      resolve(result)
      request.destroy()
    }
    const abort = () => settle(failed('given up'))
    const timer = setTimeout(() => settle(failed(`no answer within ${timeoutMs} ms`)), timeoutMs)
    const options = { agent: false, ...(ca === undefined ? {} : { ca }) }
    const { get } = /^https:/i.test(url) ? https : http
    const request = get(url, options, (response) => readAnswer(response, maxBytes, settle))
    request.on('error', (error) => settle(failed(error.message)))
    signal?.addEventListener('abort', abort, { once: true })
  })
}

function readAnswer(response: IncomingMessage, maxBytes: number, settle: Settle): void {
  const chunks: Buffer[] = []
  let length = 0
  const finish = () => {
    const body = Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
    settle(ok({ status: response.statusCode ?? 0, body }))
  }
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxBytes) finish()
  })
  response.on('end', finish)
  response.on('error', (error) => settle(fail('http-failed', error.message)))
}
