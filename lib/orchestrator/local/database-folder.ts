// Creates the data folder of a server: a copy of its template with the delivered system tree.
import { constants, cp, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { KEPT } from '../index.js'
import { exists } from './process/exists.js'
import { changeOwner, type RunAs } from './process/programs.js'
import type { Site } from './process/site.js'
import { findTemplate, type TemplateSource } from './template.js'

/** Gives `site` its data folder, complete or not at all; an existing one stays as it is. */
export async function makeDataFolder(site: Site, source: TemplateSource, signal: AbortSignal): Promise<Result<void>> {
  if (await hasTables(site)) return copySkeleton(site, site.dataDir)
  const template = await findTemplate(site, source, signal)
  return template.ok ? copyTemplate(template.value, site, source.runAs) : template
}

/** The server's system tables exist: the folder was created. */
export const hasTables = ({ dataDir }: Site): Promise<boolean> => exists(path.join(dataDir, 'mysql'))

/** A data folder without the mark of the manager: foreign data, which the manager neither removes nor replaces. */
export const isForeign = async (site: Site): Promise<boolean> => (await hasTables(site)) && !(await exists(site.mark))

/** Moves a data folder aside, complete. Returns its new path. */
export async function setDataAside(site: Site): Promise<Result<string>> {
  const aside = `${site.dataDir}${KEPT}${new Date().toISOString().replace(/[-:.]/g, '')}`
  try {
    await rename(site.dataDir, aside)
    return ok(aside)
  } catch (error) {
    return failed(`${site.name}: the parent of the data folder`, error)
  }
}

async function copyTemplate(template: string, site: Site, runAs: RunAs): Promise<Result<void>> {
  try {
    const draft = await mkdtemp(path.join(site.directory, '.data-'))
    try {
      await cp(template, draft, { recursive: true, mode: constants.COPYFILE_FICLONE })
      const skeleton = await copySkeleton(site, draft)
      if (!skeleton.ok) return skeleton
      await writeFile(path.join(draft, path.basename(site.mark)), `${site.name}\n`, { mode: modeOf('mark') })
      const owned = await changeOwner(draft, runAs)
      if (!owned.ok) return owned
      await rename(draft, site.dataDir)
      return done
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  } catch (error) {
    return failed(`${site.name}: the data folder`, error)
  }
}

/** Creates the missing folders and files of the delivered skeleton; existing ones stay. */
async function copySkeleton(site: Site, dataDir: string): Promise<Result<void>> {
  try {
    const skeleton = path.join(site.init, 'data')
    for (const name of await readdir(skeleton)) {
      await cp(path.join(skeleton, name), path.join(dataDir, name), { recursive: true, force: false })
    }
    return done
  } catch (error) {
    return failed(`${site.name}: the system tree`, error)
  }
}

const failed = (what: string, error: unknown): Result<never> =>
  fail('orchestrator-failed', `${what} cannot be created: ${error instanceof Error ? error.message : String(error)}`)
