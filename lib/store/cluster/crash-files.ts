// Crash records as files for users and tools: `failover.<yyyymmddHHMMSS>.json`, the latest few.
import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { isoTime } from '../../base/time.js'
import type { Crash } from '../../model/operation/crash.js'
import { atomicWrite, reasonOf } from '../kit/atomic-write.js'

/** `20261121074012`: UTC, sorts by time. */
export const stampOf = (at: number): string => isoTime(at).slice(0, 19).replace(/\D/g, '')

const pattern = /^failover\.\d{14}\.json$/

export interface CrashFileRequest {
  readonly directory: string
  readonly crash: Crash
  /** How many files are kept (`failover-log-file-keep`). */
  readonly keep: number
}

/** Writes the record and removes the oldest beyond `keep`; returns the file. Writing the same crash again replaces it. */
export async function writeCrashFile({ directory, crash, keep }: CrashFileRequest): Promise<Result<string>> {
  const file = path.join(directory, `failover.${stampOf(crash.at)}.json`)
  try {
    await mkdir(directory, { recursive: true, mode: modeOf('stateFolder') })
    const written = await atomicWrite(file, `${JSON.stringify(crash, undefined, 2)}\n`)
    if (!written.ok) return written
    const names = (await readdir(directory)).filter((name) => pattern.test(name)).sort()
    const surplus = names.slice(0, Math.max(0, names.length - Math.max(1, keep)))
    await Promise.all(surplus.map((name) => rm(path.join(directory, name), { force: true })))
    return ok(file)
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}
