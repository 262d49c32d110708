// The processes of local servers: started apart from the manager, found again by their own command line.
import { spawn } from 'node:child_process'
import { open, readdir, readFile } from 'node:fs/promises'
import { fail, ok, type Result } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import type { Site } from './site.js'

/**
 * The pid of the server's process, undefined when it does not run. The pid file is only believed when that process was
 * started on this server's configuration; without it (a start in progress, a lost file) all processes are looked at.
 */
export async function findProcess(site: Site): Promise<number | undefined> {
  const written = Number((await readFile(site.pidFile, 'utf8').catch(() => '')).trim())
  if (Number.isInteger(written) && written > 1 && (await isServer(written, site))) return written
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  for (const pid of pids) if (await isServer(pid, site)) return pid
  return undefined
}

/** A dead process that nobody reaped yet has no command line, so it does not count. */
export async function isServer(pid: number, { configFile }: Site): Promise<boolean> {
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
  return words.includes(`--defaults-file=${configFile}`) && words.some((word) => /(^|\/)(mariadbd|mysqld)$/.test(word))
}

/** Starts the server in a session of its own: it outlives the manager. Its output goes to a file. Answers the pid. */
export async function spawnServer(site: Site, program: string, args: readonly string[]): Promise<Result<number>> {
  const output = await open(site.outputFile, 'w', 0o640)
  try {
    const child = spawn(program, [`--defaults-file=${site.configFile}`, ...args], {
      ...{ detached: true, cwd: site.dataDir, stdio: ['ignore', output.fd, output.fd] },
      env: { PATH: process.env.PATH ?? '', HOME: site.directory, LANG: 'C.UTF-8' },
    })
    child.unref()
    if (child.pid !== undefined) return ok(child.pid)
    const reason = await new Promise<string>((resolve) => child.once('error', ({ message }) => resolve(message)))
    return fail('orchestrator-failed', `${site.name}: ${program} cannot be started: ${reason}`)
  } finally {
    await output.close()
  }
}

/** How a stop went. */
export type Stopped = 'was-not-running' | 'cleanly' | 'killed'

/** SIGTERM, then SIGKILL after `graceMs`; each only to a process that still is this server. */
export async function stopProcess(site: Site, graceMs: number, signal: AbortSignal): Promise<Result<Stopped>> {
  const pid = await findProcess(site)
  if (pid === undefined) return ok('was-not-running')
  sendSignal(pid, 'SIGTERM')
  if (await gone(pid, { site, withinMs: graceMs, signal })) return ok('cleanly')
  if (signal.aborted) return fail('deadline-passed', `${site.name} was told to stop and has not stopped yet`)
  sendSignal(pid, 'SIGKILL')
  if (await gone(pid, { site, withinMs: KILL_MS, signal })) return ok('killed')
  return fail('orchestrator-failed', `${site.name}: process ${pid} does not end, not even by SIGKILL`)
}

const KILL_MS = 10_000
const LOOK_MS = 10

interface Waiting {
  readonly site: Site
  readonly withinMs: number
  readonly signal: AbortSignal
}

async function gone(pid: number, { site, withinMs, signal }: Waiting): Promise<boolean> {
  const until = performance.now() + withinMs
  while (await isServer(pid, site)) {
    if (signal.aborted || performance.now() > until) return false
    await sleep(LOOK_MS, signal)
  }
  return true
}

function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended in between: that is what was asked for. Without permission the wait that follows says so.
  }
}
