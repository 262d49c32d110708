// The process behind `startFleet`: thousands of listeners that answer probes like database servers.
import net from 'node:net'
import { now, SECOND } from '../../../lib/base/time.js'
import { type CannedAnswers, cannedAnswers } from './canned.js'
import { greeting, okPacket } from './packets.js'

/** up: answers. hung: accepts, never answers. down: nothing listens. */
export type CannedState = 'up' | 'hung' | 'down'

export interface FleetRequest {
  readonly clusters: number
  readonly replicas: number
}

const AGAIN_MS = 100
const quit = 0x01
const query = 0x03

class Canned {
  readonly #answers: CannedAnswers
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()
  #gaps: number[] = []
  #probedAt: number | undefined
  #state: CannedState = 'up'
  #port = 0

  constructor(answers: CannedAnswers) {
    this.#answers = answers
    this.#server = net.createServer((socket) => this.#serve(socket))
  }

  listen(): Promise<number> {
    const listen = () => this.#server.listen(this.#port, '127.0.0.1')
    // While it was down a connection of this machine may have taken its port: it gives it back.
    const again = () => setTimeout(listen, AGAIN_MS)
    this.#server.on('error', again)
    return new Promise((resolve) => {
      this.#server.once('listening', () => {
        this.#server.off('error', again)
        this.#port = (this.#server.address() as net.AddressInfo).port
        resolve(this.#port)
      })
      listen()
    })
  }

  /** Milliseconds between the fast probes since this was last called. */
  takeGaps(): readonly number[] {
    const gaps = this.#gaps
    this.#gaps = []
    return gaps
  }

  async become(state: CannedState): Promise<void> {
    const before = this.#state
    this.#state = state
    if (before === 'down' && state !== 'down') await this.listen()
    if (state !== 'down' || before === 'down') return
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #serve(socket: net.Socket): void {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
    let loggedIn = false
    let waiting: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
      while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUIntLE(0, 3)) {
        const end = 4 + waiting.readUIntLE(0, 3)
        const payload = waiting.subarray(4, end)
        waiting = waiting.subarray(end)
        if (this.#state === 'up') socket.write(loggedIn ? this.#reply(payload, socket) : okPacket(2))
        loggedIn = true
      }
    })
    if (this.#state === 'up') socket.write(greeting(this.#answers.version, 1))
  }

  #reply(payload: Buffer, socket: net.Socket): Buffer {
    if (payload[0] === quit) socket.end()
    if (payload[0] !== query) return okPacket(1)
    const heartbeats = Math.floor(now() / SECOND) % 1_000_000_000
    const text = payload.toString('utf8', 1)
    if (this.#answers.isFastLook(text)) this.#noteLook(now())
    return this.#answers.reply(text, heartbeats) ?? okPacket(1)
  }

  #noteLook(at: number): void {
    if (this.#probedAt !== undefined) this.#gaps.push(at - this.#probedAt)
    this.#probedAt = at
  }
}

async function main({ clusters, replicas }: FleetRequest): Promise<void> {
  const fleet: Canned[] = []
  const ports: number[] = []
  const add = async (sourcePort?: number) => {
    const number = fleet.length + 1
    const canned = new Canned(cannedAnswers({ number, ...(sourcePort === undefined ? {} : { sourcePort }) }))
    fleet.push(canned)
    const port = await canned.listen()
    ports.push(port)
    return port
  }
  for (let cluster = 0; cluster < clusters; cluster += 1) {
    const primaryPort = await add()
    for (let replica = 0; replica < replicas; replica += 1) await add(primaryPort)
  }
  process.on('message', (order: { index: number; state: CannedState } | 'take-gaps') => {
    if (order === 'take-gaps') process.send?.(fleet.flatMap((canned) => canned.takeGaps()))
    else void fleet[order.index]?.become(order.state).then(() => process.send?.(order))
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ ports })
}

if (process.argv[1] === import.meta.filename)
  await main({ clusters: Number(process.argv[2]), replicas: Number(process.argv[3]) })
