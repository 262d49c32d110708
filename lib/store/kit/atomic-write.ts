// Replaces a file so that a reader, or a crash at any moment, finds either the old bytes or the new ones, never a mix.
import { copyFile, link, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { threadId } from 'node:worker_threads'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { copyElsewhere } from './copies.js'

export interface AtomicWriteOptions {
  /** Permissions of the new file; 0600 when absent. */
  readonly mode?: number
  /** Keeps the previous bytes as `<file>.old`. */
  readonly keepPrevious?: boolean
}

/** Distinguishes the temporary files of concurrent writes of this thread. */
let drafts = 0

const draftOf = (file: string): string => `${file}.${process.pid}-${threadId}-${++drafts}.tmp`

/**
 * Writes to a temporary file in the same directory, fsyncs it, renames it over `file` and fsyncs the directory, so that
 * the new content survives a power loss too. Failure: `file-unwritable`, and `file` is unchanged; or that of a copy elsewhere
 * (`keepCopies`).
 */
export async function atomicWrite(
  file: string,
  bytes: string | Uint8Array,
  { mode = modeOf('state'), keepPrevious = false }: AtomicWriteOptions = {},
): Promise<Result<void>> {
  const draft = draftOf(file)
  try {
    await writeDurably(draft, bytes, mode)
    if (keepPrevious) await keepAsOld(file, `${draft}.old`)
    await rename(draft, file)
    await syncDirectory(path.dirname(file))
    return copyElsewhere(file, bytes)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

/**
 * Creates the file whole, or leaves the one that is there: of several processes that create it at once, one does. Answers
 * whether it was this one. Failure: `file-unwritable`.
 */
export async function atomicCreate(
  file: string,
  bytes: string | Uint8Array,
  mode = modeOf('state'),
): Promise<Result<boolean>> {
  const draft = draftOf(file)
  try {
    await writeDurably(draft, bytes, mode)
    const isFirst = await link(draft, file).then(
      () => true,
      (error: unknown) => {
        if (codeOf(error) === 'EEXIST') return false
        throw error
      },
    )
    await syncDirectory(path.dirname(file))
    return ok(isFirst)
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
  }
}

async function writeDurably(file: string, bytes: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode)
  try {
    await handle.chmod(mode) // the umask may have taken bits away
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A second name for the current file, then a rename: neither of the two is missing at any moment. */
async function keepAsOld(file: string, second: string): Promise<void> {
  try {
    await link(file, second).catch(() => copyFile(file, second)) // not every file system has hard links
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  await rename(second, `${file}.old`)
}

/** Makes renames in the directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The system's code of a file error, e.g. `ENOENT`; '' when it has none. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** One line for users. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
