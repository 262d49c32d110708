// A cluster's side of the question whether the user that asked for work still may have its next step.
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import type { Asker } from '../../../lib/access/index.js'
import { SECOND } from '../../../lib/base/time.js'
import { type PermitMessage, permitChannel } from '../../protocol/permits.js'

/** `unanswered`: the step does not begin, and nothing is ended; it is asked again. */
export type Permit =
  | { readonly type: 'granted' }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'unanswered' }

export interface Permits {
  /** Settles within its deadline. Work without an asker (of a schedule, of the manager, of older files) is granted. */
  ask(asker: Asker | undefined): Promise<Permit>
  close(): void
}

/** The main thread answers within a millisecond unless it is busy or ends. */
const ANSWER_MS = 2 * SECOND

/** Asked of the main thread, over a channel that is opened with the first question. `directory`: the cluster's own. */
export function openPermits(
  { name, directory }: { readonly name: string; readonly directory: string },
  answerMs = ANSWER_MS,
): Permits {
  const open = new Map<string, (permit: Permit) => void>()
  let channel: BroadcastChannel | undefined
  let isClosed = false
  const opened = (): BroadcastChannel => {
    if (channel) return channel
    channel = new BroadcastChannel(permitChannel(path.dirname(path.resolve(directory))))
    channel.onmessage = (event: unknown) => {
      const { data } = event as { readonly data: PermitMessage }
      if (data.type !== 'answered') return
      open.get(data.id)?.(data.refusal === undefined ? { type: 'granted' } : { type: 'refused', reason: data.refusal })
    }
    ;(channel as { unref?: () => void }).unref?.()
    return channel
  }
  return {
    ask: (asker) => {
      if (!asker) return Promise.resolve({ type: 'granted' })
      if (isClosed) return Promise.resolve({ type: 'unanswered' })
      return new Promise((resolve) => {
        const id = `${name}/${randomUUID()}`
        const settle = (permit: Permit) => {
          clearTimeout(timer)
          open.delete(id)
          resolve(permit)
        }
        const timer = setTimeout(() => settle({ type: 'unanswered' }), answerMs)
        open.set(id, settle)
        opened().postMessage({ type: 'asked', id, cluster: name, asker } satisfies PermitMessage)
      })
    },
    close: () => {
      isClosed = true
      for (const settle of [...open.values()]) settle({ type: 'unanswered' })
      channel?.close()
    },
  }
}
