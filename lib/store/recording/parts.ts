// The files of a recording: numbered parts in one folder, each named with the time of its first message, packed when complete.
import { appendFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { modeOf } from '../../base/files/modes.js'
import { createLimit } from '../../base/limit.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { atomicWrite, codeOf, reasonOf } from '../kit/atomic-write.js'

export interface Part {
  readonly number: number
  /** Time of its first message, whole milliseconds since the epoch. */
  readonly at: number
  readonly file: string
  readonly bytes: number
  /** Gzip; else lines. */
  readonly packed: boolean
}

/** A time range; an absent end is open. Milliseconds since the epoch. */
export interface Range {
  readonly from?: number
  readonly until?: number
}

const pattern = /^(\d{8})-(\d{1,15})\.jsonl(\.gz)?$/

/** Parts of one thread that are packed at the same time: each is in memory whole. */
const packing = createLimit(1)
const packAs = promisify(gzip)
/** Half the time of the usual level, for a few percent more bytes. */
const pack = (bytes: Buffer): Promise<Buffer> => packAs(bytes, { level: 4 })

const folderOf = (directory: string): string => path.join(directory, 'recording')

export const partFile = (directory: string, { number, at }: Pick<Part, 'number' | 'at'>): string =>
  path.join(folderOf(directory), `${String(number).padStart(8, '0')}-${Math.floor(at)}.jsonl`)

/** Oldest first; none where there is no folder. `directory`: of the cluster. A packed part counts, what it was made of does not. */
export async function listParts(directory: string): Promise<readonly Part[]> {
  const folder = folderOf(directory)
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  const found = await Promise.all(names.map((name) => partOf(path.join(folder, name))))
  const packed = new Set(found.flat().flatMap((part) => (part.packed ? [part.number] : [])))
  return found
    .flat()
    .filter((part) => part.packed || !packed.has(part.number))
    .toSorted((a, b) => a.number - b.number)
}

async function partOf(file: string): Promise<readonly Part[]> {
  const match = pattern.exec(path.basename(file))
  const stats = match && (await stat(file).catch(() => undefined))
  if (!match || !stats) return []
  return [{ number: Number(match[1]), at: Number(match[2]), file, bytes: stats.size, packed: match[3] !== undefined }]
}

/** The folder of the cluster itself is not made: a cluster that was removed does not come back by its last message. */
export async function makeFolder(directory: string): Promise<void> {
  await mkdir(folderOf(directory), { mode: modeOf('stateFolder') }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
}

export async function appendToPart(directory: string, part: Pick<Part, 'number' | 'at'>, text: string): Promise<void> {
  await appendFile(partFile(directory, part), text, { mode: modeOf('state') })
}

/** Replaces a complete part by its gzip. A part that is gone meanwhile is none. Failure: `file-unwritable`. */
export async function packPart({ file }: Pick<Part, 'file'>): Promise<Result<void>> {
  try {
    await packing.run(async () => {
      const bytes = await readIfThere(file)
      if (!bytes) return
      const written = await atomicWrite(`${file}.gz`, await pack(bytes))
      if (!written.ok) throw new Error(written.failure.message)
      await rm(file, { force: true })
    })
    return done
  } catch (error) {
    return fail('file-unwritable', reasonOf(error))
  }
}

/** Removes the oldest parts that are too many bytes in all; never the last one. */
export async function sweepParts(directory: string, most: number): Promise<void> {
  let sum = 0
  for (const [index, part] of (await listParts(directory)).toReversed().entries()) {
    sum += part.bytes
    if (index > 0 && sum > most) await rm(part.file, { force: true })
  }
}

/** The parts that reach into the range. A part ends where the next one begins. */
export const partsWithin = (parts: readonly Part[], { from = 0, until = Number.POSITIVE_INFINITY }: Range) =>
  parts.filter((part, index) => part.at <= until && (parts[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= from)

/** These parts as one gzip file. Failure: `file-unreadable`; `bad-request` where they are more than `most` bytes. */
export async function joinParts(parts: readonly Part[], most: number): Promise<Result<Buffer>> {
  const sum = parts.reduce((bytes, part) => bytes + part.bytes, 0)
  if (sum > most) return fail('bad-request', `${sum} bytes of recording, more than ${most}: ask for a shorter time`)
  try {
    const pieces: Buffer[] = []
    for (const { file, packed } of parts) {
      const bytes = (await readIfThere(file)) ?? (packed ? undefined : await readIfThere(`${file}.gz`))
      if (bytes) pieces.push(isPacked(bytes) ? bytes : await pack(bytes))
    }
    return ok(Buffer.concat(pieces))
  } catch (error) {
    return fail('file-unreadable', reasonOf(error))
  }
}

/** The first two bytes of a gzip; a line begins with a bracket. */
export const isPacked = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

const readIfThere = (file: string): Promise<Buffer | undefined> =>
  readFile(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
