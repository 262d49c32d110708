// Runs files many times beside busy processes: how often each failed, how long it took at most, and each failure once.
import { spawn } from 'node:child_process'
import type { Run } from './process.js'
import { renderStress } from './render-stress.js'
import { secondsText } from './seconds-text.js'
import type { Task } from './tasks.js'

interface Stress {
  readonly run: (task: Task) => Promise<Run>
  readonly times: number
  /** Processes that keep a processor busy meanwhile. */
  readonly noise: number
}

/** Runs one file after the other, `times` rounds; prints as it goes; true when nothing failed. */
export async function stress(tasks: readonly Task[], { run, times, noise }: Stress): Promise<boolean> {
  const busy = Array.from({ length: noise }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  const stop = () => {
    for (const each of busy) each.kill('SIGKILL')
  }
  process.once('exit', stop)
  const runs: Run[] = []
  for (let round = 1; round <= times; round += 1)
    for (const task of tasks) {
      const done = await run(task)
      runs.push(done)
      const word = done.report.failed > 0 ? 'failed' : 'passed'
      process.stdout.write(`[${round}/${times}] ${task.name}: ${word} (${secondsText(done.tookMs)})\n`)
    }
  stop()
  process.stdout.write(`\n${renderStress(tasks, runs)}\n`)
  return runs.every(({ report }) => report.failed === 0)
}
