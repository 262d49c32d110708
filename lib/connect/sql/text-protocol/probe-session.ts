// Sessions for probes: mysql2 logs in, statements are written and replies read here. A manager of thousands of servers
// probes all of them permanently: a session caches the short lists it read last, and a reply costs little more than what
// is new in it. When a version of mysql2 does not release its stream, the session stays on mysql2.
import type { Duplex } from 'node:stream'
import { openConnection } from '../connection.js'
import { probeLimits, type SqlLimits } from '../limits.js'
import { mysql2With } from '../mysql2-session.js'
import type { OpenSession, SqlTarget } from '../session.js'
import { type LoggedIn, streamOf, type Wire, type WireEvents, type WireKind } from '../wire.js'
import { packetAt, packetOf, quitPacket, wantedAt } from './packets.js'
import { errorOf, type KnownLists, ReplyReader } from './reply-reader.js'

/**
 * Shared read buffer of sessions without TLS: a separate buffer for each of thousands of
 * replies per second costs more than parsing them. Data that outlives the read is copied.
 */
const buffer = Buffer.allocUnsafeSlow(65_536)

/** Finds mysql2's stream; specs pass another function to simulate another version of mysql2. */
type FindStream = typeof streamOf

/** Opens a session for probes; failures as in `openConnection`. */
export const openProbeSession: OpenSession = (target) => openConnection(target, textProtocol, probeLimits)

/** The same with other limits or another version of mysql2, for specs. */
export const openProbeSessionWith = (
  target: SqlTarget,
  { limits, find = streamOf }: { readonly limits?: SqlLimits; readonly find?: FindStream },
): ReturnType<OpenSession> => openConnection(target, { buffer, attach: attachWith(find) }, limits)

const attachWith =
  (find: FindStream): WireKind['attach'] =>
  (login, events) => {
    const stream = find(login.connection)
    if (stream !== undefined && letsGo(login, stream)) return new TextWire(login, stream, events)
    reportOnce()
    return mysql2With(find).attach(login, events)
  }

const textProtocol: WireKind = { buffer, attach: attachWith(streamOf) }

let isReported = false

function reportOnce(): void {
  if (isReported) return
  isReported = true
  process.emitWarning('this version of mysql2 does not release its stream: probes use mysql2 and take more CPU time', {
    code: 'MYSQL2_STREAM',
  })
}

/** Without TLS the stream must be the session's socket; with TLS it must be another one. */
function letsGo({ isEncrypted, socket, listenersBefore }: LoggedIn, stream: Duplex): boolean {
  if (isEncrypted) {
    if (stream === socket) return false
    stream.removeAllListeners('data')
    return true
  }
  if (stream !== socket) return false
  for (const [event, count] of Object.entries(listenersBefore))
    for (const listener of socket.listeners(event).slice(count)) socket.removeListener(event, listener as () => void)
  return true
}

class TextWire implements Wire {
  readonly isGuarded = true
  readonly #stream: Duplex
  readonly #events: WireEvents
  /** Reads the reply to the statement that was sent. */
  #reader: ReplyReader | undefined
  /** Cache of earlier replies: probes repeat the same statements, and mostly read the same. */
  readonly #known: KnownLists = []
  /** Bytes of a packet that has not arrived in full, and how many are needed. */
  #incomplete: { readonly parts: Buffer[]; length: number; readonly wanted: number } | undefined

  constructor({ socket }: LoggedIn, stream: Duplex, events: WireEvents) {
    this.#stream = stream
    this.#events = events
    if (stream !== socket)
      stream.on('data', (bytes: Buffer) => {
        if (events.arrived(bytes)) this.take(bytes)
      })
  }

  send(sql: string): void {
    this.#reader = new ReplyReader(this.#known)
    this.#stream.write(packetOf(sql))
  }

  leave(done: () => void): void {
    this.#stream.end(quitPacket, done)
  }

  take(chunk: Buffer): void {
    const bytes = this.#completed(chunk)
    try {
      if (bytes) this.#read(bytes)
    } catch (error) {
      this.#events.broke(error)
    }
  }

  /** The chunk joined with the rest of earlier ones; undefined while that is too short. */
  #completed(chunk: Buffer): Buffer | undefined {
    const incomplete = this.#incomplete
    if (!incomplete) return chunk
    incomplete.parts.push(Buffer.from(chunk))
    incomplete.length += chunk.length
    if (incomplete.length < incomplete.wanted) return undefined
    this.#incomplete = undefined
    return Buffer.concat(incomplete.parts)
  }

  #read(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (!this.#reader) {
        this.#readUnasked(bytes.subarray(at))
        return
      }
      at = this.#reader.read(bytes, at)
      const { reply } = this.#reader
      if (!reply) break
      this.#reader = undefined
      this.#events.replied(reply)
    }
    const length = bytes.length - at
    if (length > 0) this.#incomplete = { parts: [Buffer.from(bytes.subarray(at))], length, wanted: wantedAt(bytes, at) }
  }

  /** An unrequested packet holds the reason why the server ends the session. */
  #readUnasked(bytes: Buffer): void {
    const packet = packetAt(bytes, 0)
    const text = packet && bytes[packet.start] === 0xff ? errorOf(packet).sqlMessage : 'a reply to nothing arrived'
    this.#events.broke(new Error(text))
  }
}
