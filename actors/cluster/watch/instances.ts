// A cluster's side of whose server answers: asks the main thread about each that it has not seen before.
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { BroadcastChannel } from 'node:worker_threads'
import { SECOND, sleep } from '../../../lib/base/time.js'
import type { Sighting } from '../../../lib/decide/watching/instances.js'
import { hasSameNames } from '../../../lib/model/server/instance.js'
import { type InstanceMessage, instanceChannel, type ShownServer } from '../../protocol/instances.js'

export interface Instances {
  /** Why the server that answers is to be left alone; undefined: it is the cluster's. Settles within two seconds. */
  judge(sighting: Omit<Sighting, 'cluster'>): Promise<string | undefined>
  /** What the manager asks of the cluster. */
  serve(cluster: InstanceHost): void
  close(): void
}

export interface InstanceHost {
  /** The servers as they were last seen. */
  shown(): readonly Omit<ShownServer, 'cluster'>[]
  /** The server turned out to be another cluster's, which has had it for longer. */
  revoked(server: string): void
}

/** Longest wait for the main thread. */
const ANSWER_MS = 2 * SECOND

/** By the name of its channel: all clusters of a thread share one, since each message goes to every channel of that name. */
const lines = new Map<string, Line>()

export function openInstances({ name, directory }: { readonly name: string; readonly directory: string }): Instances {
  const channel = instanceChannel(path.dirname(path.resolve(directory)))
  const line = lines.get(channel) ?? new Line(channel)
  lines.set(channel, line)
  let host: InstanceHost = { shown: () => [], revoked: () => undefined }
  line.join(name, host)
  return {
    judge: (sighting) => line.judge({ ...sighting, cluster: name }),
    serve: (cluster) => {
      host = cluster
      line.join(name, host)
    },
    close: () => {
      if (line.leave(name, host)) lines.delete(channel)
    },
  }
}

class Line {
  readonly #channel: BroadcastChannel
  readonly #clusters = new Map<string, InstanceHost>()
  readonly #waiting = new Map<string, (refusal: string | undefined) => void>()

  constructor(name: string) {
    this.#channel = new BroadcastChannel(name)
    this.#channel.onmessage = (event: unknown) => this.#hear((event as { readonly data: InstanceMessage }).data)
    ;(this.#channel as { unref?: () => void }).unref?.()
  }

  join(name: string, cluster: InstanceHost): void {
    this.#clusters.set(name, cluster)
  }

  /** Whether that was the last one: the line is closed. An earlier life of a cluster may end after the next one has joined. */
  leave(name: string, cluster: InstanceHost): boolean {
    if (this.#clusters.get(name) !== cluster) return false
    this.#clusters.delete(name)
    if (this.#clusters.size > 0) return false
    this.#channel.close()
    return true
  }

  async judge(sighting: Sighting): Promise<string | undefined> {
    if (this.#clusters.size === 0) return 'the monitoring of the cluster ends'
    const id = randomUUID()
    const over = new AbortController()
    const answer = new Promise<string | undefined>((resolve) => this.#waiting.set(id, resolve))
    this.#channel.postMessage({ type: 'sighted', id, sighting } satisfies InstanceMessage)
    const late = sleep(ANSWER_MS, over.signal).then(() => 'the manager has not said yet whose server it is')
    const refusal = await Promise.race([answer, late])
    over.abort()
    this.#waiting.delete(id)
    return refusal
  }

  #hear(message: InstanceMessage): void {
    if (message.type === 'judged') this.#waiting.get(message.id)?.(message.refusal)
    if (message.type === 'revoked') this.#clusters.get(message.cluster)?.revoked(message.server)
    if (message.type !== 'sought') return
    const servers = [...this.#clusters].flatMap(([cluster, host]) =>
      host
        .shown()
        .filter(({ instance }) => hasSameNames(instance, message.instance))
        .map((shown) => ({ cluster, ...shown })),
    )
    if (servers.length > 0) this.#channel.postMessage({ type: 'shown', servers } satisfies InstanceMessage)
  }
}
