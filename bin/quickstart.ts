// The demo: three real databases on this machine, the manager on top, and what to try with it.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { createSession, type Session } from '../http/client/session.js'
import { packageRoot } from '../lib/base/package-root.js'
import { SECOND, sleep } from '../lib/base/time.js'
import type { FailoverVerdict } from '../lib/model/verdict.js'
import { configurationFile, type Demo, newPassword, readDemo, writeDemo } from './demo/configuration.js'
import { endManager, startManager } from './demo/daemon.js'
import { type DemoDatabases, startDatabases, stopDemo } from './demo/databases.js'
import { choosePorts, usualPorts } from './demo/ports.js'

const directory = path.join(packageRoot, 'data')
const logFile = path.join(directory, 'manager.log')
const PATIENCE_MS = 60 * SECOND

if (process.argv.includes('--clean')) await clean()
else await start()

async function start(): Promise<void> {
  const began = performance.now()
  const known = await readDemo(directory)
  if (known) await endLeftovers()
  const ports = await choosePorts(known?.ports ?? usualPorts, (name, from, to) =>
    say(`Port ${from} (${name}) is in use; ${to} is taken in its place.`),
  )
  const demo: Demo = {
    directory,
    ports,
    password: known?.password ?? newPassword(),
    databasePassword: known?.databasePassword ?? newPassword(),
  }
  await writeDemo(demo)
  say(known ? 'Starting the databases of the last run' : 'Making three databases')
  const databases = await startDatabases(configurationFile(directory))
  if (!databases.ok) return stopWith(databases.failure.message)

  const manager = await startManager({ directory, logFile })
  endOnSignals(manager, databases.value)
  const session = createSession(
    { host: '127.0.0.1', port: ports.api, insecure: false },
    { user: 'admin', password: async () => demo.password },
  )
  const problem = await protect(session, manager)
  if (problem !== undefined) {
    await end(manager, databases.value)
    return stopWith(problem)
  }
  print(demo, databases.value, (performance.now() - began) / SECOND)
}

/** Waits until the cluster would survive the death of its primary; forms it on the first run. */
async function protect(session: Session, manager: ChildProcess): Promise<string | undefined> {
  const deadline = performance.now() + PATIENCE_MS
  let asked = false
  let last = 'the manager does not answer'
  while (performance.now() < deadline) {
    if (manager.exitCode !== null) return `the manager ended with status ${manager.exitCode}; see ${logFile}`
    const reply = await session.call('GET', '/api/clusters/demo/failover/explain')
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
      const formed = await session.call('POST', '/api/clusters/demo/actions/replication/bootstrap/master-slave')
      asked = formed.ok && formed.value.status === 200
      if (formed.ok && !asked) last = `forming the cluster: ${formed.value.body.trim()}`
    }
    await sleep(100)
  }
  return `${last} (after ${PATIENCE_MS / SECOND} s); see ${logFile}`
}

function endOnSignals(manager: ChildProcess, databases: DemoDatabases): void {
  let ending = false
  const stop = () => {
    if (ending) return
    ending = true
    say('\nStopping')
    void end(manager, databases).then(() => process.exit(0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  manager.once('exit', (code) => {
    if (ending) return
    say(`The manager ended with status ${code}; see ${logFile}`)
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

function print({ ports, password }: Demo, { servers }: DemoDatabases, seconds: number): void {
  const [primary] = servers
  say(`
The cluster "demo" is protected (${seconds.toFixed(1)} s).

  API        https://127.0.0.1:${ports.api}/          log in as admin, password ${password}
  Documents  http://127.0.0.1:${ports.http}/api-docs
  Metrics    http://127.0.0.1:${ports.http}/api/prometheus
  Databases  ${servers.map(({ port }) => `127.0.0.1:${port}`).join('  ')}
  Log        ${logFile}

Try in another terminal:

  export MANAGER_PORT=${ports.api} MANAGER_PASSWORD=${password}
  bin/manager-cli topology                 # who is the primary, who follows
  bin/manager-cli switchover               # hand the primary role over
  pkill -9 -f 'mariadbd.*_${primary?.port}' ; bin/manager-cli events    # kill a database and watch

Ctrl-C stops everything; bin/quickstart --clean removes it.`)
}

/** What an earlier run that was killed has left running. */
async function endLeftovers(): Promise<void> {
  await endManager(directory)
  await stopDemo(configurationFile(directory))
}

async function clean(): Promise<void> {
  if (!existsSync(configurationFile(directory))) return say('There is no demo to remove.')
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
