// Ends connections on which nothing moves. One whose request waits for its answer is not idle: work that is waited for takes hours.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Written on every request: a property costs a tenth of what a map does. */
const newest = Symbol('newest answer')
type Answering = Socket & { [newest]?: ServerResponse }

/** Records the newest answer of a connection of HTTP/1.1. */
export function noteAnswer({ socket }: IncomingMessage, res: ServerResponse): void {
  ;(socket as Answering)[newest] = res
}

/** For the event `timeout` of a server. The timer of the connection runs again from the first byte of the answer on. */
export function endIdle(socket: Answering): void {
  const answer = socket[newest]
  const isAwaited = answer?.req.complete && !answer.headersSent && socket.writableLength === 0
  if (!isAwaited) socket.destroy()
}
