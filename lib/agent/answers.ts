// The agent's port: HTTP for `/primary`, `/replica?lag=` and `/health`, and the lines of HAProxy's agent checks.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fail, ok, type Result } from '../base/result.js'
import { SECOND } from '../base/time.js'

export interface AgentAnswers {
  readonly primary: () => { readonly yes: boolean; readonly why: string }
  readonly replica: (maxLag: number | undefined) => boolean
  /** For people and for monitoring. */
  readonly health: () => object
  /** How a line may name this server. */
  readonly cluster: string
  readonly server: string
}

type ClientError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

/** Listens; failure `cannot-listen`. */
export async function openAnswers(
  answers: AgentAnswers,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Result<Server>> {
  const server = createServer(
    { headersTimeout: 5 * SECOND, requestTimeout: 5 * SECOND, connectionsCheckingInterval: SECOND },
    (req, res) => answerRequest(answers, req, res),
  )
  server.maxConnections = 1_000
  server.timeout = 30 * SECOND
  server.on('clientError', ({ code, rawPacket }: ClientError, socket: Socket) => {
    const line = code === 'HPE_INVALID_METHOD' ? (rawPacket?.toString('utf8') ?? '') : ''
    if (!socket.writable) socket.destroy()
    else socket.end(answerLine(answers, line), () => socket.destroy())
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, resolve)
    })
    return ok(server)
  } catch (error) {
    return fail('cannot-listen', `${host}:${port}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** `primary`, `replica` or `replica 30`, with the names of cluster and server after the word or without; else nothing. */
export function answerLine(answers: AgentAnswers, line: string): string {
  const [word, ...rest] = line
    .slice(0, Math.max(0, line.indexOf('\n')))
    .trim()
    .split(/\s+/)
  const named = rest.length >= 2
  if (named && (rest[0] !== answers.cluster || rest[1] !== answers.server)) return ''
  const [lag, ...more] = named ? rest.slice(2) : rest
  if (more.length > 0 || (lag !== undefined && (word !== 'replica' || !/^\d{1,9}$/.test(lag)))) return ''
  if (word === 'primary') return answers.primary().yes ? 'ready up\n' : 'down\n'
  if (word === 'replica') return answers.replica(lag === undefined ? undefined : Number(lag)) ? 'ready up\n' : 'down\n'
  return ''
}

interface Reply {
  readonly status: number
  readonly text: string
  readonly type?: string
}

function answerRequest(answers: AgentAnswers, req: IncomingMessage, res: ServerResponse): void {
  const { status, text, type = 'text/plain; charset=utf-8' } = replyTo(answers, req.url ?? '/')
  res.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' })
  res.end(`${text}\n`)
}

function replyTo(answers: AgentAnswers, url: string): Reply {
  if (!URL.canParse(url, BASE)) return { status: 400, text: 'the address cannot be read' }
  const { pathname, searchParams } = new URL(url, BASE)
  if (pathname === '/health') return { status: 200, text: JSON.stringify(answers.health()), type: 'application/json' }
  if (pathname === '/primary') {
    const { yes, why } = answers.primary()
    return { status: yes ? 200 : 503, text: why }
  }
  if (pathname !== '/replica') return { status: 404, text: 'ask for /primary, /replica or /health' }
  const lag = searchParams.get('lag')
  const seconds = lag === null ? undefined : /^(\d{1,9})s?$/.exec(lag)?.[1]
  if (lag !== null && seconds === undefined) return { status: 400, text: 'lag: a number of seconds is expected' }
  const yes = answers.replica(seconds === undefined ? undefined : Number(seconds))
  return yes ? { status: 200, text: 'it may be read from' } : { status: 503, text: 'it may not be read from' }
}

/** Addresses of requests are below it. */
const BASE = 'http://agent'
