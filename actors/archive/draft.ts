// A file that replaces another in two steps: its bytes are written beside it, then made durable and put in its place, so
// that a reader, or a crash, finds the old file or the new one. Synchronous: pool threads have no other work.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { modeOf } from '../../lib/base/files/modes.js'
import { codeOf } from '../../lib/store/kit/atomic-write.js'

export interface Draft {
  readonly file: string
  readonly temporary: string
  readonly handle: number
}

/** Distinguishes the drafts of this thread from those of others, and of an earlier run. */
const life = `${process.pid}.${performance.timeOrigin}`
let written = 0

/** Writes the bytes to a temporary file that only the owner reads; throws when that fails, and leaves nothing behind. */
export function openDraft(file: string, bytes: Buffer): Draft {
  written += 1
  const temporary = `${file}.${life}.${written}.tmp`
  const draft = { file, temporary, handle: openIn(path.dirname(file), temporary) }
  try {
    writeAll(draft.handle, bytes)
    return draft
  } catch (error) {
    closeSync(draft.handle)
    rmSync(temporary, { force: true })
    throw error
  }
}

/** A disk that is nearly full accepts a part of the bytes, and fails only when the rest is written. */
function writeAll(handle: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
}

/** The draft is the file from now on; throws when that fails, and the file is as it was. */
export function placeDraft({ file, temporary, handle }: Draft): void {
  try {
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Both steps at once, for a single file. */
export const writeWhole = (file: string, bytes: Buffer): void => placeDraft(openDraft(file, bytes))

/** Opens a new file; its folder is created only when it is missing. */
function openIn(folder: string, file: string): number {
  try {
    return openSync(file, 'wx', modeOf('key'))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    mkdirSync(folder, { recursive: true, mode: modeOf('shared') })
    return openSync(file, 'wx', modeOf('key'))
  }
}
