// What becomes of old data that a renewal left beside a server which was provisioned by hand since.
import { readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { done, fail, type Result } from '../../base/result.js'
import { BEFORE, KEPT, type Run } from '../index.js'
import type { Site } from './process/site.js'
import { FILLED_MARK } from './renewal.js'

/**
 * The server goes on with what it has: old data and configurations aside get a name under which nothing puts them back or
 * removes them. The data first: a configuration without data beside it stands for nothing.
 */
export async function keepOldData(site: Site, { log }: Pick<Run, 'log'>): Promise<Result<void>> {
  try {
    const aside = (await readdir(site.directory, { withFileTypes: true })).filter((each) => each.isDirectory())
    for (const what of ['data', 'init'])
      for (const { name } of aside.filter((each) => each.name.startsWith(`${what}${BEFORE}`))) {
        const kept = name.replace(BEFORE, KEPT)
        await rename(path.join(site.directory, name), path.join(site.directory, kept))
        log(`${name}, left of a reprovisioning that broke off, is ${kept} now: nothing puts it back or removes it`)
      }
    await rm(path.join(site.dataDir, FILLED_MARK), { force: true })
    return done
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail('orchestrator-failed', `${site.name}: its old data cannot be renamed: ${reason}`)
  }
}
