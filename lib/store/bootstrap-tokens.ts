// One-time tokens that let one server's host fetch its archive: only their hashes are kept, a file each in its folder.
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, unlink } from 'node:fs/promises'
import path from 'node:path'
import { fail, ok, type Result } from '../base/result.js'
import { isoTime } from '../base/time.js'
import { atomicWrite, codeOf, reasonOf } from './atomic-write.js'

export interface BootstrapToken {
  /** Returned once; it cannot be read again. */
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The prefix of a token, so that users and programs recognise one. */
export const TOKEN_START = 'mbt_'

const FOLDER = '.tokens'
/** Unused tokens of one server. */
const MOST = 32

/** A new token for the server of this folder. `wrong-state` when it has too many unused ones. */
export async function makeBootstrapToken(
  directory: string,
  { user, expiresAt, at }: { readonly user: string; readonly expiresAt: number; readonly at: number },
): Promise<Result<BootstrapToken>> {
  const folder = path.join(directory, FOLDER)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const left = await removeExpired(folder, at)
    if (left >= MOST) return fail('wrong-state', `${MOST} unused tokens exist: use them, or wait until one expires`)
  } catch (error) {
    return fail('file-unwritable', `${folder}: ${reasonOf(error)}`)
  }
  const token = TOKEN_START + randomBytes(32).toString('base64url')
  const record = { user, madeAt: isoTime(at), expiresAt: isoTime(expiresAt) }
  const written = await atomicWrite(fileOf(directory, token), `${JSON.stringify(record)}\n`)
  return written.ok ? ok({ token, expiresAt }) : written
}

/** Whether the token was issued for the server of this folder, has not expired and was not used. */
export async function checkBootstrapToken(directory: string, token: string, at: number): Promise<boolean> {
  return token.startsWith(TOKEN_START) && (await expiryOf(fileOf(directory, token))) > at
}

/** Uses the token up: true for exactly one of several concurrent callers. */
export async function spendBootstrapToken(directory: string, token: string, at: number): Promise<boolean> {
  if (!(await checkBootstrapToken(directory, token, at))) return false
  return unlink(fileOf(directory, token)).then(
    () => true,
    () => false,
  )
}

/** The file name is the hash: a lookup compares nothing, so its timing reveals nothing. */
const fileOf = (directory: string, token: string): string =>
  path.join(directory, FOLDER, `${createHash('sha256').update(token).digest('hex')}.json`)

/** 0 for a file that is missing or cannot be read. */
async function expiryOf(file: string): Promise<number> {
  try {
    const record: unknown = JSON.parse(await readFile(file, 'utf8'))
    const isRecord = typeof record === 'object' && record !== null && 'expiresAt' in record
    return isRecord ? Date.parse(String(record.expiresAt)) || 0 : 0
  } catch {
    return 0
  }
}

/** How many are left. */
async function removeExpired(folder: string, at: number): Promise<number> {
  let left = 0
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    if ((await expiryOf(file)) > at) left += 1
    else await unlink(file).catch((error: unknown) => (codeOf(error) === 'ENOENT' ? undefined : Promise.reject(error)))
  }
  return left
}
