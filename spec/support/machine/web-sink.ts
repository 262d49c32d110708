// A real HTTP listener on loopback: keeps what it was sent, answers as it is set, and serves as a proxy (CONNECT).
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { next } from '../wait.js'
import { freePorts } from './ports.js'

export interface SunkRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export class WebSink {
  readonly requests: SunkRequest[] = []
  /** Addresses that clients reached through it. */
  readonly tunnels: string[] = []
  status = 200
  port = 0
  #server: Server | undefined
  readonly #sockets = new Set<Socket>()

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (part: string) => {
        body += part
      })
      request.on('end', () => {
        this.requests.push({ path: request.url ?? '', headers: request.headers, body })
        response.writeHead(this.status).end(this.status === 200 ? 'ok' : 'refused by the spec')
      })
    })
    server.on('connect', (request, socket: Socket) => {
      const [host = '', port = ''] = (request.url ?? '').split(':')
      this.tunnels.push(request.url ?? '')
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        onward.pipe(socket).pipe(onward)
      })
      for (const each of [onward, socket]) each.on('error', () => each.destroy())
    })
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    // None that an outgoing connection could take while the listener is away.
    this.port ||= (await freePorts(1))[0] ?? 0
    server.listen(this.port, '127.0.0.1')
    await next(server, 'listening', 'the server listens')
    this.#server = server
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  /** Bodies that came to this path, parsed. */
  bodies<T>(path: string): readonly T[] {
    return this.requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body) as T)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined))
  }
}
