// Finds free ports for servers of a test: below the range the system takes for outgoing connections, and no port twice,
// so that a port stays free while its server is down. Processes that run specs side by side (`SPEC_WORKER` = `1/3` is the
// second of three) take theirs from different ranges.
import net from 'node:net'

const [place = 0, places = 1] = (process.env.SPEC_WORKER ?? '').split('/').filter(Boolean).map(Number)
const width = Math.floor(20_000 / places)
const lowest = 12_000 + place * width
const highest = lowest + width
const given = new Set<number>()

/** So many different ports that nothing on 127.0.0.1 listened on a moment ago, and that were not given before. */
export async function freePorts(count: number): Promise<number[]> {
  const held: net.Server[] = []
  while (held.length < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (given.has(port)) continue
    const server = await listen(port)
    if (server) held.push(server)
  }
  const ports = held.map((server) => (server.address() as net.AddressInfo).port)
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))))
  for (const port of ports) given.add(port)
  return ports
}

/** The first of so many neighbouring ports, found in the same way. */
export async function freeBlock(count: number): Promise<number> {
  for (;;) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest - count))
    const ports = Array.from({ length: count }, (_, index) => first + index)
    if (ports.some((port) => given.has(port))) continue
    const held = await Promise.all(ports.map(listen))
    await Promise.all(held.map((server) => server && new Promise((resolve) => server.close(resolve))))
    if (held.some((server) => server === undefined)) continue
    for (const port of ports) given.add(port)
    return first
  }
}

const listen = (port: number): Promise<net.Server | undefined> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
