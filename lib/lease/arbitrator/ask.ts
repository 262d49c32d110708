// A manager's side of the arbitrator: one session, its requests signed and in order, replies believed by their signature alone.
import { randomBytes } from 'node:crypto'
import http from 'node:http'
import { fail, ok, type Result } from '../../base/result.js'
import type { Report, Ruling } from './decide.js'
import {
  type ArbitratorReply,
  type ArbitratorRequest,
  isSignature,
  MOST_BYTES,
  PATH,
  parseReply,
  SIGNATURE,
  signReply,
  signRequest,
} from './message.js'

export interface ArbitratorAddress {
  readonly host: string
  readonly port: number
  readonly secret: string
  readonly uid: number
  /** Longest time of one request. */
  readonly timeoutMs: number
}

/** What is reported of one cluster. */
export type ClusterReport = { readonly cluster: string } & Omit<Report, 'session' | 'uid'>

export interface Released {
  readonly cluster: string
  readonly term: number
}

/** A request is sent again at once where the arbitrator was restarted, and has another challenge. */
const ATTEMPTS = 2

export class ArbitratorSession {
  readonly #address: ArbitratorAddress
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 2 })
  readonly #session = randomBytes(16).toString('hex')
  #challenge = ''
  #sequence = 0

  constructor(address: ArbitratorAddress) {
    this.#address = address
  }

  /** By cluster, what the arbitrator answers. Failure: `store-unreachable` with why. */
  async report(
    reports: readonly ClusterReport[],
    releases: readonly Released[] = [],
  ): Promise<Result<ReadonlyMap<string, Ruling>>> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const reply = await this.#exchange(reports, releases)
      if (!reply.ok) return reply
      this.#challenge = reply.value.challenge
      const { rulings } = reply.value
      if (rulings) return ok(new Map(rulings.map(({ cluster, ruling }) => [cluster, ruling])))
    }
    return fail('store-unreachable', `${this.#name}: it takes no request of this instance`)
  }

  close(): void {
    this.#agent.destroy()
  }

  get #name(): string {
    return `the arbitrator at ${this.#address.host}:${this.#address.port}`
  }

  async #exchange(reports: readonly ClusterReport[], releases: readonly Released[]): Promise<Result<ArbitratorReply>> {
    const { secret, uid } = this.#address
    this.#sequence += 1
    const request: ArbitratorRequest = {
      ...{ challenge: this.#challenge, session: this.#session, uid, sequence: this.#sequence },
      ...{ reports: [...reports], releases: [...releases] },
    }
    const body = JSON.stringify(request)
    const signature = signRequest(secret, body)
    const sent = await this.#send(body, signature)
    if (!sent.ok) return sent
    const { status, text, signed } = sent.value
    if (status === 200 && isSignature(signed, signReply(secret, signature, text))) {
      const reply = parseReply(text)
      return reply ? ok(reply) : fail('store-unreachable', `${this.#name}: its reply has another shape`)
    }
    const problem =
      status === 200 ? 'its reply is not signed with the secret' : `status ${status}: ${text.slice(0, 200)}`
    return fail('store-unreachable', `${this.#name}: ${problem}`)
  }

  #send(
    body: string,
    signature: string,
  ): Promise<Result<{ readonly status: number; readonly text: string; readonly signed: string }>> {
    const { host, port, timeoutMs } = this.#address
    return new Promise((resolve) => {
      const lose = (error: Error) => resolve(fail('store-unreachable', `${this.#name}: ${error.message}`))
      const request = http.request({
        ...{ host, port, path: PATH, method: 'POST', agent: this.#agent },
        signal: AbortSignal.timeout(timeoutMs),
        headers: { 'Content-Type': 'application/json', [SIGNATURE]: signature },
      })
      request.once('error', lose)
      request.once('response', (response) => {
        const signed = String(response.headers[SIGNATURE] ?? '')
        readReply(response).then((text) => resolve(ok({ status: response.statusCode ?? 0, text, signed })), lose)
      })
      request.end(body)
    })
  }
}

async function readReply(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new Error(`the reply is longer than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
