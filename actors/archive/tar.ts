// Writes the entries of a tree as tar records: fixed owner and time, so equal trees give equal bytes.
import { Header } from 'tar'
import { modeOf } from '../../lib/base/files/modes.js'
import type { TreeEntry } from '../../lib/configure/index.js'

const BLOCK = 512

/** Fixed, and late enough that no tar calls it implausible. */
const FIXED_TIME = new Date('2000-01-01T00:00:00Z')

/**
 * Header and padded content of each entry (POSIX.1-1988 ustar), without the two blank blocks that end an archive.
 * Paths are relative and at most 100 bytes long; throws a RangeError for longer ones.
 */
export const tarRecords = (entries: readonly TreeEntry[]): Buffer => writeRecords(entries, 0)

/** The same, and what ends an archive. */
export const tarEnding = (entries: readonly TreeEntry[]): Buffer => writeRecords(entries, 2 * BLOCK)

/** All in one buffer: a buffer for each part would cost more than its content. */
function writeRecords(entries: readonly TreeEntry[], blanks: number): Buffer {
  const sizes = entries.map((entry) => (entry.kind === 'file' ? Buffer.byteLength(entry.text) : 0))
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + BLOCK + padded(size), blanks))
  let at = 0
  entries.forEach((entry, index) => {
    const size = sizes[index] ?? 0
    writeHeader(bytes, at, headerOf(entry, size))
    if (entry.kind === 'file') bytes.write(entry.text, at + BLOCK)
    at += BLOCK + padded(size)
  })
  return bytes
}

const padded = (size: number): number => Math.ceil(size / BLOCK) * BLOCK

const types = { file: 'File', link: 'SymbolicLink', directory: 'Directory' } as const

const headerOf = (entry: TreeEntry, size: number) => ({
  path: entry.kind === 'directory' ? `${entry.path}/` : entry.path,
  mode: entry.kind === 'link' ? modeOf('link') : entry.mode,
  type: types[entry.kind],
  ...(entry.kind === 'link' ? { linkpath: entry.target } : {}),
  ...{ size, mtime: FIXED_TIME, uid: 0, gid: 0, uname: 'root', gname: 'root' },
})

function writeHeader(bytes: Buffer, at: number, header: ReturnType<typeof headerOf>): void {
  for (const name of [header.path, header.linkpath ?? ''])
    if (Buffer.byteLength(name) > 100) throw new RangeError(`a name in an archive has at most 100 bytes: ${name}`)
  new Header(header).encode(bytes, at)
}
