// Who is connected, so that a crowd that only holds places cannot keep others out: the bound on connections of one port.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export interface GuestBook {
  readonly sockets: ReadonlySet<Socket>
  /** Takes a new connection. When all places are taken, it gets that of somebody who has asked nothing, or is turned away. */
  enter(socket: Socket): void
  /** Notes that a connection has asked something. */
  heard(req: IncomingMessage): void
}

/** Asked of every request: a property costs a tenth of what a set does. */
const heard = Symbol('heard')
type Heard = Socket & { [heard]?: true }

/** `closeIdle` closes connections that have had their answers and wait: their clients open others when they need them. */
export function openGuestBook(places: number, closeIdle: () => void): GuestBook {
  const sockets = new Set<Socket>()
  /** Those that have not sent a whole request yet, by their other end, in the order they came. */
  const silent = new Map<string, Socket>()

  const leave = (key: string, socket: Socket) => {
    sockets.delete(socket)
    if (silent.get(key) === socket) silent.delete(key)
  }
  const makeRoom = () => {
    const [oldest] = silent
    if (oldest) {
      const [key, socket] = oldest
      leave(key, socket)
      socket.destroy()
      return
    }
    closeIdle()
    for (const socket of sockets) if (socket.destroyed) sockets.delete(socket)
  }
  return {
    sockets,
    enter: (socket) => {
      if (sockets.size >= places) makeRoom()
      if (sockets.size >= places) {
        socket.destroy()
        return
      }
      const key = endOf(socket)
      sockets.add(socket)
      silent.set(key, socket)
      socket.once('close', () => leave(key, socket))
    },
    heard: (req) => {
      const socket: Heard = req.socket
      if (socket[heard]) return
      socket[heard] = true
      const forget = () => silent.delete(endOf(socket))
      // Who never ends a body has not asked either.
      if (hasBody(req)) req.once('end', forget)
      else forget()
    },
  }
}

/** The same for a connection and for the TLS inside it. */
const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remotePort} ${remoteAddress}`

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
