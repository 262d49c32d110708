// Listeners that are no database: they accept and then do what a spec asks for.
import net from 'node:net'

export interface Listener {
  readonly port: number
  close(): Promise<void>
}

/** Listens on a free port of 127.0.0.1 and gives every connection to `greet`. */
export async function listenWith(greet: (socket: net.Socket) => void): Promise<Listener> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    greet(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port, close }
}
