// Finds free ports for servers of a test: below the range the system takes for outgoing connections, so that a port
// stays free while its server is down.
import net from 'node:net'

const lowest = 12_000
const highest = 32_000

/** So many different ports that nothing on 127.0.0.1 listened on a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const held: net.Server[] = []
  while (held.length < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    const server = await listen(port)
    if (server) held.push(server)
  }
  const ports = held.map((server) => (server.address() as net.AddressInfo).port)
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** The first of so many neighbouring ports that nothing on 127.0.0.1 listened on a moment ago. */
export async function freeBlock(count: number): Promise<number> {
  for (;;) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest - count))
    const held = await Promise.all(Array.from({ length: count }, (_, index) => listen(first + index)))
    await Promise.all(held.map((server) => server && new Promise((resolve) => server.close(resolve))))
    if (held.every((server) => server !== undefined)) return first
  }
}

const listen = (port: number): Promise<net.Server | undefined> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
