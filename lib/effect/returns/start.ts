// Starts the process that moves the bytes of a return, so that the threads that probe never do; it ends with its parent.
import { fork } from 'node:child_process'
import { builtPath } from '../../base/package-root.js'
import { fail, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { FromWorker, Reports, ReturnAnswer, ReturnWork } from './kit/work.js'

/** After being asked to end it gets so long to end its programs. */
const GRACE_MS = 5 * SECOND

/** Resolves when the work has ended, or its process has. Never throws. */
export function startReturnWork(work: ReturnWork, { signal, log, progress }: Reports): Promise<Result<ReturnAnswer>> {
  return new Promise((resolve) => {
    const child = fork(builtPath('bundle', 'refill.js'), [], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    })
    let ended: Result<ReturnAnswer> | undefined
    let words = ''
    child.stderr?.on('data', (bytes: Buffer) => {
      words = `${words}${bytes}`.slice(-2_000)
    })
    const hasExited = () => child.exitCode !== null || child.signalCode !== null
    const end = () => {
      // Its last messages are still read.
      if (hasExited()) return
      if (child.connected) child.disconnect()
      setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref()
    }
    signal.addEventListener('abort', end, { once: true })
    child.on('message', (message: FromWorker) => {
      if (message.type === 'log') log(message.line)
      if (message.type === 'progress') progress(message)
      if (message.type === 'ended') ended = message.result
    })
    const settle = (why: string) => {
      signal.removeEventListener('abort', end)
      const cut = signal.aborted ? fail('deadline-passed', 'it was ended before it was complete') : undefined
      const last = words.trim().split('\n').at(-1) ?? ''
      resolve(ended ?? cut ?? fail('step-failed', `the process ended early (${why})${last === '' ? '' : `: ${last}`}`))
    }
    child.once('error', ({ message }) => settle(message))
    child.once('close', (code, by) => settle(by ?? `status ${code}`))
    // A child that this side disconnected never closes for Node; no message of it can follow either.
    child.once('exit', (code, by) => {
      if (!child.connected && signal.aborted) settle(by ?? `status ${code}`)
    })
    child.send(work)
    if (signal.aborted) end()
  })
}
