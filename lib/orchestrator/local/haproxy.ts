// An HAProxy on this machine: created from its archive, found again like a database, reloaded without interruption.
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { x as extract } from 'tar'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import { placeProxyPaths, serverFolder } from '../../configure/index.js'
import { runProgram } from '../../connect/shell/program.js'
import type { ServiceAction, ServiceSpec } from '../../model/operation/services.js'
import { ask } from '../../proxy/haproxy/wire.js'
import type { Run } from '../index.js'
import { unpackArchive } from '../unpack.js'
import { archiveArrives } from './arrival.js'
import { exists } from './process/exists.js'
import { checkPortsFree } from './process/haproxy-ports.js'
import type { LocalOptions } from './process/options.js'
import { type Daemon, findProcess, isRunning, spawnDaemon, stopProcess, stopTexts } from './process/process.js'

export interface HaproxySite extends Daemon {
  readonly directory: string
  readonly archive: string
  /** In the unpacked archive. */
  readonly configFile: string
  readonly runDir: string
  readonly socket: string
  /** States of its servers: written before a reload, so that the new process begins with them. */
  readonly stateFile: string
}

/** Its folder: `{working-dir}/{cluster}/{host}_{port}`, the port being that of its runtime API. */
export function haproxySite(workingDir: string, cluster: string, service: ServiceSpec): HaproxySite {
  const directory = path.resolve(workingDir, serverFolder(cluster, service))
  const configFile = path.join(directory, 'init', CONFIG)
  const runDir = path.join(directory, 'run')
  const { pidFile, socket, stateFile } = placeProxyPaths(
    { kind: 'local', directory },
    { id: service.id, software: 'haproxy' },
  )
  return {
    ...{ name: service.name, directory, configFile, runDir, home: directory, workDir: runDir },
    ...{ pidFile, socket, stateFile, archive: path.join(directory, 'config.tar.gz') },
    outputFile: path.join(runDir, 'output.log'),
    isOwn: (words) => words.includes(configFile) && words.some((word) => /(^|\/)haproxy$/.test(word)),
  }
}

/** The file of states without any: the version of its format. HAProxy warns where there is no file. */
const NO_STATES = '1\n'

/** In the archive. */
const CONFIG = 'etc/haproxy/haproxy.cfg'

const CHECK_MS = 10 * SECOND
const CHECK_INTERVAL_MS = 50
const STOP_MS = 5 * SECOND

type Step = (service: ServiceSpec, run: Run) => Promise<Result<void>>

export function haproxySteps(options: LocalOptions): Readonly<Record<Exclude<ServiceAction, 'restart'>, Step>> {
  const { haproxy } = options
  const on =
    (work: (site: HaproxySite, tools: Tools) => Promise<Result<void>>): Step =>
    (service, run) => {
      if (service.software !== 'haproxy' || !haproxy)
        return Promise.resolve(
          fail('unsupported', `${service.name}: ${service.software ?? 'it'} is not run on this machine`),
        )
      const site = haproxySite(options.workingDir, options.cluster, service)
      return work(site, { program: haproxy.program, fetchOnStart: haproxy.fetchOnStart ?? true, run })
    }
  return {
    provision: on((site, tools) => startHaproxy(site, { ...tools, fetchOnStart: true })),
    start: on(startHaproxy),
    apply: on(reloadHaproxy),
    stop: on((site, { run }) => stopHaproxy(site, run)),
    unprovision: on((site, { run }) => removeHaproxy(site, run)),
  }
}

interface Tools {
  readonly program: string
  readonly fetchOnStart: boolean
  readonly run: Run
}

async function startHaproxy(site: HaproxySite, tools: Tools): Promise<Result<void>> {
  if ((await findProcess(site)) !== undefined) {
    tools.run.log('it is already running')
    return done
  }
  const isPlaced = !tools.fetchOnStart && (await exists(site.configFile))
  const placed = isPlaced ? done : await placeConfiguration(site, tools)
  // States of an earlier run may name a primary that is none any more: it starts closed, and the manager opens it.
  if (placed.ok) await writeFile(site.stateFile, NO_STATES, { mode: modeOf('mark') })
  const free = placed.ok ? await checkPortsFree(site.name, await readFile(site.configFile, 'utf8')) : placed
  return free.ok ? launch(site, tools, []) : free
}

/** The new process takes over the ports and the old one ends with its last session. */
async function reloadHaproxy(site: HaproxySite, tools: Tools): Promise<Result<void>> {
  const before = await readFile(site.configFile, 'utf8').catch(() => '')
  const placed = await placeConfiguration(site, tools)
  const pid = placed.ok ? await findProcess(site) : undefined
  if (!placed.ok || pid === undefined || before === (await readFile(site.configFile, 'utf8'))) return placed
  await saveStates(site, tools.run)
  tools.run.log(`process ${pid} passes its listeners to a new process`)
  return launch(site, tools, ['-sf', `${pid}`])
}

/** Without them the new process is closed for clients until the manager has configured it. */
async function saveStates({ socket, stateFile }: HaproxySite, { log }: Run): Promise<void> {
  const states = await ask({ endpoint: { path: socket }, commands: ['show servers state'], timeoutMs: SECOND })
  if (!states.ok) {
    await writeFile(stateFile, NO_STATES, { mode: modeOf('mark') })
    log(`the states of its servers are not known, so that it starts closed: ${states.failure.message}`)
    return
  }
  await writeFile(`${stateFile}.new`, states.value, { mode: modeOf('mark') })
  await rename(`${stateFile}.new`, stateFile)
}

/** Unpacks the archive once HAProxy has found no fault in its configuration. */
async function placeConfiguration(site: HaproxySite, tools: Tools): Promise<Result<void>> {
  const { archive, directory, configFile, runDir, name } = site
  if (!(await archiveArrives(archive, tools.run.signal))) return fail('archive-missing', `${name}: no ${archive}`)
  await mkdir(runDir, { recursive: true, mode: modeOf('shared') })
  const draft = await mkdtemp(path.join(runDir, '.check-'))
  try {
    await extract({ file: archive, cwd: draft, strict: true, preserveOwner: false, filter: isConfig })
    const sound = await checkConfiguration(path.join(draft, CONFIG), tools)
    if (!sound.ok) return sound
  } catch (error) {
    return fail('orchestrator-failed', `${archive}: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  const unpacked = await unpackArchive(archive, directory)
  if (unpacked.ok) tools.run.log(`${configFile} is in place`)
  return unpacked
}

const isConfig = (entry: string): boolean => entry.replace(/^\.\//, '') === CONFIG

async function checkConfiguration(file: string, { program, run }: Tools): Promise<Result<void>> {
  const lines: string[] = []
  const checked = await runProgram({
    ...{ file: program, args: ['-c', '-f', file], timeoutMs: CHECK_MS, signal: run.signal },
    onLine: (line) => lines.push(line),
  })
  if (checked.ok) return done
  const said = lines.filter((line) => /ALERT/.test(line)).slice(0, 3)
  return fail('orchestrator-failed', [checked.failure.message, ...said].join('; '))
}

async function launch(site: HaproxySite, { program, run }: Tools, args: readonly string[]): Promise<Result<void>> {
  const pid = await spawnDaemon(site, program, ['-db', '-f', site.configFile, ...args])
  if (!pid.ok) return pid
  await writeFile(site.pidFile, `${pid.value}\n`, { mode: modeOf('mark') })
  run.log(`process ${pid.value} was started; waiting until it answers`)
  while (!run.signal.aborted) {
    const info = await ask({ endpoint: { path: site.socket }, commands: ['show info'], timeoutMs: SECOND })
    if (!(await isRunning(pid.value, site)))
      return fail('orchestrator-failed', `${site.name} ended soon after its start${await lastWords(site)}`)
    if (info.ok && new RegExp(`^Pid: ${pid.value}$`, 'm').test(info.value)) return done
    await sleep(CHECK_INTERVAL_MS, run.signal)
  }
  return fail('deadline-passed', `${site.name} (process ${pid.value}) does not answer yet${await lastWords(site)}`)
}

async function stopHaproxy(site: HaproxySite, { signal, log }: Run): Promise<Result<void>> {
  const stopped = await stopProcess(site, STOP_MS, signal)
  if (stopped.ok) log(stopTexts[stopped.value])
  return stopped.ok ? done : stopped
}

async function removeHaproxy(site: HaproxySite, run: Run): Promise<Result<void>> {
  const stopped = await stopHaproxy(site, run)
  if (!stopped.ok) return stopped
  for (const name of await readdir(site.directory).catch(() => [])) {
    if (name === 'run' || /^\.?init/.test(name))
      await rm(path.join(site.directory, name), { recursive: true, force: true })
  }
  await rmdir(site.directory).catch(() => undefined) // it stays when something is left in it
  return done
}

async function lastWords({ outputFile }: HaproxySite): Promise<string> {
  const text = await readFile(outputFile, 'utf8').catch(() => '')
  const alerts = text.split('\n').filter((line) => /ALERT/.test(line))
  return alerts.length === 0 ? '' : `: ${alerts.slice(-3).join('; ')}`
}

/** How it is run, as text for users. */
export async function describeHaproxy(site: HaproxySite): Promise<Result<string>> {
  const pid = await findProcess(site)
  const state = pid === undefined ? 'not running' : `running as process ${pid}`
  const made = (await exists(site.configFile)) ? site.configFile : 'none yet'
  return ok(`[${site.name}]\norchestrator = local\nstate = ${state}\nconfiguration = ${made}\n`)
}
