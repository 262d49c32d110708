// Where tests keep their files: in memory when there is a /dev/shm. Everything is removed when the process ends; what a
// killed run left behind (files and servers) is removed by the next one.
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const prefix = 'manager-test-'

/** The fastest writable place of this machine. */
export const fastDirectory: string = writable('/dev/shm') ? '/dev/shm' : tmpdir()

let own: string | undefined

/** This process's directory; made at the first call. */
export function testDirectory(): string {
  if (own !== undefined) return own
  removeLeftovers()
  own = mkdtempSync(path.join(fastDirectory, `${prefix}${process.pid}-`))
  return own
}

/** A new, empty directory below this process's. */
export function newDirectory(name: string): string {
  return mkdtempSync(path.join(testDirectory(), `${name}-`))
}

process.on('exit', () => {
  if (own !== undefined) rmSync(own, { recursive: true, force: true })
})

/** Files and servers of test processes that no longer exist. */
function removeLeftovers(): void {
  for (const name of readdirSync(fastDirectory)) {
    const owner = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1] ?? 0)
    if (owner === 0 || alive(owner)) continue
    const directory = path.join(fastDirectory, name)
    for (const pid of processesIn(directory)) tryTo(() => process.kill(pid, 'SIGKILL'))
    tryTo(() => rmSync(directory, { recursive: true, force: true }))
  }
}

/** Servers whose working directory is below `directory`. */
const processesIn = (directory: string): number[] =>
  (tryTo(() => readdirSync('/proc')) ?? [])
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => tryTo(() => readlinkSync(`/proc/${pid}/cwd`))?.startsWith(directory))
    .map(Number)

function alive(pid: number): boolean {
  return tryTo(() => readFileSync(`/proc/${pid}/stat`)) !== undefined
}

function writable(directory: string): boolean {
  return tryTo(() => accessSync(directory, constants.W_OK) ?? true) ?? false
}

/** What the action answers, or undefined when it throws. */
function tryTo<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
