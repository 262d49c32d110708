// Private directories of backups that run: logins and files that are no backup yet.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { fail, ok, type Result } from '../../base/result.js'

const PREFIX = 'backup-work-'

/** Mode 0700; removed by who asked for it. */
export async function openScratch(directory: string): Promise<Result<string>> {
  try {
    return ok(await mkdtemp(path.join(directory, PREFIX)))
  } catch (error) {
    return fail('file-unwritable', `${directory}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Those that a killed manager left. Only while no backup runs. */
export async function removeScratch(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names)
    if (name.startsWith(PREFIX)) await rm(path.join(directory, name), { recursive: true, force: true })
}
