// Programs that specs start: whatever a story forgets, or a hook that passed its limit never gave back, ends with the run.
import type { ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()
let over = false

function endAll(): void {
  over = true
  for (const child of running) child.kill('SIGKILL')
}

process.on('exit', endAll)
// After the last suite of all: a program that is left would keep the run from ending. Benches have no hooks.
if (typeof after === 'function') after(endAll)

/** Nothing is to be begun any more. */
export const runIsOver = (): boolean => over

/** The program ends with the run at the latest. */
export function endWithRun(child: ChildProcess): void {
  running.add(child)
  child.once('exit', () => running.delete(child))
  if (over) child.kill('SIGKILL')
}
