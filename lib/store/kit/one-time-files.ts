// One-time secrets: only their hashes are kept, a file each in a folder, so that each can be used exactly once.
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, unlink } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { isoTime } from '../../base/time.js'
import { atomicWrite, codeOf, reasonOf } from './atomic-write.js'
import { parseObject } from './state-file.js'

/** A folder of them. */
export interface OneTimeFolder {
  readonly folder: string
  /** The prefix of a secret, so that users and programs recognise one. */
  readonly start: string
}

export interface OneTimeSecret {
  /** Returned once; it cannot be read again. */
  readonly secret: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** What is kept with one, besides its times. */
export type OneTimeRecord = Readonly<Record<string, string>>

export interface OneTimeWish {
  readonly expiresAt: number
  readonly at: number
  /** What is kept with it; it may depend on the text. */
  readonly record: (secret: string) => OneTimeRecord
  /** Whether there may be one more beside the unused ones. What it answers is kept, too. */
  readonly judge: (unused: readonly OneTimeRecord[]) => Result<OneTimeRecord>
}

/** At most so many unused ones: else `wrong-state`. */
export const atMost =
  (most: number): OneTimeWish['judge'] =>
  (unused) =>
    unused.length < most
      ? ok({})
      : fail('wrong-state', `${most} unused tokens exist: use them, or wait until one expires`)

/** A new one. What refuses it says why; `file-unwritable`. */
export async function makeOneTime(
  { folder, start }: OneTimeFolder,
  { expiresAt, at, record, judge }: OneTimeWish,
): Promise<Result<OneTimeSecret>> {
  const unused = await readUnused(folder, at)
  const judged = unused.ok ? judge(unused.value) : unused
  if (!judged.ok) return judged
  const secret = start + randomBytes(32).toString('base64url')
  const kept = { ...judged.value, ...record(secret), madeAt: isoTime(at), expiresAt: isoTime(expiresAt) }
  const written = await atomicWrite(fileOf(folder, secret), `${JSON.stringify(kept)}\n`)
  return written.ok ? ok({ secret, expiresAt }) : written
}

/** What is kept with one that was issued, has not expired and was not used; else undefined. */
export async function readOneTime(
  { folder, start }: OneTimeFolder,
  secret: string,
  at: number,
): Promise<OneTimeRecord | undefined> {
  if (!secret.startsWith(start)) return undefined
  const record = await readRecord(fileOf(folder, secret))
  return record && expiryOf(record) > at ? record : undefined
}

/** Uses it up: its record for exactly one of several concurrent callers, undefined for the others. */
export async function spendOneTime(
  place: OneTimeFolder,
  secret: string,
  at: number,
): Promise<OneTimeRecord | undefined> {
  const record = await readOneTime(place, secret, at)
  if (!record) return undefined
  return unlink(fileOf(place.folder, secret)).then(
    () => record,
    () => undefined,
  )
}

/** The file name is the hash: a lookup compares nothing, so its timing reveals nothing. */
const fileOf = (folder: string, secret: string): string =>
  path.join(folder, `${createHash('sha256').update(secret).digest('hex')}.json`)

/** Undefined for a file that is missing or cannot be read. */
async function readRecord(file: string): Promise<OneTimeRecord | undefined> {
  const object = parseObject(await readFile(file, 'utf8').catch(() => ''))
  if (!object) return undefined
  return Object.fromEntries(Object.entries(object).map(([name, value]): [string, string] => [name, String(value)]))
}

const expiryOf = ({ expiresAt = '' }: OneTimeRecord): number => Date.parse(expiresAt) || 0

/** Makes the folder when it is missing. */
async function readUnused(folder: string, at: number): Promise<Result<readonly OneTimeRecord[]>> {
  try {
    await mkdir(folder, { recursive: true, mode: modeOf('scratch') })
    return ok(await removeExpired(folder, at))
  } catch (error) {
    return fail('file-unwritable', `${folder}: ${reasonOf(error)}`)
  }
}

/** Those that are left. */
async function removeExpired(folder: string, at: number): Promise<readonly OneTimeRecord[]> {
  const left: OneTimeRecord[] = []
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const record = await readRecord(file)
    if (record && expiryOf(record) > at) left.push(record)
    else await unlink(file).catch((error: unknown) => (codeOf(error) === 'ENOENT' ? undefined : Promise.reject(error)))
  }
  return left
}
