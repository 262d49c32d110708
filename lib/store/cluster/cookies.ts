// Flags of one server or proxy that survive restarts: empty files `@cookie_<name>` in its directory.
import { access, mkdir, readdir, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { codeOf, reasonOf } from '../kit/atomic-write.js'
import { copyBelow, isCopied } from '../kit/copies.js'

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

/**
 * Sets the flag; already set is success. Creates the directory when it is missing. Failure: `file-unwritable`; or that of
 * the copy for the next owner (`keepCopies`).
 */
export async function setCookie(directory: string, cookie: Cookie): Promise<Result<void>> {
  const file = cookieFile(directory, cookie)
  try {
    await mkdir(directory, { recursive: true, mode: modeOf('stateFolder') })
    await writeFile(file, '', { mode: modeOf('mark') })
    return await leaveFlag(directory, cookie)
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

/** Clears the flag; already cleared is success. Failures as for `setCookie`. */
export async function clearCookie(directory: string, cookie: Cookie): Promise<Result<void>> {
  const file = cookieFile(directory, cookie)
  try {
    await unlink(file)
    return await leaveFlag(directory, cookie)
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? done : fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

export const hasCookie = (directory: string, cookie: Cookie): Promise<boolean> =>
  access(cookieFile(directory, cookie)).then(
    () => true,
    () => false,
  )

/** Clears the flag: true for exactly one of several callers. It stands again when the next owner would still find it. */
export async function consumeCookie(directory: string, cookie: Cookie): Promise<Result<boolean>> {
  const file = cookieFile(directory, cookie)
  try {
    const setAt = isCopied(path.dirname(directory)) ? await cookieSetAt(directory, cookie) : 0
    await unlink(file)
    const left = await leaveFlag(directory, cookie)
    if (left.ok) return ok(true)
    await restoreFlag(path.dirname(directory), flagName(directory, cookie), setAt)
    return left
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? ok(false) : fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

/** The flags that are set, in the order of the table; none without a directory. */
export async function listCookies(directory: string): Promise<readonly Cookie[]> {
  const files = new Set(await readdir(directory).catch(() => []))
  return cookies.filter((cookie) => files.has(`${PREFIX}${cookie}`))
}

/**
 * When the flag was set, whole milliseconds since the epoch; infinity when it is not set. The nearest one: `utimes` takes
 * seconds with a fraction and cuts them to the microsecond, so about half of all times that were set are read 1 us too early.
 */
export const cookieSetAt = (directory: string, cookie: Cookie): Promise<number> =>
  stat(cookieFile(directory, cookie)).then(
    ({ mtimeMs }) => Math.round(mtimeMs),
    () => Number.POSITIVE_INFINITY,
  )

/** A flag as the next owner of the cluster finds it: its path in the directory of the cluster, with a slash. */
export const flagName = (directory: string, cookie: Cookie): string => `${path.basename(directory)}/${PREFIX}${cookie}`

const FLAG = new RegExp(`^[^/]+_\\d{1,5}/${PREFIX}(?:${cookies.join('|')})$`)

/** Whether it is the name of a flag that the next owner continues with. One of them follows from the settings alone. */
export const isFlagName = (name: string): boolean => FLAG.test(name) && !name.endsWith(`${PREFIX}noconfigfetch`)

/** Leaves the flag to the next owner as it is now, where there are several instances. */
async function leaveFlag(directory: string, cookie: Cookie): Promise<Result<void>> {
  const cluster = path.dirname(directory)
  const name = flagName(directory, cookie)
  if (!isCopied(cluster) || !isFlagName(name)) return done
  const setAt = await cookieSetAt(directory, cookie)
  return copyBelow(cluster, name, setAt === Number.POSITIVE_INFINITY ? undefined : String(setAt))
}

/** Every flag of the servers and proxies of a cluster, and when it was set, milliseconds since the epoch. */
export async function readFlags(cluster: string): Promise<ReadonlyMap<string, number>> {
  const flags = new Map<string, number>()
  for (const folder of await readdir(cluster, { withFileTypes: true }).catch(() => [])) {
    if (!folder.isDirectory()) continue
    const directory = path.join(cluster, folder.name)
    for (const cookie of await listCookies(directory)) {
      const name = flagName(directory, cookie)
      if (isFlagName(name)) flags.set(name, await cookieSetAt(directory, cookie))
    }
  }
  return flags
}

/** Makes the flags of a cluster what its earlier owner left. Throws what the file system says. */
export async function restoreFlags(cluster: string, flags: ReadonlyMap<string, number>): Promise<void> {
  for (const name of (await readFlags(cluster)).keys()) if (!flags.has(name)) await unlink(path.join(cluster, name))
  for (const [name, setAt] of flags) if (isFlagName(name)) await restoreFlag(cluster, name, setAt)
}

async function restoreFlag(cluster: string, name: string, setAt: number): Promise<void> {
  const file = path.join(cluster, name)
  await mkdir(path.dirname(file), { recursive: true, mode: modeOf('stateFolder') })
  await writeFile(file, '', { mode: modeOf('mark') })
  await utimes(file, setAt / SECOND, setAt / SECOND)
}
