// A door between the manager and one server that shuts in the ways networks shut: for stories of a cut-off manager.
import net from 'node:net'
import { freePorts } from './ports.js'

/**
 * open: bytes pass. refuse: nothing listens, what was open is reset. reset: connections are accepted and cut at once.
 * hang: connections stay and are accepted, nothing passes.
 */
export type GateMode = 'open' | 'refuse' | 'reset' | 'hang'

interface Passage {
  readonly inside: net.Socket
  readonly outside: net.Socket
}

export class TcpGate {
  readonly port: number
  #mode: GateMode = 'refuse'
  #target = 0
  #server: net.Server | undefined
  readonly #passages = new Set<Passage>()
  readonly #held = new Set<net.Socket>()
  /** Every byte takes so long, each way; for connections from then on. */
  delayMs = 0
  /** Called before bytes pass that go to the server, and not before it has returned. */
  beforeBytes: (bytes: Buffer) => void = () => undefined

  private constructor(port: number) {
    this.port = port
  }

  /** A shut gate on a free port of 127.0.0.1. */
  static async create(): Promise<TcpGate> {
    const [port = 0] = await freePorts(1)
    return new TcpGate(port)
  }

  /** An open one. */
  static async to(target: number): Promise<TcpGate> {
    const gate = await TcpGate.create()
    await gate.lead(target)
    return gate
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  /** Opens it to a port of 127.0.0.1. */
  async lead(target: number): Promise<void> {
    this.#target = target
    await this.set('open')
  }

  /** Connections from now on lead to another port of 127.0.0.1; those that are open stay. */
  turn(target: number): void {
    this.#target = target
  }

  async set(mode: GateMode): Promise<void> {
    this.#mode = mode
    if (mode === 'refuse') await this.#unlisten()
    else await this.#listen()
    if (mode === 'hang') for (const { inside, outside } of this.#passages) pauseBoth(inside, outside)
    else this.#cut()
  }

  close(): Promise<void> {
    return this.set('refuse')
  }

  async #listen(): Promise<void> {
    if (this.#server) return
    const server = net.createServer({ pauseOnConnect: true }, (socket) => this.#enter(socket))
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.port, '127.0.0.1', resolve)
    })
  }

  async #unlisten(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    server?.close()
  }

  /** Bytes that were held up are gone with their connections, as after a real outage of some length. */
  #cut(): void {
    for (const socket of this.#held) reset(socket)
    for (const { inside, outside } of this.#passages) for (const socket of [inside, outside]) reset(socket)
    this.#held.clear()
    this.#passages.clear()
  }

  #enter(outside: net.Socket): void {
    outside.on('error', () => undefined)
    if (this.#mode === 'reset') reset(outside)
    if (this.#mode === 'hang') this.#held.add(outside)
    if (this.#mode !== 'open') return
    const inside = net.connect(this.#target, '127.0.0.1')
    inside.on('error', () => reset(outside))
    const passage = { inside, outside }
    this.#passages.add(passage)
    for (const socket of [inside, outside]) socket.once('close', () => this.#passages.delete(passage))
    // A side that was reset ends no pipe: the other one would hold a connection of the server.
    outside.once('error', () => reset(inside))
    // The first to listen: a pipe writes after it.
    outside.on('data', (bytes: Buffer) => this.beforeBytes(bytes))
    outside.pause()
    if (this.delayMs === 0) {
      inside.pipe(outside).pipe(inside)
      return
    }
    forwardLate(inside, outside, this.delayMs)
    forwardLate(outside, inside, this.delayMs)
  }
}

/**
 * Ends the connection at once, as a reset where that can be: libuv refuses to reset a socket whose writing side is being
 * shut down, Node then never closes its handle, and the process spins without end when it should end.
 */
function reset(socket: net.Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** In the order of arrival; the end of the connection comes as late as its bytes. */
function forwardLate(from: net.Socket, to: net.Socket, delayMs: number): void {
  from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), delayMs))
  from.on('end', () => setTimeout(() => to.end(), delayMs))
  from.resume()
}

function pauseBoth(inside: net.Socket, outside: net.Socket): void {
  inside.unpipe(outside)
  outside.unpipe(inside)
  inside.pause()
  outside.pause()
}
