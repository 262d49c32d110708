// Starts a recovery in a process of its own: it reads logs and waits for tools, while the manager's threads probe.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { fail, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { plainEnvironment } from '../../connect/shell/program.js'
import { disclose } from '../stream/wire.js'
import type { RecoveryOrder, RecoveryReport } from './recovery.js'
import type { FromRecovery } from './recovery-worker.js'
import type { RestoreRun } from './replay.js'
import type { SearchAnswer, SearchOrder } from './search-logs.js'

/** Time to end the scratch server and to remove its files. */
const LEAVE_MS = 60 * SECOND

/** Settles when its process has ended. */
export const startRecovery = (order: RecoveryOrder, run: RestoreRun): Promise<Result<RecoveryReport>> =>
  startWork<RecoveryReport>(order, run)

/** The same for what is only read. */
export const startSearch = (order: SearchOrder, run: RestoreRun): Promise<Result<SearchAnswer>> =>
  startWork<SearchAnswer>(order, run)

function startWork<T>(order: RecoveryOrder | SearchOrder, { signal, log, progress }: RestoreRun): Promise<Result<T>> {
  if (signal.aborted) return Promise.resolve(fail('restore-failed', 'not started: it was ended before'))
  const child = fork(fileURLToPath(new URL('./recovery-worker.js', import.meta.url)), [], {
    env: { ...plainEnvironment(), TZ: 'UTC' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr?.on('data', (piece: Buffer) => {
    said = `${said}${piece.toString()}`.slice(-SECOND)
  })
  child.send(disclose(order) as object, () => undefined)
  return new Promise((resolve) => {
    let result: Result<T> | undefined
    let late: NodeJS.Timeout | undefined
    const stop = () => {
      child.kill('SIGTERM')
      late = setTimeout(() => child.kill('SIGKILL'), LEAVE_MS)
    }
    const overdue = setTimeout(stop, order.deadlineMs)
    signal.addEventListener('abort', stop, { once: true })
    child.on('message', (message: FromRecovery) => {
      if (message.type === 'line') log(message.line)
      else if (message.type === 'progress') progress(message.bytes)
      else result = message.result as Result<T>
    })
    child.on('error', () => undefined)
    child.once('close', (code, by) => {
      clearTimeout(overdue)
      clearTimeout(late)
      signal.removeEventListener('abort', stop)
      const reason = signal.aborted ? 'it was ended' : `its process ended (${by ?? `status ${code}`}): ${said.trim()}`
      resolve(result ?? fail('restore-failed', reason))
    })
  })
}
