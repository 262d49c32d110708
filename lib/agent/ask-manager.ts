// Asks a manager for its statement: one line, one answer, on the port of its API without TLS. What comes is verified, not trusted.
import net from 'node:net'
import { fail, ok, type Result } from '../base/result.js'

/** Longest answer that is read. */
const LONGEST = 4_096

/** `question`: cluster and nonce. The line, empty when the manager states nothing now; `http-failed` when none came in time. */
export function askManager(
  { host, port }: { readonly host: string; readonly port: number },
  question: string,
  timeoutMs: number,
): Promise<Result<string>> {
  return new Promise((resolve) => {
    let text = ''
    const settle = (result: Result<string>) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    const lose = (reason: string) => settle(fail('http-failed', `${host}:${port}: ${reason}`))
    const timer = setTimeout(() => lose(`no answer within ${timeoutMs} ms`), timeoutMs)
    const socket = net.connect({ host, port }, () => socket.write(`statement ${question}\n`))
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (text.length > LONGEST) lose('the answer is too long')
    })
    socket.on('end', () => settle(ok(text)))
    socket.on('error', (error) => lose(error.message))
    socket.on('close', () => lose('the connection was closed'))
  })
}
