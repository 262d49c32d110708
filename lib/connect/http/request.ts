// One bounded HTTP request: for external checks, and for proxies that are configured over REST.
import type { Readable } from 'node:stream'
import { fail, ok, type Result } from '../../base/result.js'
import { type HttpOpening, openHttp, reasonOf } from './open.js'

export interface HttpRequest {
  readonly url: string
  /** `GET` when absent. */
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH'
  /** JSON text, unless `headers` give another type; no body when absent. */
  readonly body?: string
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** HTTP proxy through which the server is reached. */
  readonly proxy?: string
  /** How failures name the server, where its address is a secret; its address when absent. */
  readonly shown?: string
  /** Basic authentication. */
  readonly login?: { readonly user: string; readonly password: string }
  /** Timeout of the whole answer. */
  readonly timeoutMs: number
  /** Maximum body size, bytes; 65,536 when absent. The rest is cut off. */
  readonly maxBytes?: number
  /** PEM text of the CA that a private certificate is verified with. */
  readonly ca?: string
  /** False: any certificate is accepted. */
  readonly verify?: boolean
  readonly signal?: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly body: string
}

/** Any status is an answer; `http-failed` when there is none in time. Follows no redirect, keeps no connection. */
export async function httpAsk(wanted: HttpRequest): Promise<Result<HttpAnswer>> {
  const { url, shown = url, proxy, timeoutMs, maxBytes = 65_536, signal } = wanted
  const failed = (reason: string) => fail('http-failed', `${shown}: ${reason}`)
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return failed('no HTTP address')
  if (proxy !== undefined && !URL.canParse(proxy)) return failed('the address of the proxy is no HTTP address')
  if (signal?.aborted) return failed('given up')
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), timeoutMs)
  const ends = AbortSignal.any([deadline.signal, ...(signal ? [signal] : [])])
  try {
    const reply = await openHttp(openingOf(wanted, ends))
    return ok({ status: reply.status, body: await readBounded(reply.body, maxBytes) })
  } catch (error) {
    if (signal?.aborted) return failed('given up')
    if (deadline.signal.aborted) return failed(`no answer within ${timeoutMs} ms`)
    return failed(reasonOf(error))
  } finally {
    clearTimeout(timer)
  }
}

function openingOf(
  { url, method = 'GET', body, headers = {}, login, timeoutMs, ca, verify = true, proxy }: HttpRequest,
  signal: AbortSignal,
): HttpOpening {
  const address = new URL(url)
  const { user, password } = login ?? {
    user: decodeURIComponent(address.username),
    password: decodeURIComponent(address.password),
  }
  return {
    ...{ url: address, method, connectMs: timeoutMs, silenceMs: timeoutMs, verify, signal },
    headers: {
      ...(user === '' && password === '' ? {} : { authorization: `Basic ${base64(`${user}:${password}`)}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(proxy === undefined ? {} : { proxy: new URL(proxy) }),
    ...(body === undefined ? {} : { body }),
    ...(ca === undefined ? {} : { ca }),
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** The body up to `maxBytes`; what follows is not read. */
async function readBounded(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk as Buffer)
    length += (chunk as Buffer).length
    if (length >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}
