// A carbon endpoint on loopback: keeps the lines it was given; can be taken away and brought back on its port.
import { createServer, type Server, type Socket } from 'node:net'
import { eventually } from '../wait.js'
import { freePorts } from './ports.js'

export class CarbonSink {
  readonly lines: string[] = []
  #server: Server | undefined
  readonly #sockets = new Set<Socket>()
  port = 0

  async open(): Promise<void> {
    const server = createServer((socket) => {
      this.#sockets.add(socket)
      let rest = ''
      socket.setEncoding('utf8')
      socket.on('data', (text: string) => {
        const parts = (rest + text).split('\n')
        rest = parts.pop() ?? ''
        this.lines.push(...parts)
      })
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    })
    this.#server = server
    // None that an outgoing connection could take while the endpoint is away.
    this.port ||= (await freePorts(1))[0] ?? 0
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.port, '127.0.0.1', resolve)
    })
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined))
  }

  /** Waits until a line holds the text: the samples of a server follow its first slow probe, and come every 10 s. */
  async has(text: string): Promise<void> {
    await eventually(
      () => this.lines.some((line) => line.includes(text)),
      () => `a line with ${text}; the last: ${this.lines.slice(-3).join(' | ')}`,
    )
  }
}
