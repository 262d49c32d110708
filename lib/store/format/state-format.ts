// The format of the working directory: one number, migrations between neighbours in both directions, and the refusal of a newer one.
import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { packageVersion } from '../../base/package-root.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { atomicWrite, codeOf, reasonOf } from '../kit/atomic-write.js'
import { parseObject } from '../kit/state-file.js'
import { type Migration, migrations as ownMigrations } from './migrations.js'

export const FORMAT_FILE = 'format.json'

/** A restore writes here first; where it is left, a restore was interrupted. */
export const RESTORING = '.restoring'

export const currentFormat: number = ownMigrations.length

export interface DirectoryFormat {
  readonly format: number
  /** The version of the manager that wrote the number. */
  readonly version: string
}

/** Directories of versions before the number have 0; undefined for one that is empty or missing. */
export async function readFormat(directory: string): Promise<Result<DirectoryFormat | undefined>> {
  const file = path.join(directory, FORMAT_FILE)
  try {
    const found = parseObject(await readFile(file, 'utf8'))
    return typeof found?.format === 'number' && Number.isSafeInteger(found.format)
      ? ok({ format: found.format, version: String(found.version) })
      : fail('file-unreadable', `${file}: contains no number of a format`)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return fail('file-unreadable', `${file}: ${reasonOf(error)}`)
    const names = await readdir(directory).catch((): string[] => [])
    return ok(names.some((name) => !name.startsWith('.')) ? { format: 0, version: 'before 0.1.0' } : undefined)
  }
}

/** At start: brings the directory to the format of this version. Failures: a newer format, an interrupted restore. */
export async function prepareFormat(
  directory: string,
  migrations: readonly Migration[] = ownMigrations,
): Promise<Result<void>> {
  const names = await readdir(directory).catch((): string[] => [])
  if (names.includes(RESTORING))
    return fail(
      'file-unreadable',
      `${directory}: a restore of the state was interrupted; run manager restore-state again`,
    )
  const found = await readFormat(directory)
  if (!found.ok) return found
  if (found.value === undefined) return writeFormat(directory, migrations.length)
  return moveFormat(directory, migrations.length, migrations)
}

/** One migration after the other; each is safe to repeat, and its number is written when it is complete. */
export async function moveFormat(
  directory: string,
  target: number,
  migrations: readonly Migration[] = ownMigrations,
): Promise<Result<void>> {
  const found = await readFormat(directory)
  if (!found.ok) return found
  const { format, version } = found.value ?? { format: migrations.length, version: packageVersion }
  if (format > migrations.length)
    return fail('file-unreadable', newerText(directory, { format, version }, migrations.length))
  if (target < 0 || target > migrations.length)
    return fail('wrong-value', `format ${target}: manager ${packageVersion} knows 0 to ${migrations.length}`)
  for (let at = format; at !== target; ) {
    const next = at < target ? at + 1 : at - 1
    try {
      if (next > at) await migrations[at]?.forwards?.(directory)
      else await migrations[next]?.back?.(directory)
    } catch (error) {
      return fail('file-unwritable', `${directory}: the state stays in format ${at}: ${reasonOf(error)}`)
    }
    const written = await writeFormat(directory, next)
    if (!written.ok) return written
    at = next
  }
  return done
}

export const newerText = (place: string, { format, version }: DirectoryFormat, known: number): string =>
  `${place}: the state has format ${format}, written by manager ${version}; this is manager ${packageVersion}, which knows up to ` +
  `format ${known}. Install that version again, or run with it: manager state-format ${known}`

/** Format 0 has no file. */
async function writeFormat(directory: string, format: number): Promise<Result<void>> {
  const file = path.join(directory, FORMAT_FILE)
  if (format > 0) return atomicWrite(file, `${JSON.stringify({ format, version: packageVersion })}\n`)
  try {
    await rm(file, { force: true })
    return done
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}
