// A cluster's side of whose server answers: asks the main thread about each that it has not seen before.
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { SECOND, sleep } from '../../../lib/base/time.js'
import type { Sighting } from '../../../lib/decide/watching/instances.js'
import { type InstanceMessage, instanceChannel } from '../../protocol/instances.js'

export interface Instances {
  /** Why the server that answers is to be left alone; undefined: it is the cluster's. Settles within two seconds. */
  judge(sighting: Omit<Sighting, 'cluster'>): Promise<string | undefined>
  /** Calls back with the address of a server that turned out to be another cluster's. */
  onRevoked(listener: (server: string) => void): void
  close(): void
}

/** Longest wait for the main thread. */
const ANSWER_MS = 2 * SECOND

export function openInstances({ name, directory }: { readonly name: string; readonly directory: string }): Instances {
  const channel = new BroadcastChannel(instanceChannel(path.dirname(path.resolve(directory))))
  const waiting = new Map<string, (refusal: string | undefined) => void>()
  let revoked: (server: string) => void = () => undefined
  channel.onmessage = (event: unknown) => {
    const { data } = event as { readonly data: InstanceMessage }
    if (data.type === 'judged') waiting.get(data.id)?.(data.refusal)
    if (data.type === 'revoked' && data.cluster === name) revoked(data.server)
  }
  ;(channel as { unref?: () => void }).unref?.()
  return {
    judge: async (sighting) => {
      const id = randomUUID()
      const over = new AbortController()
      const answer = new Promise<string | undefined>((resolve) => waiting.set(id, resolve))
      channel.postMessage({ type: 'sighted', id, sighting: { ...sighting, cluster: name } } satisfies InstanceMessage)
      const late = sleep(ANSWER_MS, over.signal).then(() => 'the manager has not said yet whose server it is')
      const refusal = await Promise.race([answer, late])
      over.abort()
      waiting.delete(id)
      return refusal
    },
    onRevoked: (listener) => {
      revoked = listener
    },
    close: () => channel.close(),
  }
}
