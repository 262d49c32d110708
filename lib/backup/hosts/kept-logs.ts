// The logs of databases that their hosts sent: one file per kind in the server's directory, bounded, with when they were sent.
import { appendFile, mkdir, open, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import type { HostTask } from '../../model/operation/host-task.js'

/** The tasks that send a log. */
export const logTasks = ['errorlog', 'slowquery', 'auditlog', 'sqlerrors'] as const satisfies readonly HostTask[]

export type LogTask = (typeof logTasks)[number]

export const isLogTask = (task: string): task is LogTask => logTasks.some((each) => each === task)

/** A file that has grown over this is set aside as `.1`, in place of the one before it. */
const MOST_BYTES = 16 * 1024 * 1024

const fileOf = (directory: string, task: LogTask): string => path.join(directory, 'logs', `${task}.log`)
const placeOf = (directory: string, task: LogTask): string => path.join(directory, 'logs', `${task}.place`)

/** Adds what a host sent; nothing new is success, too, and noted. `place`: the file on the host. */
export async function keepLog(
  directory: string,
  task: LogTask,
  { bytes, place, at }: { readonly bytes: Buffer; readonly place?: string; readonly at: number },
): Promise<Result<void>> {
  const file = fileOf(directory, task)
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: modeOf('scratch') })
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    )
    if (size + bytes.length > MOST_BYTES) await rename(file, `${file}.1`).catch(() => undefined)
    await appendFile(file, bytes, { mode: modeOf('rows') })
    await utimes(file, at / 1_000, at / 1_000)
    if (place !== undefined) await writeFile(placeOf(directory, task), place, { mode: modeOf('rows') })
    return done
  } catch (error) {
    return fail('file-unwritable', `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export interface KeptLog {
  readonly text: string
  /** When the host sent last, milliseconds since the epoch. */
  readonly at: number
  /** The file on the host; '' when it did not name it. */
  readonly place: string
}

/** The end of what was sent; `file-unreadable` when nothing ever was. */
export async function readKeptLog(directory: string, task: LogTask, bytes: number): Promise<Result<KeptLog>> {
  const file = fileOf(directory, task)
  try {
    const handle = await open(file)
    try {
      const { size, mtimeMs } = await handle.stat()
      const length = Math.min(size, bytes)
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length)
      const text = buffer.toString('utf8')
      const place = await readFile(placeOf(directory, task), 'utf8').catch(() => '')
      return ok({ text: size > length ? text.slice(text.indexOf('\n') + 1) : text, at: mtimeMs, place })
    } finally {
      await handle.close()
    }
  } catch (error) {
    return fail('file-unreadable', `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
