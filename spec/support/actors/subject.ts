// The actor that the kernel's specs examine; see protocol.ts.

import type { Actor, ActorContext, ActorFactory } from '../../../actors/protocol/actor.js'
import { done, ok, type Result } from '../../../lib/base/result.js'
import { sleep } from '../../../lib/base/time.js'
import { closedGate, LOOPS, type Misdeed, STOPPED, type SubjectInit, type SubjectProtocol } from './protocol.js'

export const startSubject: ActorFactory<SubjectProtocol> = async (context, init) => {
  const plan = (init ?? {}) as SubjectInit
  if (plan.start === 'throw') throw new Error('this actor cannot start')
  if (plan.start === 'hang') await new Promise(() => undefined)
  const { habit } = plan
  if (habit) setTimeout(() => misdeeds[habit](context), 20)
  return new Subject(context, plan)
}

const misdeeds: Readonly<Record<Misdeed, (context: ActorContext) => void>> = {
  throw: () => {
    throw new Error('thrown in receive')
  },
  reject: () => void Promise.reject(new Error('rejected without await')),
  'late-throw': () => {
    setTimeout(() => {
      throw new Error('thrown in a timer')
    }, 5)
  },
  loop: (context) => loop(context),
  'late-loop': (context) => {
    setTimeout(() => loop(context), 5)
  },
  exit: () => process.exit(7),
  grow: () => {
    const hoard: unknown[] = []
    for (;;) hoard.push(new Array(10_000).fill(hoard.length))
  },
}

function loop(context: ActorContext): never {
  context.setFlags(0, LOOPS)
  for (;;);
}

class Subject implements Actor<SubjectProtocol> {
  readonly #context: ActorContext
  readonly #init: SubjectInit
  #count = 0
  #text = ''
  #rendered = 0

  constructor(context: ActorContext, init: SubjectInit) {
    this.#context = context
    this.#init = init
  }

  receive<T extends keyof SubjectProtocol>(type: T, payload: SubjectProtocol[T]['in']): Promise<Result<never>> {
    // the table below is typed by the protocol, key by key
    return this.#handlers[type](payload as never) as Promise<Result<never>>
  }

  view(): Uint8Array {
    this.#rendered += 1
    return Buffer.from(this.#text)
  }

  async stop(): Promise<void> {
    await sleep(this.#init.stopMs ?? 0)
    this.#context.setFlags(0, STOPPED)
  }

  readonly #handlers: {
    readonly [T in keyof SubjectProtocol]: (
      payload: SubjectProtocol[T]['in'],
    ) => Result<SubjectProtocol[T]['out']> | Promise<Result<SubjectProtocol[T]['out']>>
  } = {
    count: () => {
      this.#count += 1
      return ok(this.#count)
    },
    echo: (payload) => ok(payload),
    init: () => ok(this.#init),
    slow: async ({ ms }) => {
      await sleep(ms, this.#context.signal)
      return done
    },
    never: () => new Promise(() => undefined),
    misbehave: ({ how }) => {
      misdeeds[how](this.#context)
      return done
    },
    publish: ({ text }) => {
      this.#text = text
      this.#context.changed('text')
      return done
    },
    rendered: () => ok(this.#rendered),
    flag: ({ slot, flags }) => {
      this.#context.setFlags(slot, flags)
      this.#context.setAnswered(slot, 5_000)
      return done
    },
    emit: ({ events }) => {
      for (const event of events) this.#context.emit(event)
      return done
    },
    block: ({ ms }) => {
      Atomics.wait(closedGate(), 0, 0, ms)
      return done
    },
    pass: ({ gate, flags }) => {
      this.#context.setFlags(0, flags)
      Atomics.wait(gate, 0, 0)
      return done
    },
    lateness: ({ windowMs }) => ok(this.#context.lateness(windowMs)),
    unclonable: () => ok(() => undefined),
  }
}
