// An actor of the size of a small cluster, for measurements: four servers' worth of state, one view of about 5 KB.
import type { Actor, ActorContext, ActorFactory } from '../../../actors/protocol/actor.js'
import { ok, type Result } from '../../../lib/base/result.js'

export type SimpleProtocol = {
  /** Answers at once with what it was given. */
  echo: { in: unknown; out: unknown }
  /** Changes the state and publishes the view. */
  change: { in: object; out: number }
}

export interface SimpleInit {
  /** Milliseconds between changes of its own accord; none when absent. */
  readonly tickMs?: number
}

export const simpleViews = ['servers'] as const
export const simpleEntry = new URL('./simple-host.js', import.meta.url)

interface SimpleServer {
  readonly id: string
  readonly status: Readonly<Record<string, number>>
}

const servers = (): readonly SimpleServer[] =>
  Array.from({ length: 4 }, (_, server) => ({
    id: `db${server}`,
    status: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`Status_name_${index}`, index * server])),
  }))

export const startSimpleActor: ActorFactory<SimpleProtocol> = async (context, init) => {
  const { tickMs } = (init ?? {}) as SimpleInit
  const actor = new SimpleActor(context)
  if (tickMs !== undefined) {
    const timer = setInterval(() => actor.change(), tickMs)
    context.signal.addEventListener('abort', () => clearInterval(timer))
  }
  return actor
}

class SimpleActor implements Actor<SimpleProtocol> {
  readonly #context: ActorContext
  #servers = servers()
  #changes = 0

  constructor(context: ActorContext) {
    this.#context = context
  }

  receive<T extends keyof SimpleProtocol>(type: T, payload: SimpleProtocol[T]['in']): Result<SimpleProtocol[T]['out']> {
    return ok(type === 'echo' ? payload : this.change())
  }

  change(): number {
    this.#changes += 1
    this.#servers = servers()
    this.#context.changed('servers')
    this.#context.setFlags(0, this.#changes)
    return this.#changes
  }

  view(): Uint8Array {
    return Buffer.from(JSON.stringify(this.#servers))
  }

  async stop(): Promise<void> {}
}
