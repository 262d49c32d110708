// The arbitrator over HTTP: one signed POST, one signed reply; nothing else is answered.
import http from 'node:http'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { Arbitrator } from './arbitrator.js'
import {
  type ArbitratorRequest,
  fleetOf,
  isSignature,
  MOST_BYTES,
  PATH,
  requestSchema,
  SIGNATURE,
  signReply,
  signRequest,
} from './message.js'

/** Longest time in which a request must have arrived. */
const ARRIVAL_MS = 5 * SECOND
/** Connections at once. */
const MOST_CONNECTIONS = 1_000

export interface ListenParts {
  readonly host: string
  readonly port: number
  /** Each fleet of managers has one of its own. */
  readonly secrets: readonly string[]
  readonly arbitrator: Arbitrator
  readonly log: (text: string) => void
}

export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** Failure: `cannot-listen`. */
export function listenArbitrator(parts: ListenParts): Promise<Result<Listening>> {
  const { host, port, log } = parts
  const server = http.createServer({ requestTimeout: ARRIVAL_MS, headersTimeout: ARRIVAL_MS }, (request, response) => {
    void answer(parts, request).then(({ status, body, signature }) => {
      const headers = { 'Content-Type': 'application/json', ...(signature ? { [SIGNATURE]: signature } : {}) }
      response.writeHead(status, headers)
      response.end(body)
    })
  })
  server.maxConnections = MOST_CONNECTIONS
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(fail('cannot-listen', `${host}:${port}: ${error.message}`)))
    server.listen({ host, port }, () => {
      const address = server.address()
      server.on('error', (error) => log(`listener: ${error.message}`))
      resolve(
        ok({
          port: typeof address === 'object' && address !== null ? address.port : port,
          close: () =>
            new Promise((ended) => {
              server.close(() => ended())
              server.closeAllConnections()
            }),
        }),
      )
    })
  })
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly signature?: string
}

const refusal = (status: number, problem: string): Answer => ({ status, body: JSON.stringify({ problem }) })

async function answer({ secrets, arbitrator, log }: ListenParts, request: http.IncomingMessage): Promise<Answer> {
  if (request.method !== 'POST' || request.url !== PATH) return refusal(404, `POST ${PATH} alone is answered`)
  const text = await readBody(request)
  if (text === undefined) return refusal(413, `a message has at most ${MOST_BYTES} bytes`)
  const given = String(request.headers[SIGNATURE] ?? '')
  const secret = secrets.find((one) => isSignature(given, signRequest(one, text)))
  if (secret === undefined) return refusal(401, 'the signature is by no secret of this arbitrator')
  const parsed = parseRequest(text)
  if (!parsed) return refusal(400, 'the message has another shape: manager and arbitrator are of different versions')
  const received = await arbitrator.receive(fleetOf(secret), parsed)
  if (!received.ok) {
    log(received.failure.message)
    return refusal(received.failure.code === 'bad-request' ? 409 : 503, received.failure.message)
  }
  const body = JSON.stringify(received.value)
  return { status: 200, body, signature: signReply(secret, given, body) }
}

function parseRequest(text: string): ArbitratorRequest | undefined {
  try {
    return requestSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Undefined when it is too long, or the connection broke. */
async function readBody(request: http.IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MOST_BYTES) return undefined
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  } catch {
    return undefined
  }
}
