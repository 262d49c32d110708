// The demo's manager: a child process, remembered by its pid so that a later run can end what a killed one left behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { open, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../lib/base/files/modes.js'
import { packageRoot } from '../../lib/base/package-root.js'
import { SECOND, sleep } from '../../lib/base/time.js'
import { configurationFile } from './configuration.js'

/** Its own end takes less than 5 s. */
const END_MS = 6 * SECOND

const pidFile = (directory: string): string => path.join(directory, 'manager.pid')

/** Starts the daemon with the demo's configuration; it writes to `logFile`. */
export async function startManager({
  directory,
  logFile,
}: {
  directory: string
  logFile: string
}): Promise<ChildProcess> {
  const log = await open(logFile, 'a', modeOf('log'))
  const programs = `${path.dirname(process.execPath)}:${process.env.PATH}`
  const child = spawn(path.join(packageRoot, 'bin/manager'), ['--config', configurationFile(directory)], {
    stdio: ['ignore', log.fd, log.fd],
    env: { ...process.env, PATH: programs },
  })
  await log.close()
  await writeFile(pidFile(directory), `${child.pid}\n`, { mode: modeOf('mark') })
  return child
}

/** Ends the daemon of an earlier run, if it still runs. */
export async function endManager(directory: string): Promise<void> {
  const pid = Number(await readFile(pidFile(directory), 'utf8').catch(() => ''))
  const ours = async (): Promise<boolean> => {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return words.includes(configurationFile(directory))
  }
  if (!pid || !(await ours())) return
  process.kill(pid, 'SIGTERM')
  const until = performance.now() + END_MS
  while (performance.now() < until && (await ours())) await sleep(50)
  if (await ours()) process.kill(pid, 'SIGKILL')
  await rm(pidFile(directory), { force: true })
}
