// Finds free ports for servers of a test: outside the range that the system takes for outgoing connections, and each given
// to one process of this machine only, so that a port stays free while its server is down.
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { claim, disclaim } from './claims.js'

const [lowest, highest] = rangeBeside(outgoing())

/** So many different ports that nothing listened on a moment ago, at whatever address; they are this process's until it ends. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) ports.push(await freeBlock(1))
  return ports
}

/** The first of so many neighbouring ports, found in the same way. */
export async function freeBlock(count: number): Promise<number> {
  for (;;) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest - count))
    if (await takeAll(Array.from({ length: count }, (_, index) => first + index))) return first
  }
}

/** A port found in the same way, together with the one that a server on it listens at besides. */
export async function freePair(besides: (port: number) => number): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await takeAll([port, besides(port)])) return port
  }
}

/** All of them, or none. */
async function takeAll(ports: readonly number[]): Promise<boolean> {
  const claimed: string[] = []
  for (const port of ports) {
    const name = `port-${port}`
    const isOurs = await claim(name)
    if (isOurs) claimed.push(name)
    if (isOurs && (await isFree(port))) continue
    for (const each of claimed) disclaim(each)
    return false
  }
  return true
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)))
  })

/** The first and the last port of outgoing connections (ip(7)). */
function outgoing(): readonly [number, number] {
  try {
    const [first = 32_768, last = 60_999] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
      .split(/\s+/)
      .map(Number)
    return [first, last]
  } catch {
    return [32_768, 60_999]
  }
}

/** The wider part of what lies below or above; where hardly anything does, a part of the range itself. */
function rangeBeside([first, last]: readonly [number, number]): readonly [number, number] {
  const below = [12_000, Math.min(first, 32_000)] as const
  const above = [last + 1, 65_535] as const
  const wider = below[1] - below[0] >= above[1] - above[0] ? below : above
  return wider[1] - wider[0] >= 2_000 ? wider : [12_000, 32_000]
}
