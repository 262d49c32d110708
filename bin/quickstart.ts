// The demo: three real databases on this machine, the manager on top, and what to try with it.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { addressed } from '../http/client/api/address.js'
import { createSession, type Session } from '../http/client/session.js'
import { packageRoot } from '../lib/base/package-root.js'
import { SECOND, sleep } from '../lib/base/time.js'
import type { FailoverVerdict } from '../lib/model/verdict.js'
import {
  configurationFile,
  type Demo,
  newPassword,
  readDemo,
  workingDirectory,
  writeDemo,
} from './demo/configuration.js'
import { endManager, startManager } from './demo/daemon.js'
import { type DemoDatabases, startDatabases, stopDemo } from './demo/databases.js'
import { becomeKeeper, endKeeper, findKeeper } from './demo/keeper.js'
import { killPrimary } from './demo/kill-primary.js'
import { choosePorts, usualPorts } from './demo/ports.js'

const PATIENCE_MS = 120 * SECOND

const usage = `Usage: bin/quickstart                  create or restart a demo: three databases and the manager on them
       bin/quickstart --kill-primary   kill the demo's primary and print what the manager does
       bin/quickstart --clean          remove the demo with its data

--directory DIR keeps it there instead of in data, so that there may be several.`

const usualDirectory = path.join(packageRoot, 'data')
const { words, directory } = readWords(process.argv.slice(2))
const logFile = path.join(directory, 'manager.log')
/** How this program is called for this demo. */
const self = directory === usualDirectory ? 'bin/quickstart' : `bin/quickstart --directory ${directory}`

const cluster = 'demo'
const explain = addressed('GET /api/clusters/:cluster/failover/explain', { params: { cluster } })
const form = addressed('POST /api/clusters/:cluster/actions/replication/bootstrap/:topology', {
  params: { cluster, topology: 'master-slave' },
})

// Everything at the top of this file exists before this: it begins here.
const [wanted, ...further] = words
if (wanted === undefined) await start()
else if (wanted === '--clean' && further.length === 0) await clean()
else if (wanted === '--kill-primary' && further.length === 0) await kill()
else {
  say(usage)
  process.exitCode = wanted === '--help' || wanted === '-h' ? 0 : 2
}

function readWords(given: readonly string[]): { readonly words: readonly string[]; readonly directory: string } {
  const at = given.indexOf('--directory')
  const named = at < 0 ? undefined : given[at + 1]
  if (named === undefined) return { words: given, directory: usualDirectory }
  return { words: given.toSpliced(at, 2), directory: path.resolve(named) }
}

async function start(): Promise<void> {
  const began = performance.now()
  const known = await readDemo(directory)
  const keeper = await findKeeper(directory)
  if (known && keeper !== undefined) return stopWith(alreadyRunning({ demo: known, link: await linkOf(known) }, keeper))
  if (known) await endLeftovers()
  const ports = await choosePorts({
    wanted: known?.ports ?? usualPorts,
    withData: known !== undefined,
    onTaken: (name, from, to) => say(`Port ${from} (${name}) is in use; ${to} is taken in its place.`),
  })
  if (!ports.ok) return stopWith(ports.failure.message)
  const demo: Demo = {
    directory,
    ports: ports.value,
    password: known?.password ?? newPassword(),
    databasePassword: known?.databasePassword ?? newPassword(),
  }
  await writeDemo(demo)
  await becomeKeeper(directory)
  const interrupted = hearSignals()
  say(known ? 'Starting the databases of the last run' : 'Creating three databases')
  const databases = await startDatabases(configurationFile(directory), interrupted)
  if (interrupted.aborted && databases.ok) await databases.value.stop()
  if (interrupted.aborted) process.exit()
  if (!databases.ok) return stopWith(databases.failure.message)

  const manager = await startManager({ directory, logFile })
  endWith(manager, { databases: databases.value, interrupted })
  const problem = await protect(sessionOf(demo), { manager, interrupted })
  if (interrupted.aborted) return
  if (problem !== undefined) {
    await end(manager, databases.value)
    return stopWith(problem)
  }
  const link = await linkOf(demo)
  if (interrupted.aborted) return
  print({ demo, link }, databases.value, (performance.now() - began) / SECOND)
}

/** Ctrl-C and its like, from the first database on: what was started is ended. */
function hearSignals(): AbortSignal {
  const interruption = new AbortController()
  const stop = () => {
    if (!interruption.signal.aborted) say('\nStopping')
    interruption.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return interruption.signal
}

interface Running {
  readonly manager: ChildProcess
  readonly interrupted: AbortSignal
}

/** Waits until the cluster would survive the death of its primary; forms it on the first run. */
async function protect(session: Session, { manager, interrupted }: Running): Promise<string | undefined> {
  const deadline = performance.now() + PATIENCE_MS
  let asked = false
  let last = 'the manager does not answer'
  while (performance.now() < deadline && !interrupted.aborted) {
    if (manager.signalCode !== null) return `the manager was ended by ${manager.signalCode}; see ${logFile}`
    if (manager.exitCode !== null) return `the manager ended with status ${manager.exitCode}; see ${logFile}`
    const reply = await session.call(...explain)
    const verdict =
      reply.ok && reply.value.status === 200 ? (JSON.parse(reply.value.body) as FailoverVerdict) : undefined
    if (
      verdict?.primary !== undefined &&
      verdict.candidate !== undefined &&
      verdict.ranking.filter(({ eligible }) => eligible).length >= 2
    )
      return undefined
    if (verdict)
      last = `the cluster is not protected yet: ${verdict.rows
        .filter(({ state }) => state === 'closed')
        .map(({ rule }) => rule)
        .join(', ')}`
    if (verdict && verdict.primary === undefined && !asked) {
      const formed = await session.call(...form)
      asked = formed.ok && formed.value.status === 200
      if (formed.ok && !asked) last = `forming the cluster: ${formed.value.body.trim()}`
    }
    await sleep(100)
  }
  return `${last} (after ${PATIENCE_MS / SECOND} s); see ${logFile}`
}

/** The manager and the databases end together, in whichever order. */
function endWith(
  manager: ChildProcess,
  { databases, interrupted }: { readonly databases: DemoDatabases; readonly interrupted: AbortSignal },
): void {
  let ending = false
  const stop = () => {
    if (ending) return
    ending = true
    void end(manager, databases).then(() => process.exit())
  }
  if (interrupted.aborted) stop()
  interrupted.addEventListener('abort', stop)
  manager.once('exit', (code, signal) => {
    if (ending || interrupted.aborted) return
    say(`The manager ${signal === null ? `ended with status ${code}` : `was ended by ${signal}`}; see ${logFile}`)
    process.exitCode = 1
    stop()
  })
}

async function end(manager: ChildProcess, databases: DemoDatabases): Promise<void> {
  if (manager.exitCode === null) {
    manager.kill('SIGTERM')
    await Promise.race([once(manager, 'exit'), sleep(6 * SECOND)])
    manager.kill('SIGKILL')
  }
  await databases.stop()
}

/** The dashboard on the plain listener of this machine, where no certificate has to be believed; it opens logged in, once. */
async function linkOf(demo: Demo): Promise<string> {
  const page = `http://127.0.0.1:${demo.ports.http}`
  const made = await sessionOf(demo).call(...addressed('POST /api/session/codes'))
  if (!made.ok || made.value.status !== 200) return `${page}/`
  return page + (JSON.parse(made.value.body) as { readonly path: string }).path
}

interface Shown {
  readonly demo: Demo
  readonly link: string
}

function alreadyRunning({ demo: { ports, password }, link }: Shown, keeper: number): string {
  return `The demo runs already (process ${keeper}):

  Dashboard  ${link}
  API        https://127.0.0.1:${ports.api}/          log in as admin, password ${password}

Ctrl-C in its terminal ends it; ${self} --clean ends and removes it.`
}

function print({ demo: { ports, password }, link }: Shown, { servers }: DemoDatabases, seconds: number): void {
  say(`
The cluster "demo" is protected (${seconds.toFixed(1)} s).

  Dashboard  ${link}
             (opens logged in, once, within ten minutes; ${self} in another terminal prints another link)
  API        https://127.0.0.1:${ports.api}/          log in as admin, password ${password}
             (its certificate was made at start, so a browser asks whether you trust it)
  Documents  http://127.0.0.1:${ports.http}/api-docs
  Metrics    http://127.0.0.1:${ports.http}/api/prometheus
  Databases  ${servers.map(({ port }) => `127.0.0.1:${port}`).join('  ')}
  Log        ${logFile}

Try in another terminal:

  export MANAGER_PORT=${ports.api} MANAGER_PASSWORD=${password}
  bin/manager-cli topology          # who is the primary, who follows
  bin/manager-cli switchover        # hand the primary role over
  ${self} --kill-primary     # kill the primary, and watch another one take over

Ctrl-C stops everything; ${self} --clean removes it.`)
}

async function kill(): Promise<void> {
  const demo = await readDemo(directory)
  if (!demo) return stopWith(`There is no demo; ${self} creates one.`)
  const session = sessionOf(demo)
  const killed = await killPrimary({ session, workingDir: workingDirectory(directory), say })
  if (!killed.ok) return stopWith(killed.failure.message)
  say(`
The old primary stays down until it is started; the manager then makes it a replica:

  export MANAGER_PORT=${demo.ports.api} MANAGER_PASSWORD=${demo.password}
  bin/manager-cli api --method POST --url /api/clusters/demo/servers/${killed.value}/actions/start
  bin/manager-cli topology`)
  process.exit()
}

function sessionOf({ ports, password }: Demo): Session {
  const endpoint = { host: '127.0.0.1', port: ports.api, insecure: false }
  return createSession(endpoint, { user: 'admin', password: async () => password })
}

/** What an earlier run that was killed has left running. */
async function endLeftovers(): Promise<void> {
  await endManager(directory)
  await stopDemo(configurationFile(directory))
}

async function clean(): Promise<void> {
  if (!existsSync(configurationFile(directory))) return say('There is no demo to remove.')
  await endKeeper(directory)
  await endLeftovers()
  await rm(directory, { recursive: true, force: true })
  say('The demo is removed.')
}

function stopWith(problem: string): void {
  say(problem)
  process.exitCode = 1
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
