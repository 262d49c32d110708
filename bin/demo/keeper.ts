// The quickstart that keeps the demo running: one at a time, known by its pid.
import { readFile, readlink, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../lib/base/files/modes.js'
import { packageRoot } from '../../lib/base/package-root.js'
import { SECOND, sleep } from '../../lib/base/time.js'

/** It ends the manager and three databases. */
const END_MS = 20 * SECOND

const pidFile = (directory: string): string => path.join(directory, 'quickstart.pid')

/** The pid of another quickstart that keeps this demo running; undefined when there is none. */
export async function findKeeper(directory: string): Promise<number | undefined> {
  const pid = Number(await readFile(pidFile(directory), 'utf8').catch(() => ''))
  return pid && pid !== process.pid && (await keeps(pid)) ? pid : undefined
}

/** From now on this process keeps it. */
export const becomeKeeper = (directory: string): Promise<void> =>
  writeFile(pidFile(directory), `${process.pid}\n`, { mode: modeOf('mark') })

/** As Ctrl-C in its terminal would; resolves when it is gone. */
export async function endKeeper(directory: string): Promise<void> {
  const pid = await findKeeper(directory)
  if (pid === undefined) return
  process.kill(pid, 'SIGINT')
  const until = performance.now() + END_MS
  while (performance.now() < until && (await keeps(pid))) await sleep(50)
  await rm(pidFile(directory), { force: true })
}

/** A quickstart of this directory, and not a process that has got its number since. */
async function keeps(pid: number): Promise<boolean> {
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '')
  return words.includes('quickstart') && path.resolve(directory) === path.resolve(packageRoot)
}
