// Rebuilds a local server and fills it from another one; its old data are kept until it has caught up.
import { cp, lstat, mkdtemp, readdir, readlink, rename, rm, stat, statfs, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { DAY, SECOND } from '../../base/time.js'
import { runProgram } from '../../connect/shell/program.js'
import { forgetKey } from '../../connect/sql/known-keys.js'
import type { ReprovisionState } from '../../model/operation/services.js'
import { addressText } from '../../model/server/server.js'
import { checkClone, cloneInto, settleClone } from '../clone.js'
import { fillEnvironment, fillScript, fillText } from '../fill.js'
import { BEFORE, type FillRun, type Run } from '../index.js'
import { archiveArrives } from './arrival.js'
import { hasTables, isForeign } from './database-folder.js'
import { provision, start, stop } from './lifecycle.js'
import { exists } from './process/exists.js'
import type { LocalOptions } from './process/options.js'
import type { Site } from './process/site.js'

/** In a data folder: the copy is complete, and the server was started on it. */
export const FILLED_MARK = '.filled-by-manager'

export interface ReprovisionParts {
  readonly options: LocalOptions
  readonly stopMs: number
}

/** The progress. A folder of old data shows that one was started. */
export async function probe(site: Site): Promise<Result<ReprovisionState>> {
  if ((await asideOf(site, 'data')) === undefined) return ok('none')
  return ok((await exists(path.join(site.dataDir, FILLED_MARK))) ? 'filled' : 'started')
}

/** The server stops; its data and a copy of its configuration are moved aside; an empty one replaces them. */
export async function begin(site: Site, { options, stopMs }: ReprovisionParts, run: FillRun): Promise<Result<void>> {
  if ((await asideOf(site, 'data')) !== undefined)
    return fail('wrong-state', `${site.name}: old data already exist beside ${site.dataDir}`)
  if (!(await archiveArrives(site.archive, run.signal)))
    return fail('archive-missing', `${site.name}: no ${site.archive}`)
  if ((await isForeign(site)) && !run.force)
    return fail('data-exists', `${site.name}: ${site.dataDir} holds data that the manager did not create`)
  const room = await hasRoom(site)
  if (!room.ok) return room
  const able = isCloned(run) ? await checkClone(cloneTask(site, options, run)) : done
  if (!able.ok) return able
  const stopped = await stop(site, stopMs, run)
  if (!stopped.ok) return stopped
  const time = new Date().toISOString().replace(/[-:.]/g, '')
  try {
    await keepConfiguration(site, `${site.init}${BEFORE}${time}`)
    await rename(site.dataDir, `${site.dataDir}${BEFORE}${time}`)
  } catch (error) {
    return failed(site, 'its data cannot be moved aside', error)
  }
  run.log(`the old data are kept in ${path.basename(site.dataDir)}${BEFORE}${time} until the new server has caught up`)
  return provision(site, options, run)
}

/** A separate copy, if there is one: the next unpacking replaces the folder that the link points to. */
async function keepConfiguration(site: Site, aside: string): Promise<void> {
  const draft = await mkdtemp(path.join(site.directory, '.unpack-'))
  await cp(site.init, draft, { recursive: true, dereference: true })
  await rename(draft, aside)
}

/** The new data are about as large as the old ones, and both exist for a while. */
async function hasRoom(site: Site): Promise<Result<void>> {
  const [needed, disk] = await Promise.all([sizeOf(site.dataDir, ['.system']), statfs(site.directory)])
  const free = disk.bavail * disk.bsize
  if (free >= needed) return done
  const [has, wants] = [free, needed].map((bytes) => `${Math.ceil(bytes / 2 ** 20)} MB`)
  return fail('orchestrator-failed', `${site.name}: the disk has ${has} left, and the new data need about ${wants}`)
}

/** Bytes of all files below a folder; logs and similar files are not copied. */
async function sizeOf(folder: string, without: readonly string[] = []): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (without.includes(entry.name)) continue
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) bytes += await sizeOf(file)
    // A server may remove a file in between.
    if (entry.isFile())
      bytes += await stat(file).then(
        ({ size }) => size,
        () => 0,
      )
  }
  return bytes
}

/** The copy, then a start on it: plugins and accounts of the copy hold from then on. */
export async function fill(site: Site, { options, stopMs }: ReprovisionParts, run: FillRun): Promise<Result<void>> {
  const task = cloneTask(site, options, run)
  run.log(fillText(task))
  const copied = isCloned(run) ? await cloneInto(task, run) : await copyBySql(site, options, run)
  if (!copied.ok) return copied
  // A server that was cloned over stops automatically.
  const stopped = await stop(site, stopMs, run)
  if (!stopped.ok) return stopped
  const started = await start(site, { ...options, fetchOnStart: false }, run)
  if (!started.ok) return started
  const settled = copied.value ? await settleClone(task, copied.value, run) : done
  if (!settled.ok) return settled
  try {
    await writeFile(path.join(site.dataDir, FILLED_MARK), '', { mode: modeOf('mark') })
    return done
  } catch (error) {
    return failed(site, 'its new data cannot be marked', error)
  }
}

const isCloned = ({ donor }: FillRun): boolean => donor.flavour !== 'mariadb'

const cloneTask = ({ address }: Site, { monitor }: LocalOptions, { donor }: FillRun) => ({
  ...{ donor, target: address, login: monitor },
})

/** From program to program, in SQL. */
async function copyBySql(site: Site, options: LocalOptions, run: FillRun): Promise<Result<void>> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = process.env
  const task = { ...cloneTask(site, options, run), dataDir: site.dataDir, baseDir: '' }
  const copied = await runProgram({
    ...{ file: '/bin/sh', args: [fillScript()], signal: run.signal, onLine: run.log },
    env: {
      ...{ PATH, HOME: '/', LANG: 'C.UTF-8' },
      ...fillEnvironment({ ...task, ...(options.tlsFiles ? { tlsFiles: options.tlsFiles } : {}) }),
    },
    ...{ timeoutMs: options.fillMs ?? DAY, maxLines: MOST_LINES },
  })
  return copied.ok ? done : fail('script-failed', copied.failure.message.replace(/^.*?\.sh: /, ''))
}

/** A day of one line every ten seconds. */
const MOST_LINES = 10_000

/** Removes the old data; half removed data are never taken for data that can be restored. */
export async function finish(site: Site, { log }: Run): Promise<Result<void>> {
  const data = await asideOf(site, 'data')
  try {
    const leaving = path.join(site.directory, '.data-old')
    await rm(leaving, { recursive: true, force: true })
    if (data !== undefined) await rename(data, leaving)
    await rm(leaving, { recursive: true, force: true })
    await dropConfiguration(site)
    await rm(path.join(site.dataDir, FILLED_MARK), { force: true })
    if (data !== undefined) log('the old data were removed')
    return done
  } catch (error) {
    return failed(site, 'its old data cannot be removed', error)
  }
}

/** How long a discarded server may take to stop. */
const NEW_STOP_MS = SECOND

/** The configuration first, the data after it: as long as old data are kept, this has to be done again. */
export async function undo(
  site: Site,
  { options }: Pick<ReprovisionParts, 'options'>,
  run: Run,
): Promise<Result<void>> {
  const data = await asideOf(site, 'data')
  if (data !== undefined) {
    // Its data are discarded; and a server that is stopped while it starts may hang.
    const stopped = await stop(site, NEW_STOP_MS, run)
    if (!stopped.ok) return stopped
    try {
      await restoreConfiguration(site)
      await rm(site.initFile, { force: true }) // of the new server's first start
      const failing = path.join(site.directory, '.data-failed')
      await rm(failing, { recursive: true, force: true })
      if (await exists(site.dataDir)) await rename(site.dataDir, failing)
      await rename(data, site.dataDir)
      await rm(failing, { recursive: true, force: true })
    } catch (error) {
      return failed(site, `its old data are in ${data} and cannot be restored`, error)
    }
    forgetKey(options.monitor.knownKeys, addressText(site.address)) // its old keys, too
    run.log('the old data were restored')
  }
  if (!(await hasTables(site))) return fail('orchestrator-failed', `${site.name}: ${site.dataDir} holds no data`)
  const started = await start(site, { ...options, fetchOnStart: false }, run)
  if (started.ok) await dropConfiguration(site)
  return started
}

/** The kept copy becomes a separate generation, and the link points to it. */
async function restoreConfiguration(site: Site): Promise<void> {
  const kept = await asideOf(site, 'init')
  if (kept === undefined) return
  const name = `.init-${path.basename(kept).slice('init'.length + 1)}`
  const generation = path.join(site.directory, name)
  if ((await readlink(site.init).catch(() => undefined)) === name) return
  await rm(generation, { recursive: true, force: true })
  const draft = await mkdtemp(path.join(site.directory, '.unpack-'))
  await cp(kept, draft, { recursive: true })
  await rename(draft, generation)
  const link = path.join(site.directory, `init.${process.pid}`)
  await rm(link, { force: true })
  await symlink(name, link)
  await rename(link, site.init)
}

async function dropConfiguration(site: Site): Promise<void> {
  const kept = await asideOf(site, 'init')
  if (kept !== undefined) await rm(kept, { recursive: true, force: true })
}

/** The newest folder that was moved aside, by its kind. */
async function asideOf(site: Site, what: 'data' | 'init'): Promise<string | undefined> {
  const names = await readdir(site.directory).catch(() => [])
  const aside = names.filter((name) => name.startsWith(`${what}${BEFORE}`)).toSorted()
  const newest = aside.at(-1)
  if (newest === undefined) return undefined
  const folder = path.join(site.directory, newest)
  return (await lstat(folder)).isDirectory() ? folder : undefined
}

const failed = ({ name }: Site, what: string, error: unknown): Result<never> =>
  fail('orchestrator-failed', `${name}: ${what}: ${error instanceof Error ? error.message : String(error)}`)
