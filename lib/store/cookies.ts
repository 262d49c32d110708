// Flags of one server or proxy that survive restarts: empty files `@cookie_<name>` in its directory.
import { access, mkdir, rm, unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { done, fail, ok, type Result } from '../base/result.js'
import { codeOf, reasonOf } from './atomic-write.js'

/** What a server can need; `C/.../need-*` and the agents ask for these. */
export type Cookie =
  | 'prov'
  | 'unprov'
  | 'restart'
  | 'reprov'
  | 'config'
  | 'configrefresh'
  | 'noconfigfetch'
  | 'waitstart'
  | 'waitstop'
  | 'waitbackup'
  | 'waitlogicalbackup'
  | 'waitphysicalbackup'

const fileOf = (directory: string, cookie: Cookie): string => path.join(directory, `@cookie_${cookie}`)

/** Sets the flag; set already is success. Makes the directory when it is missing. */
export async function setCookie(directory: string, cookie: Cookie): Promise<Result<void>> {
  const file = fileOf(directory, cookie)
  try {
    await mkdir(directory, { recursive: true })
    await writeFile(file, '')
    return done
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

/** Clears the flag; not set already is success. */
export async function clearCookie(directory: string, cookie: Cookie): Promise<Result<void>> {
  const file = fileOf(directory, cookie)
  try {
    await rm(file, { force: true })
    return done
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

export const hasCookie = (directory: string, cookie: Cookie): Promise<boolean> =>
  access(fileOf(directory, cookie)).then(
    () => true,
    () => false,
  )

/** Takes the flag: true for exactly one of several callers. */
export async function consumeCookie(directory: string, cookie: Cookie): Promise<Result<boolean>> {
  const file = fileOf(directory, cookie)
  try {
    await unlink(file)
    return ok(true)
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? ok(false) : fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}
