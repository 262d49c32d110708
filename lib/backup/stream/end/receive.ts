// Waits for the one connection that proves the secret of a transfer; all others are closed and change nothing.
import { timingSafeEqual } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { createSecureContext, TLSSocket } from 'node:tls'
import { reveal } from '../../../base/secret.js'
import { SECOND } from '../../../base/time.js'
import { reasonOf } from '../../../store/kit/atomic-write.js'
import { StreamFailure } from '../kit/failed.js'
import type { ReceiveSource } from '../kit/spec.js'
import type { EndHooks, OpenSource } from './end.js'

/** First byte of a TLS handshake record; no secret begins with it. */
const HANDSHAKE = 0x16
/** Connections that have not proven the secret, at a time; the oldest gives way. */
const MOST_UNPROVEN = 32
/** Time of a connection to prove it, milliseconds. */
const PROVE_MS = 10 * SECOND
const LONGEST_SECRET = 512

export async function openReceiveSource(end: ReceiveSource, hooks: EndHooks): Promise<OpenSource> {
  const server = await listen(end)
  hooks.listening((server.address() as AddressInfo).port) // a TCP server that listens has one
  try {
    const stream = await untilProven(server, end, hooks)
    return { stream }
  } finally {
    server.close()
  }
}

async function listen({ host, ports }: ReceiveSource): Promise<Server> {
  const reasons: string[] = []
  for (const port of ports.length === 0 ? [0] : ports) {
    const server = createServer()
    const reason = await new Promise<string | undefined>((resolve) => {
      server.once('error', (error) => resolve(reasonOf(error)))
      server.listen({ host, port }, () => resolve(undefined))
    })
    if (reason === undefined) return server
    reasons.push(reason)
  }
  throw new StreamFailure('cannot-listen', `a stream on ${host}: ${reasons.join('; ')}`)
}

function untilProven(server: Server, end: ReceiveSource, hooks: EndHooks): Promise<Readable> {
  const unproven = new Set<Socket>()
  return new Promise<Readable>((resolve, reject) => {
    const settle = (finish: () => void, keep?: Socket) => {
      clearTimeout(timer)
      hooks.signal.removeEventListener('abort', abort)
      server.removeAllListeners('connection')
      server.on('connection', (late) => late.destroy())
      for (const socket of unproven) if (socket !== keep) socket.destroy()
      finish()
    }
    const abort = () => settle(() => reject(new StreamFailure('transfer-failed', 'ended before a sender connected')))
    const late = () =>
      settle(() =>
        reject(
          new StreamFailure('transfer-stalled', `no sender that knows the secret connected within ${end.acceptMs} ms`),
        ),
      )
    const timer = setTimeout(late, end.acceptMs)
    hooks.signal.addEventListener('abort', abort, { once: true })
    server.on('connection', (socket) => {
      unproven.add(socket)
      socket.once('close', () => unproven.delete(socket))
      socket.on('error', () => undefined)
      const [oldest] = unproven
      if (unproven.size > MOST_UNPROVEN) oldest?.destroy()
      const giveUp = setTimeout(() => socket.destroy(), PROVE_MS)
      prove(socket, end).then(
        (stream) => {
          clearTimeout(giveUp)
          hooks.accepted(socket.remoteAddress ?? '')
          settle(() => resolve(stream), socket)
        },
        () => {
          clearTimeout(giveUp)
          socket.destroy()
        },
      )
    })
  })
}

/** The stream after the line with the secret; rejects when it is another. */
async function prove(socket: Socket, { secret, tls }: ReceiveSource): Promise<Readable> {
  const first = await firstBytes(socket)
  const isTls = first[0] === HANDSHAKE
  if (isTls ? !tls : tls?.required) throw new Error('not the transport that was asked for')
  socket.unshift(first)
  const stream: Duplex = !isTls || !tls ? socket : secured(socket, tls)
  const expected = Buffer.from(reveal(secret))
  let start: Buffer = Buffer.alloc(0)
  while (!start.includes(0x0a)) {
    if (start.length > LONGEST_SECRET) throw new Error('no secret')
    start = Buffer.concat([start, await firstBytes(stream)])
  }
  const end = start.indexOf(0x0a)
  const given = start.subarray(0, end)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error('another secret')
  stream.unshift(start.subarray(end + 1))
  return stream
}

function secured(socket: Socket, { cert, key }: NonNullable<ReceiveSource['tls']>): TLSSocket {
  const secureContext = createSecureContext({ cert, key: reveal(key), minVersion: 'TLSv1.2' })
  const stream = new TLSSocket(socket, { isServer: true, secureContext })
  stream.on('error', () => socket.destroy())
  return stream
}

/** What arrives next; the stream is paused after it. */
function firstBytes(stream: Duplex): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const take = () => {
      const bytes: Buffer | null = stream.read()
      if (bytes === null) return
      leave()
      resolve(bytes)
    }
    const stop = () => {
      leave()
      reject(new Error('it was closed'))
    }
    const leave = () => {
      stream.off('readable', take)
      for (const event of ['end', 'close', 'error']) stream.off(event, stop)
    }
    stream.on('readable', take)
    for (const event of ['end', 'close', 'error']) stream.once(event, stop)
  })
}
