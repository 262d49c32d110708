// Sockets: plain HTTP, HTTPS (HTTP/2 where the client asks for it), or both on one port where the first byte decides; bounded against slow clients.
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, SECOND } from '../../../lib/base/time.js'
import type { KeyPair } from '../../../lib/tls/index.js'
import type { Limits } from '../kit/options.js'
import { limitConnections } from './connection-limit.js'
import { createHttp2, type Http2Sessions } from './http2.js'
import { endIdle, noteAnswer } from './idle.js'

/** First byte of a TLS handshake record; no HTTP method begins with it. */
const HANDSHAKE = 0x16
/** Silence after which the system asks whether the other side is still there. */
const KEEP_ALIVE_MS = MINUTE

export type Transport =
  | { readonly type: 'plain' }
  | { readonly type: 'tls'; readonly pair: KeyPair }
  | { readonly type: 'both'; readonly pair: KeyPair }

export interface ListenerOptions {
  readonly host: string
  readonly port: number
  readonly transport: Transport
  readonly limits: Limits
  readonly serve: RequestListener
  /** What is answered to a first packet that is no HTTP, before the connection is closed; undefined: 400. */
  readonly answerOther?: (bytes: Buffer) => string | undefined
}

export interface Listener {
  readonly port: number
  /** Takes no more connections, lets requests under way end, and cuts off what is left after the grace. */
  close(): Promise<void>
}

/** Opens the address. `localhost` means both loopback addresses, the second one where it exists. */
export async function openListener(options: ListenerOptions): Promise<Result<Listener>> {
  const [first, second] = options.host === 'localhost' ? ['127.0.0.1', '::1'] : [options.host]
  const main = await listen(options, first ?? options.host)
  if (!main.ok || second === undefined) return main
  const other = await listen({ ...options, port: main.value.port }, second)
  if (!other.ok) return main // a machine without IPv6
  const close = async () => void (await Promise.all([main.value.close(), other.value.close()]))
  return ok({ port: main.value.port, close })
}

async function listen(options: ListenerOptions, host: string): Promise<Result<Listener>> {
  const connections = limitConnections(options.limits.connections, () => {
    server.closeIdleConnections()
    http2.closeIdle()
  })
  const serve: RequestListener = (req, res) => {
    connections.requested(req)
    noteAnswer(req, res)
    options.serve(req, res)
  }
  const http2 = createHttp2(options.limits, serve)
  const server = createHttpServer({ ...options, serve }, http2)
  server.prependListener('connection', (socket: Socket) => connections.accept(socket))
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port: options.port, backlog: 1_024 }, resolve)
    })
  } catch (error) {
    return fail('cannot-listen', `${options.port} of ${host}: ${reasonOf(error)}`)
  }
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  return ok({ port, close: () => closeServer({ server, http2 }, connections.sockets, options.limits.graceMs) })
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use by another process',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'only the superuser may listen there',
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return ('code' in error ? reasons[String(error.code)] : undefined) ?? error.message
}

function createHttpServer({ transport, limits, serve, answerOther }: ListenerOptions, http2: Http2Sessions): Server {
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: Math.min(SECOND, limits.headersMs / 2),
    noDelay: true,
    // A client that is gone is found out by the system, also while its answer takes hours.
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  }
  const server =
    transport.type === 'tls'
      ? createSecureServer({ ...options, ...secureOptions(transport.pair, limits) }, serve)
      : createServer(options, serve)
  server.timeout = limits.idleMs
  server.on('timeout', endIdle)
  if (answerOther) server.on('clientError', (error: ClientError, socket: Socket) => refuse(error, socket, answerOther))
  if (transport.type === 'tls') splitByProtocol(server, http2)
  if (transport.type === 'both') splitByFirstByte(server, { ...transport, limits, http2 })
  return server
}

type ClientError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

/** A status as Node answers it when nothing listens for the event. */
const statusOf: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** The parser gives back what it could not read, so that requests pay nothing for it. */
function refuse(
  { code = '', rawPacket }: ClientError,
  socket: Socket,
  answer: NonNullable<ListenerOptions['answerOther']>,
): void {
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy()
    return
  }
  const other = code === 'HPE_INVALID_METHOD' && rawPacket ? answer(rawPacket) : undefined
  const text = other ?? `HTTP/1.1 ${statusOf[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`
  socket.end(text, () => socket.destroy())
}

/** The server's own listener gets the connections of HTTP/1.1. */
function splitByProtocol(server: Server, http2: Http2Sessions): void {
  const takeRequests = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[]
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') return http2.take(socket)
    for (const take of takeRequests) take.call(server, socket)
  })
}

interface Split {
  readonly pair: KeyPair
  readonly limits: Limits
  readonly http2: Http2Sessions
}

/** Precedes the server's `connection` listener, which then gets plain sockets and decrypted ones alike. */
function splitByFirstByte(server: Server, { pair, limits, http2 }: Split): void {
  const takeRequests = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const accept = (socket: Socket) => {
    for (const take of takeRequests) take.call(server, socket)
  }
  const secure = createTlsServer(secureOptions(pair, limits), (socket) =>
    socket.alpnProtocol === 'h2' ? http2.take(socket) : accept(socket),
  )
  secure.on('tlsClientError', (_error, socket) => socket.destroy())
  server.on('connection', (socket: Socket) => {
    const drop = () => socket.destroy()
    socket.once('error', drop)
    socket.setTimeout(limits.headersMs, drop)
    socket.once('data', (bytes: Buffer) => {
      socket.pause()
      socket.setTimeout(0, drop)
      socket.removeListener('timeout', drop)
      socket.removeListener('error', drop)
      socket.unshift(bytes)
      if (bytes[0] === HANDSHAKE) secure.emit('connection', socket)
      else accept(socket)
      process.nextTick(() => socket.resume())
    })
  })
}

function secureOptions({ cert, key }: KeyPair, { handshakeMs }: Limits) {
  const strict = { minVersion: 'TLSv1.2', ciphers: CIPHERS, honorCipherOrder: true, sigalgs: SIGNATURES } as const
  return { cert, key, ...strict, handshakeTimeout: handshakeMs, ALPNProtocols: ['h2', 'http/1.1'] }
}

/** Of TLS 1.3, and of TLS 1.2 those with forward secrecy and authenticated encryption: no CBC. */
const CIPHERS = [
  ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
].join(':')

/** No SHA-1. */
const SIGNATURES = [
  ...['ecdsa_secp256r1_sha256', 'ecdsa_secp384r1_sha384', 'ecdsa_secp521r1_sha512', 'ed25519'],
  ...['rsa_pss_rsae_sha256', 'rsa_pss_rsae_sha384', 'rsa_pss_rsae_sha512'],
  ...['rsa_pkcs1_sha256', 'rsa_pkcs1_sha384', 'rsa_pkcs1_sha512'],
].join(':')

async function closeServer(
  { server, http2 }: { readonly server: Server; readonly http2: Http2Sessions },
  sockets: ReadonlySet<Socket>,
  graceMs: number,
): Promise<void> {
  http2.close()
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Connections become idle as their requests end; those that have not spoken yet are known to the server only as sockets.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => {
    for (const socket of sockets) socket.destroy()
  }, graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
