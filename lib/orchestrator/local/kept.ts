// What happens to old data that a rebuild left beside a server which was provisioned manually since.
import { readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { done, fail, type Result } from '../../base/result.js'
import { BEFORE, KEPT, type Run } from '../index.js'
import type { Site } from './process/site.js'
import { FILLED_MARK } from './renewal.js'

/**
 * The server keeps its current data: old data and configurations get a name under which the manager neither restores nor
 * removes them. The data first: a configuration without data beside it has no meaning.
 */
export async function keepOldData(site: Site, { log }: Pick<Run, 'log'>): Promise<Result<void>> {
  try {
    const aside = (await readdir(site.directory, { withFileTypes: true })).filter((each) => each.isDirectory())
    for (const what of ['data', 'init'])
      for (const { name } of aside.filter((each) => each.name.startsWith(`${what}${BEFORE}`))) {
        const kept = name.replace(BEFORE, KEPT)
        await rename(path.join(site.directory, name), path.join(site.directory, kept))
        log(
          `${name}, left by an interrupted reprovisioning, was renamed to ${kept}: the manager neither restores nor removes it`,
        )
      }
    await rm(path.join(site.dataDir, FILLED_MARK), { force: true })
    return done
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail('orchestrator-failed', `${site.name}: its old data cannot be renamed: ${reason}`)
  }
}
