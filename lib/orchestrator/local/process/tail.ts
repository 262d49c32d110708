// The end of a file on this machine.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { fail, ok, type Result } from '../../../base/result.js'
import type { TailRequest } from '../../index.js'

/** Of regular files only: what a database names as its log may be a device or a pipe, which would block. */
export async function readTail(name: string, { file, bytes }: TailRequest): Promise<Result<string>> {
  const opened = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: Error) => error)
  if (opened instanceof Error) return fail('file-unreadable', `${name}: ${opened.message}`)
  try {
    const status = await opened.stat()
    if (!status.isFile()) return fail('file-unreadable', `${name}: ${file} is not a regular file`)
    const length = Math.min(status.size, bytes)
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(length), 0, length, status.size - length)
    return ok(buffer.toString('utf8', 0, bytesRead))
  } catch (error) {
    return fail('file-unreadable', `${name}: ${file}: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await opened.close()
  }
}
