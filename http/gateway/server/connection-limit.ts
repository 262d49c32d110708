// Bounds the connections of one port; at the limit, a connection that has sent no request is closed for a new one.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionLimit {
  readonly sockets: ReadonlySet<Socket>
  /** Accepts a new connection. At the limit it replaces one that has sent no request yet, or is closed. */
  accept(socket: Socket): void
  /** Records that a connection has sent a request. */
  requested(req: IncomingMessage): void
}

/** Checked on every request: a property costs a tenth of what a set does. */
const requested = Symbol('requested')
type Requested = Socket & { [requested]?: true }

/** `closeIdle` closes connections without a request under way: their clients reconnect when they need to. */
export function limitConnections(most: number, closeIdle: () => void): ConnectionLimit {
  const sockets = new Set<Socket>()
  /** Connections that have not sent a whole request yet, by their remote end, oldest first. */
  const silent = new Map<string, Socket>()

  const remove = (key: string, socket: Socket) => {
    sockets.delete(socket)
    if (silent.get(key) === socket) silent.delete(key)
  }
  const makeRoom = () => {
    const [oldest] = silent
    if (oldest) {
      const [key, socket] = oldest
      remove(key, socket)
      socket.destroy()
      return
    }
    closeIdle()
    for (const socket of sockets) if (socket.destroyed) sockets.delete(socket)
  }
  return {
    sockets,
    accept: (socket) => {
      if (sockets.size >= most) makeRoom()
      if (sockets.size >= most) {
        socket.destroy()
        return
      }
      const key = endOf(socket)
      sockets.add(socket)
      silent.set(key, socket)
      socket.once('close', () => remove(key, socket))
    },
    requested: (req) => {
      const socket: Requested = req.socket
      if (socket[requested]) return
      socket[requested] = true
      const forget = () => silent.delete(endOf(socket))
      // A request whose body never ends does not count.
      if (hasBody(req)) req.once('end', forget)
      else forget()
    },
  }
}

/** The same for a connection and for the TLS connection inside it. */
const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remotePort} ${remoteAddress}`

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
