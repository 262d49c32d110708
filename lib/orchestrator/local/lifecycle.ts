// The actions of the local orchestrator on one server: provision, start, stop, unprovision. Each is safe to repeat.
import { mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { forgetKey } from '../../connect/sql/known-keys.js'
import { isLoginRefused } from '../../connect/sql/session.js'
import { createAccounts } from '../../dialect/shared/access/accounts.js'
import { addressText, type ServerAddress } from '../../model/server/server.js'
import type { Run } from '../index.js'
import { unpackArchive } from '../unpack.js'
import { archiveArrives } from './arrival.js'
import { hasTables, isForeign, makeDataFolder, setDataAside } from './database-folder.js'
import { exists } from './process/exists.js'
import type { LocalOptions } from './process/options.js'
import { findProcess, spawnDaemon, stopProcess, stopTexts } from './process/process.js'
import { changeOwner, chooseUser, findPrograms, type Programs, type RunAs } from './process/programs.js'
import { checkPortFree, waitReady } from './process/readiness.js'
import type { Site } from './process/site.js'

/** Unpacks the archive, creates the data folder with its accounts, starts. A running server is not changed. */
export async function provision(site: Site, options: LocalOptions, run: Run): Promise<Result<void>> {
  if (!(await archiveArrives(site.archive, run.signal)))
    return fail('archive-missing', `${site.name}: no ${site.archive}`)
  if ((await findProcess(site)) !== undefined) return start(site, options, run)
  const free = await checkPortFree(site)
  if (!free.ok) return free
  const cleared = await clearForeign(site, run)
  if (!cleared.ok) return cleared
  const unpacked = await unpack(site, run)
  if (!unpacked.ok) return unpacked
  const tools = await chooseTools(options)
  if (!tools.ok) return tools

  await mkdir(site.runDir, { recursive: true, mode: modeOf('shared') })
  if (!(await hasTables(site))) {
    run.log(`making ${site.dataDir}`)
    forgetKey(options.monitor.knownKeys, addressText(site.address)) // the server makes new keys
    await writeInitFile(site, options)
  }
  const made = await makeDataFolder(site, { ...tools.value, directory: templates(options) }, run.signal)
  return made.ok ? start(site, options, run) : made
}

/** Data that the manager did not create is refused, or with force moved aside: never removed. */
async function clearForeign(site: Site, { force, log }: Run): Promise<Result<void>> {
  if (!(await isForeign(site))) return done
  if (!force) {
    const advice = 'move it away, or use force: it is then kept beside the new one'
    return fail('data-exists', `${site.name}: ${site.dataDir} holds data that the manager did not create; ${advice}`)
  }
  const aside = await setDataAside(site)
  if (aside.ok) log(`the previous data were moved to ${aside.value}`)
  return aside.ok ? done : aside
}

async function unpack(site: Site, { log }: Run): Promise<Result<void>> {
  log(`unpacking ${site.archive}`)
  return unpackArchive(site.archive, site.directory)
}

/** Delivers the newest configuration; a running server applies it at its next start. */
export async function apply(site: Site, run: Run): Promise<Result<void>> {
  if (!(await exists(site.archive))) return fail('archive-missing', `${site.name}: no ${site.archive}`)
  return unpack(site, run)
}

const templates = ({ workingDir }: LocalOptions): string => path.resolve(workingDir, '.template')

/** Written before the data folder appears: as long as it exists, the accounts are not created yet. */
async function writeInitFile(site: Site, { monitor, replication }: LocalOptions): Promise<void> {
  const hosts = isLoopback(site.address) ? ['127.0.0.1', '::1'] : ['%']
  // The job script logs in over the socket, too. root@localhost stays the system's user, who needs no password.
  const near = isLoopback(site.address) && monitor.user !== 'root' ? ['localhost'] : []
  const statements = createAccounts({
    monitor: { ...monitor, hosts: [...hosts, ...near] },
    replication: { ...replication, hosts },
  })
  await writeFile(site.initFile, `${statements.join('\n')}\n`, { mode: modeOf('login') })
}

const isLoopback = ({ host }: ServerAddress): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')

/** Starts the server on its newest configuration and waits until it answers; already running is success. */
export async function start(site: Site, options: LocalOptions, run: Run): Promise<Result<void>> {
  const running = await findProcess(site)
  const pid = running === undefined ? await launch(site, options, run) : ok(running)
  if (!pid.ok) return pid
  run.log(`process ${pid.value} ${running === undefined ? 'was started' : 'runs'}; waiting until it answers`)
  const ready = await waitReady(site, pid.value, { login: options.monitor, signal: run.signal })
  const pending = await exists(site.initFile)
  if (ready.ok && pending) await rm(site.initFile, { force: true })
  // A server that answers and refuses the login has started: its password may have been changed since.
  return !ready.ok && isLoginRefused(ready.failure) && !pending ? done : ready
}

async function launch(site: Site, options: LocalOptions, run: Run): Promise<Result<number>> {
  if (!(await exists(site.configFile)) || !(await hasTables(site))) {
    return fail('orchestrator-failed', `${site.name} is not provisioned: ${site.directory} holds no server`)
  }
  const free = await checkPortFree(site)
  if (!free.ok) return free
  const fetch = (options.fetchOnStart ?? true) && (await exists(site.archive))
  const unpacked = fetch ? await unpack(site, run) : done
  if (!unpacked.ok) return unpacked
  const tools = await chooseTools(options)
  if (!tools.ok) return tools

  const { programs, runAs } = tools.value
  await mkdir(site.runDir, { recursive: true, mode: modeOf('shared') })
  for (const folder of [site.runDir, `${site.init}/`]) {
    const owned = await changeOwner(folder, runAs)
    if (!owned.ok) return owned
  }
  return spawnDaemon(site, programs.server, [
    `--defaults-file=${site.configFile}`,
    ...(runAs.byRoot ? [`--user=${runAs.user}`] : []),
    ...(run.first ? ['--wsrep-new-cluster'] : []),
    ...((await exists(site.initFile)) ? [`--init-file=${site.initFile}`] : []),
  ])
}

interface Tools {
  readonly programs: Programs
  readonly runAs: RunAs
}

async function chooseTools(options: LocalOptions): Promise<Result<Tools>> {
  const programs = await findPrograms(options.flavour ?? 'mariadb', options.programs)
  if (!programs.ok) return programs
  const runAs = chooseUser(options.user)
  return runAs.ok ? ok({ programs: programs.value, runAs: runAs.value }) : runAs
}

/** Stops the server cleanly, or by SIGKILL when it takes longer than `graceMs`; already stopped is success. */
export async function stop(site: Site, graceMs: number, { signal, log }: Run): Promise<Result<void>> {
  const stopped = await stopProcess(site, graceMs, signal)
  if (stopped.ok) log(stopTexts[stopped.value])
  return stopped.ok ? done : stopped
}

/** Stops the server and removes its data and everything unpacked; the archive and the overlays stay for the next one. */
export async function unprovision(site: Site, graceMs: number, run: Run): Promise<Result<void>> {
  if ((await isForeign(site)) && !run.force)
    return fail(
      'data-exists',
      `${site.name}: ${site.dataDir} holds data that the manager did not create; use force to remove it`,
    )
  const stopped = await stop(site, graceMs, run)
  if (!stopped.ok) return stopped
  const names = await readdir(site.directory).catch(() => [])
  for (const name of names.filter((each) => ownNames.test(each))) {
    run.log(`removing ${name}`)
    await rm(path.join(site.directory, name), { recursive: true, force: true })
  }
  await rmdir(site.directory).catch(() => undefined) // it stays when something is left in it
  return done
}

/** What this orchestrator creates in a server's folder, drafts of an interrupted run included. */
const ownNames = /^(data|run|init|data\.before-.*|init\.before-.*|\.init-.*|\.data-.*|\.unpack-.*|init\.\d.*)$/
