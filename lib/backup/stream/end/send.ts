// Connects to a host that listens and writes the secret, then the stream.
import { connect, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { reveal } from '../../../base/secret.js'
import { StreamFailure } from '../kit/failed.js'
import type { SendSink } from '../kit/spec.js'
import type { EndHooks, OpenSink } from './end.js'

export async function openSendSink(end: SendSink, { signal }: EndHooks): Promise<OpenSink> {
  const socket = await connected(end, signal)
  if (end.secret) socket.write(`${reveal(end.secret)}\n`)
  const arrived = new Promise<void>((resolve, reject) => {
    socket.once('close', (hadError) => (hadError ? reject(new Error('the connection was cut')) : resolve()))
  })
  arrived.catch(() => undefined)
  socket.resume() // what the receiver answers is not read, its end of the connection is
  return { stream: socket, before: inPieces(end.bufferBytes), arrived }
}

function connected(end: SendSink, signal: AbortSignal): Promise<Socket> {
  const { host, port, tls, connectMs } = end
  return new Promise((resolve, reject) => {
    const socket = tls
      ? connectTls({ host, port, ca: tls.ca, minVersion: 'TLSv1.2', checkServerIdentity: () => undefined })
      : connect({ host, port })
    const refuse = (reason: string) => {
      leave()
      socket.on('error', () => undefined).destroy()
      reject(new StreamFailure('transfer-failed', `${host}:${port}: ${reason}`))
    }
    const failed = (error: Error) => refuse(error.message)
    const abort = () => refuse('ended before it was connected')
    const timer = setTimeout(() => refuse(`no connection within ${connectMs} ms`), connectMs)
    const leave = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      socket.off('error', failed)
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.once('error', failed)
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      leave()
      socket.setNoDelay(true)
      resolve(socket)
    })
  })
}

/** So many bytes at a time. */
function inPieces(bytes: number): Transform {
  return new Transform({
    transform(chunk: Buffer, _, callback) {
      for (let from = 0; from < chunk.length; from += bytes) this.push(chunk.subarray(from, from + bytes))
      callback()
    },
  })
}
