// Whether a manager runs on a working directory: it listens on a socket in it, which ends with the process, however that ends.
import { open, rm } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import path from 'node:path'
import { SECOND } from '../../base/time.js'
import { codeOf } from '../kit/atomic-write.js'

export const SOCKET = '.running'

const ANSWER_MS = 5 * SECOND

/** Through the descriptor of the directory: the path of a socket is at most 107 characters long. */
async function within<T>(directory: string, act: (socket: string) => Promise<T>): Promise<T> {
  const handle = await open(directory, 'r')
  try {
    return await act(`/proc/self/fd/${handle.fd}/${SOCKET}`)
  } finally {
    await handle.close()
  }
}

/** False as well where no manager ever ran. One that is suspended still counts. */
export const isOccupied = (directory: string): Promise<boolean> =>
  within(directory, answers).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  })

const answers = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = createConnection(socket)
    const settle = (isAnswered: boolean) => {
      connection.destroy()
      resolve(isAnswered)
    }
    connection.setTimeout(ANSWER_MS, () => settle(true))
    connection.once('connect', () => settle(true))
    connection.once('error', () => settle(false))
  })

/** Until the process ends. Answers false where another manager runs on the directory: its socket stays. */
export async function occupy(directory: string): Promise<boolean> {
  if (await isOccupied(directory)) return false
  await rm(path.join(directory, SOCKET), { force: true })
  await within(
    directory,
    (socket) =>
      new Promise<void>((resolve, reject) => {
        const server = createServer((connection) => connection.destroy())
        server.once('error', reject)
        server.listen(socket, resolve)
        server.unref()
      }),
  )
  return true
}
