// HAProxy's runtime API: one connection per request, text until the end of the stream.
import net from 'node:net'
import { fail, ok, type Result } from '../../base/result.js'

export type Endpoint = { readonly host: string; readonly port: number } | { readonly path: string }

export interface Question {
  readonly endpoint: Endpoint
  /** Commands are answered in order. */
  readonly commands: readonly string[]
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** Longest answer that is read: a few thousand servers. */
const LONGEST = 8 << 20

/** The whole answer as text, or `proxy-failed` when it did not come in time or at all. Never throws. */
export function ask({ endpoint, commands, timeoutMs, signal }: Question): Promise<Result<string>> {
  const where = 'path' in endpoint ? endpoint.path : `${endpoint.host}:${endpoint.port}`
  if (signal?.aborted) return Promise.resolve(fail('proxy-failed', `${where}: given up`))
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (result: Result<string>) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      socket.destroy()
      resolve(result)
    }
    const lose = (reason: string) => settle(fail('proxy-failed', `${where}: ${reason}`))
    const abort = () => lose('given up')
    const timer = setTimeout(() => lose(`no answer within ${timeoutMs} ms`), timeoutMs)
    const socket = net.connect(endpoint, () => socket.write(`${commands.join(';')}\n`))
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > LONGEST) lose('the answer is too long')
    })
    socket.on('end', () => settle(ok(Buffer.concat(chunks).toString('utf8'))))
    socket.on('error', (error) => lose(error.message))
    socket.on('close', () => lose('the connection was closed'))
    signal?.addEventListener('abort', abort, { once: true })
  })
}
