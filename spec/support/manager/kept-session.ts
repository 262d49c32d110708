// Questions of a spec to its manager over one connection: the client of the house opens one for each request, whose TLS
// handshakes cost both sides 14 ms of a processor, and a story that waits asks 20 times a second.
import https from 'node:https'
import type { Reply } from '../../../http/client/connection.js'
import type { Session } from '../../../http/client/session.js'
import { readToken } from '../../../http/client/token-file.js'
import { SECOND } from '../../../lib/base/time.js'

const SILENCE_MS = 30 * SECOND
/** Codes of an answer that is no TLS. */
const noTls = new Set(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'])

/**
 * The same session, whose plain reads share a connection. What that one cannot answer is asked by the session itself: the first
 * question, which logs in, one whose token is refused, one whose connection ended with the manager, and all that is no read.
 */
export function keepConnected(session: Session, user: string): Session {
  const { host, port } = session.endpoint
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false })
  let token: string | undefined
  let isPlain = false

  async function read(path: string): Promise<Reply | undefined> {
    if (token === undefined || isPlain) return undefined
    try {
      const reply = await get({ agent, host, port, path, token })
      if (reply.status !== 401) return reply
      token = undefined
    } catch (error) {
      isPlain = noTls.has((error as NodeJS.ErrnoException).code ?? '')
    }
    return undefined
  }

  return {
    endpoint: session.endpoint,
    open: (method, path, options) => session.open(method, path, options),
    async call(method, path, options) {
      const value = method === 'GET' && options === undefined ? await read(path) : undefined
      if (value) return { ok: true, value }
      const reply = await session.call(method, path, options)
      if (reply.ok) token ??= await readToken(`${user}@${host}:${port}`)
      return reply
    },
  }
}

interface Question {
  readonly agent: https.Agent
  readonly host: string
  readonly port: number
  readonly path: string
  readonly token: string
}

function get({ token, ...where }: Question): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'application/problem+json, application/json, text/plain, */*',
      authorization: `Bearer ${token}`,
    }
    const request = https.get({ ...where, headers, timeout: SILENCE_MS }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        const body = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
    })
    request.once('timeout', () => request.destroy(new Error('no answer')))
    request.once('error', reject)
  })
}
