// A cluster's journal on disk: JSON lines, appended and synced, so that a restarted manager knows what was in progress.
import { type FileHandle, mkdir, open, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { atomicWrite, codeOf, reasonOf, syncDirectory } from '../kit/atomic-write.js'
import {
  type Ended,
  endedOperations,
  type JournalEntry,
  parseJournal,
  renderEntry,
  type Unfinished,
  unfinishedOf,
} from './journal-entry.js'

export interface Journal {
  /** Writes the entries as one piece; they survive the end of this process from then on. Failure: `file-unwritable`. */
  write(entries: readonly JournalEntry[]): Promise<Result<void>>
  /** Resolves when everything written so far survives a power loss too. */
  sync(): Promise<Result<void>>
  /** `write`, then `sync`. */
  append(entries: readonly JournalEntry[]): Promise<Result<void>>
  /** The operation during which the manager stopped, if any. Torn and foreign lines are skipped. Failure: `file-unreadable`. */
  readUnfinished(): Promise<Result<Unfinished | undefined>>
  /** The latest ended operations, oldest first. Failure: `file-unreadable`. */
  history(): Promise<Result<readonly Ended[]>>
  /** Drops all but the latest operations; call it when none is running. */
  compact(): Promise<Result<void>>
  close(): Promise<void>
}

/** Ended operations that compaction keeps. */
const KEEP = 50
/** Bytes from which `compact` rewrites the file. */
const COMPACT_FROM = 1 << 20

/** A copy of the journal elsewhere, which the next owner of the cluster reads. */
export interface JournalCopy {
  append(text: string): void
  /** Resolves when everything appended so far is kept. */
  flush(): Promise<Result<void>>
  /** Drops what is older than anyone reads. */
  trim(): Promise<Result<void>>
}

interface JournalTraits {
  readonly keep?: number
  readonly copy?: JournalCopy | undefined
}

/** Opens `<directory>/journal.jsonl`, creating both when missing. Failure: `file-unwritable`. */
export async function openJournal(
  directory: string,
  { keep = KEEP, copy }: JournalTraits = {},
): Promise<Result<Journal>> {
  const file = path.join(directory, 'journal.jsonl')
  try {
    await mkdir(directory, { recursive: true, mode: modeOf('stateFolder') })
    const journal = new JournalFile(file, keep, copy)
    await journal.reopen()
    await syncDirectory(directory)
    return ok(journal)
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

class JournalFile implements Journal {
  readonly #file: string
  readonly #keep: number
  readonly #copy: JournalCopy | undefined
  #handle: FileHandle | undefined
  /** Writes and syncs one after the other: a line is never mixed with another one. */
  #last: Promise<unknown> = Promise.resolve()
  #syncing: Promise<Result<void>> | undefined

  constructor(file: string, keep: number, copy: JournalCopy | undefined) {
    this.#file = file
    this.#keep = keep
    this.#copy = copy
  }

  async reopen(): Promise<void> {
    await this.#handle?.close()
    this.#handle = await open(this.#file, 'a+', modeOf('state'))
    if (await endsTorn(this.#handle)) await this.#handle.write('\n')
  }

  write(entries: readonly JournalEntry[]): Promise<Result<void>> {
    const text = entries.map(renderEntry).join('')
    this.#copy?.append(text)
    return this.#inTurn(async (handle) => {
      await handle.appendFile(text)
    })
  }

  /** Calls that arrive while a sync waits for its turn share it. */
  async sync(): Promise<Result<void>> {
    const copied = this.#copy?.flush()
    const synced = await this.#syncFile()
    return synced.ok && copied ? copied : synced
  }

  #syncFile(): Promise<Result<void>> {
    this.#syncing ??= this.#inTurn(async (handle) => {
      this.#syncing = undefined
      await handle.datasync()
    })
    return this.#syncing
  }

  async append(entries: readonly JournalEntry[]): Promise<Result<void>> {
    const written = await this.write(entries)
    return written.ok ? this.sync() : written
  }

  async readUnfinished(): Promise<Result<Unfinished | undefined>> {
    const entries = await this.#entries()
    return entries.ok ? ok(unfinishedOf(entries.value)) : entries
  }

  async history(): Promise<Result<readonly Ended[]>> {
    const entries = await this.#entries()
    return entries.ok ? ok(endedOperations(entries.value).slice(-this.#keep)) : entries
  }

  compact(): Promise<Result<void>> {
    void this.#copy?.trim()
    return this.#inTurn(async (handle) => {
      const { size } = await handle.stat()
      if (size < COMPACT_FROM) return
      const entries = await this.#entries()
      if (!entries.ok || unfinishedOf(entries.value)) return
      const kept = entries.value.filter(({ type }) => type === 'end').slice(-this.#keep)
      const written = await atomicWrite(this.#file, kept.map(renderEntry).join(''))
      if (!written.ok) throw new Error(written.failure.message)
      await this.reopen()
    })
  }

  async close(): Promise<void> {
    await this.#last
    await this.#handle?.close()
    this.#handle = undefined
  }

  async #entries(): Promise<Result<readonly JournalEntry[]>> {
    try {
      // An empty file would still be read into 64 KB, and a thousand actors that start together would allocate as many buffers.
      if ((await stat(this.#file)).size === 0) return ok([])
      return ok(parseJournal(await readFile(this.#file, 'utf8')).entries)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return ok([])
      return fail('file-unreadable', `${this.#file}: ${reasonOf(error)}`)
    }
  }

  #inTurn(work: (handle: FileHandle) => Promise<void>): Promise<Result<void>> {
    const turn = this.#last.then(async () => {
      try {
        if (!this.#handle) return fail('file-unwritable', `${this.#file}: closed`)
        await work(this.#handle)
        return done
      } catch (error) {
        return fail('file-unwritable', `${this.#file}: ${reasonOf(error)}`)
      }
    })
    this.#last = turn
    return turn
  }
}

/** A crash during a write leaves half a line; what follows must start on a new line. */
async function endsTorn(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat()
  if (size === 0) return false
  const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: size - 1 })
  return buffer[0] !== 0x0a
}
