// Which file of a primary's binary log storing begins with, so that nothing is missing between it and what is stored.
import { contains, formatSet, type GtidSet, isEmpty, subtract } from '../../model/server/gtid.js'

export interface ServerFile {
  readonly name: string
  readonly size: number
}

export interface FirstFile {
  readonly name: string
  /** What precedes it on the server and is not stored. */
  readonly gap?: string
}

export interface FirstFileParts {
  /** Oldest first. */
  readonly files: readonly ServerFile[]
  /** What is stored; undefined when nothing is. */
  readonly stored: GtidSet | undefined
  /** The log is no continuation of what is stored: its GTIDs may name other transactions. */
  readonly isOther?: boolean
  /** So many of the newest files are stored when nothing is. */
  readonly keep: number
  /** The transactions that precede a file. */
  readonly before: (file: ServerFile) => Promise<GtidSet>
}

/** The newest file before which nothing is missing, else the oldest with its gap; undefined when the server has no log. */
export async function findFirstFile({
  files,
  stored,
  isOther = false,
  keep,
  before,
}: FirstFileParts): Promise<FirstFile | undefined> {
  const [oldest] = files
  if (!oldest) return undefined
  if (stored === undefined) return { name: (files[Math.max(0, files.length - Math.max(1, keep))] ?? oldest).name }
  if (!isOther)
    for (const file of files.toReversed()) if (contains(stored, await before(file))) return { name: file.name }
  const gap = subtract(await before(oldest), stored)
  return { name: oldest.name, ...(isEmpty(gap) ? {} : { gap: formatSet(gap) }) }
}
