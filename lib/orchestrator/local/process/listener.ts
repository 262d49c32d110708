// Whether a program already listens on the address of a service of this machine.
import net from 'node:net'
import type { ServerAddress } from '../../../model/server/server.js'

/**
 * Undefined when nothing listens there; otherwise the system error that prevents listening, `EADDRINUSE` for another
 * program. One that shares its port (SO_REUSEPORT) counts as well: it does not share with this attempt.
 */
export function findListener({ host, port }: ServerAddress): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', resolve)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
}
