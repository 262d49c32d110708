// What an archive of the state says of itself: its first member, read before anything of it is used.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { parseObject } from '../../lib/store/kit/state-file.js'

export const MANIFEST = 'manifest.json'
/** The layout of archives; another one is refused. */
export const LAYOUT = 1

export interface ArchivedFile {
  /** Its place in the archive. */
  readonly name: string
  readonly sha256: string
  readonly mode: number
  /** Where it stood, for a file outside of the working directory. */
  readonly path?: string
}

export interface Manifest {
  readonly kind: 'manager-state'
  readonly layout: number
  /** Format of the working directory. */
  readonly format: number
  readonly version: string
  readonly madeAt: string
  readonly host: string
  readonly directory: string
  readonly files: readonly ArchivedFile[]
}

export function parseManifest(text: string): Result<Manifest> {
  const value = parseObject(text)
  if (value?.kind !== 'manager-state' || !Array.isArray(value.files))
    return fail('file-unreadable', 'the file is no archive of manager backup-state')
  if (value.layout !== LAYOUT)
    return fail(
      'file-unreadable',
      `the archive has the layout ${String(value.layout)}, written by manager ${String(value.version)}; this one reads layout ${LAYOUT}`,
    )
  const manifest = value as unknown as Manifest
  const wrong = manifest.files.find(({ name }) => !isSafe(name))
  return wrong === undefined
    ? ok(manifest)
    : fail('file-unreadable', `the archive names a file outside of it: ${wrong.name}`)
}

const isSafe = (name: unknown): boolean =>
  typeof name === 'string' && !name.startsWith('/') && !name.split('/').some((part) => part === '..' || part === '')

export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
