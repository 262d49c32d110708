// The series of one server or cluster on disk: a file of fixed size with two rings, written a block at a time.
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { createLimit } from '../../base/limit.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import {
  type Block,
  blockBytes,
  COARSE_KEPT_MS,
  coarsen,
  decodeBlock,
  decodeRing,
  encodeBlock,
  HEAD_BYTES,
  joinBlocks,
  placeOf,
  renderHead,
  ringRange,
  type SeriesColumn,
  type SeriesSpan,
} from '../../metrics/series/index.js'
import { reasonOf } from '../kit/atomic-write.js'

/** Files of one thread that are open at the same time. */
const AT_ONCE = 4
const files = createLimit(AT_ONCE)

const folderOf = (directory: string): string => path.join(directory, 'series')

export class SeriesFile {
  readonly #directory: string
  readonly #file: string
  readonly #columns: readonly SeriesColumn[]
  /** The file was there, with these columns, when it was written last. */
  #isBegun = false

  /** `directory`: of the cluster; `name`: `cluster`, or the id of a server. */
  constructor(directory: string, name: string, columns: readonly SeriesColumn[]) {
    this.#directory = directory
    this.#file = path.join(folderOf(directory), name)
    this.#columns = columns
  }

  /**
   * Writes blocks; where `joined`, what the file has of the same one is kept where the new one does not know better. It is not
   * synced: after a loss of power a torn block is recognised and is a gap. Failure: `file-unwritable`.
   */
  write(blocks: readonly Block[], joined: (block: Block) => boolean): Promise<Result<void>> {
    return files.run(async () => {
      try {
        if (!this.#isBegun) await mkdir(folderOf(this.#directory), { recursive: true, mode: modeOf('stateFolder') })
        const handle = await open(this.#file, constants.O_RDWR | constants.O_CREAT, modeOf('state'))
        try {
          if (!this.#isBegun) await this.#begin(handle)
          this.#isBegun = true
          for (const block of blocks) await this.#put(handle, joined(block) ? await this.#join(handle, block) : block)
        } finally {
          await handle.close()
        }
        return done
      } catch (error) {
        this.#isBegun = false
        return fail('file-unwritable', `${this.#file}: ${reasonOf(error)}`)
      }
    })
  }

  /** The blocks of the span's ring that overlap it; none where nothing was written yet. Failure: `file-unreadable`. */
  read({ ring, from, to }: SeriesSpan): Promise<Result<readonly Block[]>> {
    return files.run(async () => {
      const columns = this.#columns.length
      try {
        const handle = await open(this.#file, 'r')
        try {
          if (!(await this.#isOurs(handle))) return ok([])
          const { at, bytes } = ringRange(ring, columns)
          return ok(decodeRing(await readBytes(handle, at, bytes), { ring, columns, from, to }))
        } finally {
          await handle.close()
        }
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ok([])
        return fail('file-unreadable', `${this.#file}: ${reasonOf(error)}`)
      }
    })
  }

  /** A file of other columns is begun again. */
  async #begin(handle: FileHandle): Promise<void> {
    if (await this.#isOurs(handle)) return
    await handle.truncate(0)
    await handle.write(headOf(this.#columns), 0, HEAD_BYTES, 0)
  }

  async #isOurs(handle: FileHandle): Promise<boolean> {
    return headOf(this.#columns).equals(await readBytes(handle, 0, HEAD_BYTES))
  }

  async #put(handle: FileHandle, block: Block): Promise<void> {
    const columns = this.#columns.length
    const fine = encodeBlock(block)
    await handle.write(fine, 0, fine.length, placeOf('fine', block.number, columns))
    const coarse = encodeBlock(coarsen(block, this.#columns))
    await handle.write(coarse, 0, coarse.length, placeOf('coarse', block.number, columns))
  }

  async #join(handle: FileHandle, block: Block): Promise<Block> {
    const columns = this.#columns.length
    const place = placeOf('fine', block.number, columns)
    return joinBlocks(decodeBlock(await readBytes(handle, place, blockBytes('fine', columns)), block.number), block)
  }
}

/** The same for all files of the same columns. */
const heads = new WeakMap<readonly SeriesColumn[], Buffer>()

function headOf(columns: readonly SeriesColumn[]): Buffer {
  const head = heads.get(columns) ?? renderHead(columns)
  heads.set(columns, head)
  return head
}

/** As many as the file has of them. */
async function readBytes(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await handle.read(bytes, 0, length, at)
  return bytes.subarray(0, bytesRead)
}

/** Removes files that were not written for so long that nothing in them is kept: of servers that have left. */
export async function removeOldSeries(directory: string, now: number): Promise<void> {
  const folder = folderOf(directory)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const file = path.join(folder, name)
    const found = await stat(file).catch(() => undefined)
    if (found && now - found.mtimeMs > COARSE_KEPT_MS) await rm(file, { force: true }).catch(() => undefined)
  }
}
