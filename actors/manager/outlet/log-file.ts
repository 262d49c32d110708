// The log's file: appended to in the background, rotated at a size, with a configured number of old ones.
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../../lib/base/files/modes.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { isoTime, now, SECOND } from '../../../lib/base/time.js'
import { makeDirectory } from '../../../lib/store/index.js'

export interface LogFileOptions {
  readonly file: string
  /** A file that would exceed this size is rotated first. */
  readonly maxBytes: number
  /** Old files kept. */
  readonly keep: number
  /** Days an old file is kept; 0: permanently. */
  readonly keepDays: number
  /** Permissions of the file; 0640 when absent. */
  readonly mode?: number
  /** The line, without its end, that reports how many lines were dropped: in the same form as the others. */
  readonly dropped: (lines: number) => string
}

/** Most lines that wait while the disk is slow or full; further ones are dropped, and their number is reported. */
const MOST_WAITING = 20_000
const DAY_MS = 24 * 60 * 60 * SECOND

/** Failure: `file-unwritable`, naming the setting. */
export async function openLogFile(options: LogFileOptions): Promise<Result<LogFile>> {
  const log = new LogFile(options)
  const problem = await log.open()
  return problem === undefined ? ok(log) : fail('file-unwritable', `log-file ${options.file}: ${problem}`)
}

export class LogFile {
  readonly #options: LogFileOptions
  readonly #waiting: string[] = []
  #handle: FileHandle | undefined
  #size = 0
  #dropped = 0
  #draining: Promise<void> | undefined
  #problem: string | undefined

  constructor(options: LogFileOptions) {
    this.#options = options
  }

  /** What is wrong, if it cannot be written to. */
  async open(): Promise<string | undefined> {
    const { file } = this.#options
    try {
      await makeDirectory(path.dirname(file))
      this.#handle = await open(file, 'a', this.#options.mode ?? modeOf('log'))
      this.#size = (await this.#handle.stat()).size
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Accepts a line with its end; never waits, never throws. */
  write(line: string): void {
    if (this.#waiting.length >= MOST_WAITING) this.#dropped += 1
    else this.#waiting.push(line)
    this.#draining ??= this.#drain()
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    await this.#draining
    await this.#handle?.close()
    this.#handle = undefined
  }

  async #drain(): Promise<void> {
    await Promise.resolve() // lines of the same turn go together
    while (this.#waiting.length > 0 && (await this.#append(this.#waiting.splice(0).join(''))));
    this.#draining = undefined
  }

  /** Whether it was written; a failure is reported once, on standard error, and ends with the next success. */
  async #append(text: string): Promise<boolean> {
    try {
      const dropped = this.#dropped
      const bytes = Buffer.from(dropped > 0 ? `${text}${this.#options.dropped(dropped)}\n` : text)
      if (this.#size > 0 && this.#size + bytes.length > this.#options.maxBytes) await this.#rotate()
      const problem = this.#handle ? undefined : await this.open()
      if (problem !== undefined) throw new Error(problem)
      await this.#handle?.appendFile(bytes)
      this.#size += bytes.length
      this.#dropped -= dropped
      this.#problem = undefined
      return true
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (problem !== this.#problem) process.stderr.write(`log file ${this.#options.file}: ${problem}\n`)
      this.#problem = problem
      this.#dropped += text.split('\n').length - 1
      return false
    }
  }

  async #rotate(): Promise<void> {
    const { file, keep, keepDays } = this.#options
    await this.#handle?.close()
    this.#handle = undefined
    const folder = path.dirname(file)
    const before = (await readdir(folder)).filter(isRotated(path.basename(file))).sort()
    const aside = nameAside(path.basename(file), before.at(-1))
    await rename(file, path.join(folder, aside))
    const old = [...before, aside].reverse()
    for (const [index, name] of old.entries()) {
      const full = path.join(folder, name)
      const isOld = keepDays > 0 && now() - (await stat(full)).mtimeMs > keepDays * DAY_MS
      if (index >= keep || isOld) await rm(full, { force: true })
    }
  }
}

/** Named by the time, and after the latest one even where two occur within a millisecond: none replaces another. */
function nameAside(base: string, latest: string | undefined): string {
  const at = latest === undefined ? 0 : timeOf(latest.slice(base.length + 1)) + 1
  return `${base}.${isoTime(Math.max(at, Math.floor(now()))).replace(/[-:]/g, '')}`
}

/** Of the end of a name, `20261121T205538.123Z`. */
const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:'))

const isRotated = (base: string) => (name: string) =>
  name.startsWith(`${base}.`) && /^\d{8}T\d{6}\.\d{3}Z$/.test(name.slice(base.length + 1))
