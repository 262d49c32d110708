// Stops a child process (SIGSTOP) and returns when it has stopped: a thread that still runs would answer once more.
import type { ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A busy machine takes its time until every thread has run into the signal. */
const LIMIT_MS = 30_000
const STEP_MS = 1
const clock = new Int32Array(new SharedArrayBuffer(4))

export function pauseProcess(child: ChildProcess): void {
  child.kill('SIGSTOP')
  const until = performance.now() + LIMIT_MS
  while (!isStopped(child.pid ?? 0) && performance.now() < until) Atomics.wait(clock, 0, 0, STEP_MS)
}

/** Nothing of this process runs for so long: what comes after it is not late for other work that waits here. */
export const standStill = (ms: number): void => void Atomics.wait(clock, 0, 0, ms)

/** Every thread is stopped (state T of proc(5)), or there is none. A thread may end while the list is read. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`
  if (pid === 0 || !existsSync(tasks)) return true
  return readdirSync(tasks).every((task) => ['T', undefined].includes(stateOf(`${tasks}/${task}/stat`)))
}

function stateOf(file: string): string | undefined {
  try {
    const stat = readFileSync(file, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).charAt(0)
  } catch {
    return undefined
  }
}
