// Unpacks a configuration archive as a server's `init/` tree: whole or not at all.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { x as extract } from 'tar'
import { modeOf } from '../base/files/modes.js'
import { done, fail, type Result } from '../base/result.js'

export interface UnpackOptions {
  /** Writes with synchronous calls: less processor time, for threads without other work. */
  readonly sync?: boolean
}

/**
 * Makes `{directory}/init` the content of `archive`. The tree of each archive gets a separate folder and `init` is a
 * link that is moved in one step, so that a reader sees the old tree or the new one; the old one stays until the next.
 */
export async function unpackArchive(
  archive: string,
  directory: string,
  { sync = false }: UnpackOptions = {},
): Promise<Result<void>> {
  try {
    const bytes = sync ? readFileSync(archive) : await readFile(archive)
    const name = GENERATION + createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    const link = path.join(directory, 'init')
    const before = await readlink(link).catch(() => undefined)
    if (before === name) return done

    await writeAs(path.join(directory, name), (folder) => {
      const options = { file: archive, cwd: folder, strict: true, preserveOwner: false }
      return sync ? extract({ ...options, sync }) : extract(options)
    })
    await moveLink(link, name)
    await removeOthers(directory, [name, before])
    return done
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail('orchestrator-failed', `${archive} cannot be unpacked: ${reason}`)
  }
}

const GENERATION = '.init-'

/** Whole or not at all: `write` fills a folder that becomes `folder` afterwards. */
async function writeAs(folder: string, write: (folder: string) => unknown): Promise<void> {
  const temporary = await mkdtemp(path.join(path.dirname(folder), '.unpack-'))
  try {
    await write(temporary)
    await chmod(temporary, modeOf('shared'))
    // A folder of this name that no link points to is left from an interrupted unpacking.
    await rm(folder, { recursive: true, force: true })
    await rename(temporary, folder)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw error
  }
}

async function moveLink(link: string, target: string): Promise<void> {
  const temporary = `${link}.${process.pid}.${performance.now()}`
  await symlink(target, temporary)
  await rename(temporary, link).catch(async (error: unknown) => {
    await rm(temporary, { force: true })
    throw error
  })
}

async function removeOthers(directory: string, kept: readonly (string | undefined)[]): Promise<void> {
  const others = (await readdir(directory)).filter((name) => name.startsWith(GENERATION) && !kept.includes(name))
  await Promise.all(others.map((name) => rm(path.join(directory, name), { recursive: true, force: true })))
}
