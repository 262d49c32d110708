// The typed control channel between the main thread and a host thread: comlink, with a deadline on every call.
// comlink alone never settles a call whose thread has ended, so no call leaves this file without both bounds.
import type { MessagePort } from 'node:worker_threads'
import { expose, type Remote, transfer, wrap } from 'comlink'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { describeFault } from './fault.js'
import type { HostControl } from './wire.js'

export interface Control {
  /** Fails with `deadline-passed` after `deadlineMs`, with `actor-gone` when the thread ends, `internal` when it throws. */
  call<T>(deadlineMs: number, order: (host: Remote<HostControl>) => Promise<T>): Promise<Result<T>>
  /** The thread has ended: settles every call, at once. */
  end(): void
}

/** The main thread's side. */
export function openControl(port: MessagePort): Control {
  const host = wrap<HostControl>(port)
  const open = new Set<(result: Result<never>) => void>()
  let ended = false

  return {
    call: (deadlineMs, order) =>
      new Promise((resolve) => {
        const settle = (result: Result<never> | Parameters<typeof resolve>[0]) => {
          clearTimeout(timer)
          open.delete(settle)
          resolve(result)
        }
        const timer = setTimeout(() => settle(fail('deadline-passed', `no answer in ${deadlineMs} ms`)), deadlineMs)
        if (ended) return settle(gone())
        open.add(settle)
        // async: postMessage throws at once when an argument is not plain data
        const sent = (async () => order(host))()
        sent.then(
          (value) => settle(ok(value)),
          (error) => settle(fail('internal', describeFault(error).reason)),
        )
      }),
    end: () => {
      ended = true
      for (const settle of open) settle(gone())
      port.close()
    },
  }
}

/** The host thread's side. */
export const answerControl = (port: MessagePort, host: HostControl): void => expose(host, port)

/** A reply whose buffers are transferred. */
export const transferable = (value: object, buffers: ArrayBuffer[]): object => transfer(value, buffers)

const gone = (): Result<never> => fail('actor-gone', 'the host thread has ended')
