// What only one process of this machine may use at a time: a port, a network. A claim is an abstract Unix socket that listens
// (unix(7)): the kernel grants a name once and takes it back when the process ends, however it ends.
import net from 'node:net'

/** Answers whether the name is this process's from now on, until it ends or gives it back. */
export const claim = (name: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer((socket) => socket.destroy())
    server.once('error', () => resolve(false))
    server.listen(`\0manager-test-${name}`, () => {
      server.unref()
      held.set(name, server)
      resolve(true)
    })
  })

/** Gives a name back. */
export const disclaim = (name: string): void => {
  held.get(name)?.close()
  held.delete(name)
}

const held = new Map<string, net.Server>()
