// A way to an HTTP server on which the reply to one request is lost, although the server has answered it.
import { type AddressInfo, connect, createServer } from 'node:net'

export interface LossyWay {
  readonly endpoint: string
  /** Replies that were lost. */
  readonly lost: number
  /** The reply to the next request of this path is lost, with its connection. */
  lose(path: string): void
  close(): void
}

export async function loseReplies(endpoint: string): Promise<LossyWay> {
  let wanted = ''
  let lost = 0
  const way = createServer((client) => {
    const server = connect(Number(new URL(endpoint).port), '127.0.0.1')
    let isCaught = false
    client.on('data', (bytes) => {
      if (wanted === '' || !bytes.includes(`POST ${wanted} `)) return
      wanted = ''
      isCaught = true
    })
    client.pipe(server)
    server.on('data', (bytes) => {
      if (!isCaught) return void client.write(bytes)
      lost += 1
      client.destroy()
      server.destroy()
    })
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const)
      socket.on('error', () => undefined).on('close', () => other.destroy())
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  const { port } = way.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    get lost() {
      return lost
    },
    lose: (path) => {
      wanted = path
    },
    close: () => void way.close(),
  }
}
