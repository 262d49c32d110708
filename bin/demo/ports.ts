// Ports of the demo: the usual ones when they are free, others when not; the same again at the next run.
import { randomInt } from 'node:crypto'
import net from 'node:net'
import { fail, ok, type Result } from '../../lib/base/result.js'

/** Ports wanted, in order of their names. */
export type Ports = Readonly<Record<'api' | 'http' | 'db1' | 'db2' | 'db3', number>>

export const usualPorts: Ports = { api: 10005, http: 10001, db1: 13306, db2: 13307, db3: 13308 }

export interface PortsWanted {
  readonly wanted: Ports
  /** The databases have data by now, which belong to their ports: these are not exchanged. */
  readonly withData: boolean
  /** Hears of every change. */
  readonly onTaken: (name: string, from: number, to: number) => void
}

/** Each wanted port, or a free one in its place. Failure: `cannot-listen`, of a database that has data. */
export async function choosePorts({ wanted, withData, onTaken }: PortsWanted): Promise<Result<Ports>> {
  const chosen: Record<string, number> = {}
  for (const [name, port] of Object.entries(wanted)) {
    if (await isFree(port)) chosen[name] = port
    else if (withData && name.startsWith('db')) {
      const remedy = 'end what listens there, or remove the demo by bin/quickstart --clean'
      return fail(
        'cannot-listen',
        `Port ${port} (${name}) is in use, and the data of the last run belong to it: ${remedy}.`,
      )
    } else {
      chosen[name] = await freePort()
      onTaken(name, port, chosen[name])
    }
  }
  return ok(chosen as Ports)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Below those that the system takes for outgoing connections: it stays free until its program listens. */
async function freePort(): Promise<number> {
  const port = randomInt(12_000, 32_000)
  return (await isFree(port)) ? port : freePort()
}
