// The files of a timeline: numbered segments in one folder, appended to the last, the oldest removed by size and age.
import { appendFile, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { codeOf } from '../kit/atomic-write.js'

export interface Segment {
  readonly number: number
  readonly file: string
  readonly bytes: number
  /** When it was written last, by the file system. */
  readonly at: number
}

const pattern = /^(\d{8})\.jsonl$/

const fileOf = (directory: string, number: number): string =>
  path.join(directory, `${String(number).padStart(8, '0')}.jsonl`)

/** Oldest first; none where there is no folder. */
export async function listSegments(directory: string): Promise<readonly Segment[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  const numbers = names.flatMap((name) => pattern.exec(name)?.[1] ?? []).map(Number)
  const found = await Promise.all(
    numbers.map(async (number): Promise<Segment[]> => {
      const file = fileOf(directory, number)
      const stats = await stat(file).catch(() => undefined)
      return stats ? [{ number, file, bytes: stats.size, at: stats.mtimeMs }] : []
    }),
  )
  return found.flat().toSorted((a, b) => a.number - b.number)
}

/** Empty where it was removed meanwhile. */
export const readSegment = ({ file }: Pick<Segment, 'file'>): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  })

/** The folder of the cluster itself is not made: a cluster that was removed does not come back by its last event. */
export async function appendSegment(directory: string, number: number, text: string): Promise<void> {
  await mkdir(directory, { mode: modeOf('stateFolder') }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  await appendFile(fileOf(directory, number), text, { mode: modeOf('state') })
}

/** A manager that was killed while it wrote leaves half a line: what follows begins on a new one. */
export async function endsTorn({ file, bytes }: Segment): Promise<boolean> {
  if (bytes === 0) return false
  const handle = await open(file)
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: bytes - 1 })
    return buffer[0] !== 0x0a
  } finally {
    await handle.close()
  }
}

/** The oldest that are too many or too old; never the last. */
export function surplusOf(
  segments: readonly Segment[],
  { bytes, before }: { readonly bytes: number; readonly before: number },
): readonly Segment[] {
  let sum = segments.at(-1)?.bytes ?? 0
  const surplus: Segment[] = []
  for (const segment of segments.slice(0, -1).reverse()) {
    sum += segment.bytes
    if (sum > bytes || segment.at < before) surplus.push(segment)
  }
  return surplus
}

export const removeSegments = async (segments: readonly Segment[]): Promise<void> => {
  for (const { file } of segments) await rm(file, { force: true })
}
