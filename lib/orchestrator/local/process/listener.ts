// Whether a program listens already where a service of this machine is to listen.
import net from 'node:net'
import type { ServerAddress } from '../../../model/server/server.js'

/**
 * Undefined when nothing listens there; else the error of the system that says why one cannot, `EADDRINUSE` for another
 * program. One that shares its port (SO_REUSEPORT) counts as well: it is not shared with this try.
 */
export function findListener({ host, port }: ServerAddress): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', resolve)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
}
