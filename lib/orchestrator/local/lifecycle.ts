// What the local orchestrator does with one server: provision, start, stop, unprovision. Each is safe to repeat.
import { mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { done, fail, ok, type Result } from '../../base/result.js'
import { createAccounts } from '../../dialect/mariadb/accounts.js'
import type { ServerAddress } from '../../model/server.js'
import { unpackArchive } from '../unpack.js'
import { hasTables, makeDataFolder } from './database-folder.js'
import { exists } from './exists.js'
import type { LocalOptions } from './options.js'
import { findProcess, spawnServer, stopProcess } from './process.js'
import { changeOwner, chooseUser, findPrograms, type Programs, type RunAs } from './programs.js'
import { checkPortFree, waitReady } from './readiness.js'
import type { Site } from './site.js'

/** Unpacks the archive, makes the data folder with its accounts, starts. A server that runs is left alone. */
export async function provision(site: Site, options: LocalOptions, signal: AbortSignal): Promise<Result<void>> {
  if (!(await exists(site.archive))) return fail('archive-missing', `${site.name}: no ${site.archive}`)
  if ((await findProcess(site)) !== undefined) return start(site, options, signal)
  const free = await checkPortFree(site)
  if (!free.ok) return free
  const unpacked = await unpackArchive(site.archive, site.directory)
  if (!unpacked.ok) return unpacked
  const tools = await chooseTools(options)
  if (!tools.ok) return tools

  await mkdir(site.runDir, { recursive: true, mode: 0o755 })
  if (!(await hasTables(site))) await writeInitFile(site, options)
  const made = await makeDataFolder(site, { ...tools.value, directory: templates(options) }, signal)
  return made.ok ? start(site, options, signal) : made
}

const templates = ({ workingDir }: LocalOptions): string => path.resolve(workingDir, '.template')

/** Written before the data folder appears: as long as it lies there, the accounts are not made yet. */
async function writeInitFile(site: Site, { monitor, replication }: LocalOptions): Promise<void> {
  // Over TCP only: root@localhost stays the system's user, who needs no password.
  const hosts = isLoopback(site.address) ? ['127.0.0.1', '::1'] : ['%']
  const statements = createAccounts({ monitor: { ...monitor, hosts }, replication: { ...replication, hosts } })
  await writeFile(site.initFile, `${statements.join('\n')}\n`, { mode: 0o600 })
}

const isLoopback = ({ host }: ServerAddress): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')

/** Starts the server on its newest configuration and waits until it answers; running already is success. */
export async function start(site: Site, options: LocalOptions, signal: AbortSignal): Promise<Result<void>> {
  const running = await findProcess(site)
  const pid = running === undefined ? await launch(site, options) : ok(running)
  if (!pid.ok) return pid
  const ready = await waitReady(site, pid.value, { login: options.monitor, signal })
  const pending = await exists(site.initFile)
  if (ready.ok && pending) await rm(site.initFile, { force: true })
  // A server that answers and refuses the login has started: its password may have been changed since.
  return !ready.ok && ready.failure.code === 'sql-rejected' && !pending ? done : ready
}

async function launch(site: Site, options: LocalOptions): Promise<Result<number>> {
  if (!(await exists(site.configFile)) || !(await hasTables(site))) {
    return fail('orchestrator-failed', `${site.name} is not provisioned: ${site.directory} holds no server`)
  }
  const free = await checkPortFree(site)
  if (!free.ok) return free
  const fetch = (options.fetchOnStart ?? true) && (await exists(site.archive))
  const unpacked = fetch ? await unpackArchive(site.archive, site.directory) : done
  if (!unpacked.ok) return unpacked
  const tools = await chooseTools(options)
  if (!tools.ok) return tools

  const { programs, runAs } = tools.value
  await mkdir(site.runDir, { recursive: true, mode: 0o755 })
  for (const folder of [site.runDir, `${site.init}/`]) {
    const owned = await changeOwner(folder, runAs)
    if (!owned.ok) return owned
  }
  return spawnServer(site, programs.server, [
    ...(runAs.byRoot ? [`--user=${runAs.user}`] : []),
    ...((await exists(site.initFile)) ? [`--init-file=${site.initFile}`] : []),
  ])
}

interface Tools {
  readonly programs: Programs
  readonly runAs: RunAs
}

async function chooseTools(options: LocalOptions): Promise<Result<Tools>> {
  const programs = await findPrograms(options.programs)
  if (!programs.ok) return programs
  const runAs = chooseUser(options.user)
  return runAs.ok ? ok({ programs: programs.value, runAs: runAs.value }) : runAs
}

/** Stops the server cleanly, or by SIGKILL when it takes longer than `graceMs`; not running already is success. */
export async function stop(site: Site, graceMs: number, signal: AbortSignal): Promise<Result<void>> {
  const stopped = await stopProcess(site, graceMs, signal)
  return stopped.ok ? done : stopped
}

/** Stops the server and removes its data and everything unpacked; the archive and the overlays stay for the next one. */
export async function unprovision(site: Site, graceMs: number, signal: AbortSignal): Promise<Result<void>> {
  const stopped = await stop(site, graceMs, signal)
  if (!stopped.ok) return stopped
  const names = await readdir(site.directory).catch(() => [])
  for (const name of names.filter((each) => ownNames.test(each))) {
    await rm(path.join(site.directory, name), { recursive: true, force: true })
  }
  await rmdir(site.directory).catch(() => undefined) // it stays when something is left in it
  return done
}

/** What this orchestrator makes in a server's folder, drafts of a broken-off run included. */
const ownNames = /^(data|run|init|\.init-.*|\.data-.*|\.unpack-.*|init\.\d.*)$/
