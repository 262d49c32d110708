// One bounded HTTP request: for checks of something outside, and for proxies that are told over REST.
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { fail, ok, type Result } from '../../base/result.js'

export interface HttpRequest {
  readonly url: string
  /** `GET` when absent. */
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH'
  /** JSON text; no body when absent. */
  readonly body?: string
  /** Basic authentication. */
  readonly login?: { readonly user: string; readonly password: string }
  /** Longest time until the whole answer is there. */
  readonly timeoutMs: number
  /** Longest body that is read, bytes; 65,536 when absent. What follows is cut off. */
  readonly maxBytes?: number
  /** PEM text of the authority a private certificate is checked with. */
  readonly ca?: string
  /** False: any certificate will do. */
  readonly verify?: boolean
  readonly signal?: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly body: string
}

type Settle = (result: Result<HttpAnswer>) => void

/** Any status is an answer; `http-failed` when none came in time or at all. Follows no redirect, keeps no connection. */
export function httpAsk(wanted: HttpRequest): Promise<Result<HttpAnswer>> {
  const { url, timeoutMs, maxBytes = 65_536, method = 'GET', body, login, ca, verify = true, signal } = wanted
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
    const auth = login ? { auth: `${login.user}:${login.password}` } : {}
    const headers = body === undefined ? {} : { headers: { 'content-type': 'application/json' } }
    const trust = { rejectUnauthorized: verify, ...(ca === undefined ? {} : { ca }) }
    const options = { agent: false, method, ...auth, ...headers, ...trust }
    const { request: open } = /^https:/i.test(url) ? https : http
    const request = open(url, options, (response) => readAnswer(response, maxBytes, settle))
    request.on('error', (error) => settle(failed(error.message)))
    request.end(body)
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
