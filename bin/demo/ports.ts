// Ports of the demo: the usual ones when they are free, others when not; the same again at the next run.
import net from 'node:net'

/** Ports wanted, in order of their names. */
export type Ports = Readonly<Record<'api' | 'http' | 'db1' | 'db2' | 'db3', number>>

export const usualPorts: Ports = { api: 10005, http: 10001, db1: 13306, db2: 13307, db3: 13308 }

/** Each wanted port, or a free one in its place; `onTaken` hears of every change. */
export async function choosePorts(
  wanted: Ports,
  onTaken: (name: string, from: number, to: number) => void,
): Promise<Ports> {
  const chosen: Record<string, number> = {}
  for (const [name, port] of Object.entries(wanted)) {
    if (await isFree(port)) chosen[name] = port
    else {
      chosen[name] = await freePort()
      onTaken(name, port, chosen[name])
    }
  }
  return chosen as Ports
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })
}
