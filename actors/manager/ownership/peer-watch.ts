// Whether the managers of the other sites are heard: each one's heartbeat is read every second.
import http from 'node:http'
import https from 'node:https'
import { SECOND, sleep, steadyNow } from '../../../lib/base/time.js'

const READ_MS = SECOND
/** A peer that has not answered for so long is silent. */
const SILENT_MS = 3 * SECOND
/** `http-port` of a manager. */
const MANAGER_PORT = 10_001
/** A heartbeat is short. */
const MOST_BYTES = 64 << 10

export interface PeerParts {
  /** `arbitration-peer-hosts`. */
  readonly peers: readonly string[]
  /** Of this manager: one that answers with it is this one. */
  readonly uid: number
  readonly timeoutMs: number
}

export class PeerWatch {
  readonly #parts: PeerParts
  readonly #ending = new AbortController()
  /** Peer → when it was last heard. One that turns out to be this manager is removed. */
  readonly #heard: Map<string, number>

  constructor(parts: PeerParts) {
    this.#parts = parts
    const at = steadyNow()
    this.#heard = new Map(parts.peers.map((peer) => [peer, at]))
  }

  start(): void {
    for (const peer of this.#parts.peers) void this.#follow(peer)
  }

  close(): void {
    this.#ending.abort()
  }

  /** Which peers there are, when none of them is heard; undefined when one is, or there are none. */
  silence(): string | undefined {
    const at = steadyNow()
    const heard = [...this.#heard.values()]
    if (heard.length === 0 || heard.some((last) => at - last <= SILENT_MS)) return undefined
    return `Not heard: ${[...this.#heard.keys()].join(', ')}.`
  }

  async #follow(peer: string): Promise<void> {
    const { signal } = this.#ending
    const { uid, timeoutMs } = this.#parts
    while (!signal.aborted && this.#heard.has(peer)) {
      const asked = steadyNow()
      const id = await readHeartbeat(peer, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
      if (id !== undefined && id === uid && uid !== 0) this.#heard.delete(peer)
      else if (id !== undefined) this.#heard.set(peer, asked)
      await sleep(Math.max(READ_MS / 5, READ_MS - (steadyNow() - asked)), signal)
    }
  }
}

/** The unique id that the peer answers with; undefined when no heartbeat came. */
function readHeartbeat(peer: string, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    const lose = () => resolve(undefined)
    try {
      const url = new URL('/api/heartbeat', peer.includes('://') ? peer : `http://${peer}`)
      if (url.port === '') url.port = String(MANAGER_PORT)
      // Whether a site is cut off, not who answers: a certificate would prove nothing that matters here.
      const request =
        url.protocol === 'https:'
          ? https.get(url, { signal, agent: false, rejectUnauthorized: false })
          : http.get(url, { signal, agent: false })
      request.once('error', lose)
      request.once('response', (response) => {
        let text = ''
        response.on('data', (bytes: Buffer) => {
          text += bytes.toString()
          if (text.length > MOST_BYTES) request.destroy()
        })
        response.once('error', lose)
        response.once('close', lose)
        response.once('end', () => resolve(response.statusCode === 200 ? idOf(text) : undefined))
      })
    } catch {
      lose()
    }
  })
}

function idOf(text: string): number | undefined {
  try {
    const { uuid, id } = JSON.parse(text) as { readonly uuid?: unknown; readonly id?: unknown }
    return typeof uuid === 'string' && typeof id === 'number' ? id : undefined
  } catch {
    return undefined
  }
}
