// Runs operators' notification scripts in the background: a few at a time, bounded, never blocking other work.
import { SECOND, sleep, startTimer, type Timer } from '../base/time.js'
import { type ProgramRequest, runProgram } from '../connect/shell/program.js'

export interface ScriptQueueOptions {
  readonly log: (line: string) => void
  /** Scripts that run at once; 2 when absent. */
  readonly parallel?: number
  /** Scripts that wait; beyond that the newest are dropped, with a log line. 200 when absent. */
  readonly limit?: number
  /** Longest time of one script, milliseconds; 30,000 when absent. */
  readonly timeoutMs?: number
  /** What ends a script at its timeout; the machine's when absent. */
  readonly timer?: Timer
}

export interface ScriptCall {
  readonly script: string
  readonly args: readonly string[]
  /** What the script reads from its standard input; absent: nothing. */
  readonly input?: string
}

export interface ScriptQueue {
  /** Returns at once. An empty script is not called. */
  add(call: ScriptCall): void
  /** Accepts no further calls, waits at most `graceMs` for the running ones, then kills them. */
  close(graceMs?: number): Promise<void>
}

export function createScriptQueue(options: ScriptQueueOptions): ScriptQueue {
  const { log, parallel = 2, limit = 200, timeoutMs = 30 * SECOND, timer = startTimer } = options
  const waiting: ScriptCall[] = []
  const running = new Set<Promise<void>>()
  const ending = new AbortController()
  let closed = false
  let dropped = 0

  const run = async ({ script, args, input }: ScriptCall): Promise<void> => {
    const onLine = (line: string) => log(`${script}: ${line}`)
    const given = input === undefined ? {} : { input }
    const limits = { timeoutMs, graceMs: SECOND, timer, signal: ending.signal }
    const request: ProgramRequest = { file: script, args, ...given, ...limits, onLine }
    const ended = await runProgram(request)
    if (!ended.ok) log(`notification failed: ${ended.failure.message}`)
  }

  const next = () => {
    while (!closed && running.size < parallel) {
      const call = waiting.shift()
      if (!call) return
      const work: Promise<void> = run(call).finally(() => {
        running.delete(work)
        next()
      })
      running.add(work)
    }
  }

  return {
    add(call) {
      if (call.script === '' || closed) return
      if (waiting.length >= limit) {
        if (dropped++ % limit === 0) log(`too many notifications wait: ${dropped} were dropped, latest ${call.script}`)
        return
      }
      waiting.push(call)
      next()
    },
    async close(graceMs = SECOND) {
      closed = true
      waiting.length = 0
      const settled = new AbortController()
      const all = Promise.all(running).then(() => settled.abort())
      await Promise.race([all, sleep(graceMs, settled.signal)])
      ending.abort()
      await all
    },
  }
}
