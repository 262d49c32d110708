// Starts a transfer: a process of its own, so that no byte of a backup passes a thread that probes servers.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { done, fail, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { keepLast, readLines } from '../../connect/shell/lines.js'
import { plainEnvironment } from '../../connect/shell/program.js'
import type { Transfer, TransferHooks, TransferReport, TransferSpec } from './kit/spec.js'
import { disclose, type FromMover, type ToMover } from './wire.js'

/** What a process has left to end on request, milliseconds. */
const STOP_MS = 10 * SECOND
/** Authorities that Node.js trusts beside its own: object storage may need them. */
const trusted = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const

export function startTransfer(spec: TransferSpec, hooks: TransferHooks): Transfer {
  const { signal } = hooks
  if (signal.aborted)
    return { ...idle, done: Promise.resolve(fail('transfer-failed', 'not started: it was ended before')) }
  const child = fork(fileURLToPath(new URL('./mover.js', import.meta.url)), [], {
    detached: true, // leads the process group that its programs join
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
    env: environment(),
  })
  const tell = (message: ToMover) => {
    if (child.connected) child.send(message, () => undefined)
  }
  tell({ type: 'start', spec: disclose(spec) })
  return {
    done: untilEnded(child, tell, { spec, hooks }),
    limit: (bytesPerSecond) => tell({ type: 'limit', ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }) }),
    pid: child.pid,
  }
}

const idle = { limit: () => done, pid: undefined }

function environment(): Record<string, string> {
  const named = trusted.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...plainEnvironment(), ...Object.fromEntries(named) }
}

interface Order {
  readonly spec: TransferSpec
  readonly hooks: TransferHooks
}

function untilEnded(
  child: ChildProcess,
  tell: (message: ToMover) => void,
  { spec, hooks }: Order,
): Promise<Result<TransferReport>> {
  const lastLines: string[] = []
  if (child.stderr) readLines(child.stderr, (line) => keepLast(lastLines, line, 5))
  return new Promise((resolve) => {
    let result: Result<TransferReport> | undefined
    const timers: NodeJS.Timeout[] = []
    const stop = () => {
      tell({ type: 'stop' })
      timers.push(setTimeout(() => killGroup(child), STOP_MS))
    }
    const settle = (reason: string) => {
      for (const timer of timers) clearTimeout(timer)
      hooks.signal.removeEventListener('abort', stop)
      killGroup(child) // what it left, were it killed itself
      resolve(result ?? fail('transfer-failed', [`the process of the transfer ${reason}`, ...lastLines].join(': ')))
    }
    hooks.signal.addEventListener('abort', stop, { once: true })
    // It has a deadline of its own; this one is for a process that hangs.
    timers.push(setTimeout(() => killGroup(child), spec.deadlineMs + STOP_MS))
    child.on('message', (message: FromMover) => {
      if (message.type === 'ended') result = message.result
      else deliver(message, hooks)
    })
    child.once('error', (error) => settle(`could not be started: ${error.message}`))
    child.once('exit', (code, by) => {
      const finish = () => settle(by ? `was ended by ${by}` : `ended with status ${code}`)
      if (child.connected)
        child.once('disconnect', finish) // what it sent last is read first
      else finish()
    })
  })
}

function deliver(message: Exclude<FromMover, { type: 'ended' }>, hooks: TransferHooks): void {
  switch (message.type) {
    case 'progress':
      hooks.progress?.(message.progress)
      return
    case 'line':
      hooks.line?.(message.program, message.line)
      return
    case 'listening':
      hooks.listening?.({ port: message.port })
      return
    case 'accepted':
      hooks.accepted?.({ address: message.address })
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // nothing of it runs
  }
}
