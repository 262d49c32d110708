// Flags of one server or proxy that survive restarts: empty files `@cookie_<name>` in its directory.
import { access, mkdir, readdir, rm, stat, unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { done, fail, ok, type Result } from '../base/result.js'
import { codeOf, reasonOf } from './atomic-write.js'

/** What a server can need; `C/.../need-*` and the agents read these. */
export type Cookie = (typeof cookies)[number]

export const cookies = [
  'prov',
  'unprov',
  'restart',
  'reprov',
  'config',
  'configrefresh',
  'noconfigfetch',
  'waitstart',
  'waitstop',
  'waitbackup',
  'waitlogicalbackup',
  'waitphysicalbackup',
] as const

const PREFIX = '@cookie_'

/** The file that exists while the flag is set. */
export const cookieFile = (directory: string, cookie: Cookie): string => path.join(directory, `${PREFIX}${cookie}`)

/** Sets the flag; already set is success. Creates the directory when it is missing. */
export async function setCookie(directory: string, cookie: Cookie): Promise<Result<void>> {
  const file = cookieFile(directory, cookie)
  try {
    await mkdir(directory, { recursive: true })
    await writeFile(file, '')
    return done
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

/** Clears the flag; already cleared is success. */
export async function clearCookie(directory: string, cookie: Cookie): Promise<Result<void>> {
  const file = cookieFile(directory, cookie)
  try {
    await rm(file, { force: true })
    return done
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

export const hasCookie = (directory: string, cookie: Cookie): Promise<boolean> =>
  access(cookieFile(directory, cookie)).then(
    () => true,
    () => false,
  )

/** Clears the flag: true for exactly one of several callers. */
export async function consumeCookie(directory: string, cookie: Cookie): Promise<Result<boolean>> {
  const file = cookieFile(directory, cookie)
  try {
    await unlink(file)
    return ok(true)
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? ok(false) : fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

/** The flags that are set, in the order of the table; none without a directory. */
export async function listCookies(directory: string): Promise<readonly Cookie[]> {
  const files = new Set(await readdir(directory).catch(() => []))
  return cookies.filter((cookie) => files.has(`${PREFIX}${cookie}`))
}

/** When the flag was set, milliseconds since the epoch; infinity when it is not set. */
export const cookieSetAt = (directory: string, cookie: Cookie): Promise<number> =>
  stat(cookieFile(directory, cookie)).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  )
