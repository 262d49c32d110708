// A part of a bench in a process of its own, so that its processor time and memory are its own.
import { type ChildProcess, fork } from 'node:child_process'

/** Questions a child answers by name; both sides name the same type. */
export type Answers = Readonly<Record<string, (question: never) => unknown>>

export interface Child<A extends Answers> {
  readonly pid: number
  /** Throws with the child's words when it failed, and when it ended without an answer. */
  ask<Name extends keyof A & string>(
    name: Name,
    question: Parameters<A[Name]>[0],
  ): Promise<Awaited<ReturnType<A[Name]>>>
  /** Processor time of the child while the work runs, milliseconds. */
  cpuOf(work: () => unknown): Promise<number>
  end(): Promise<void>
}

interface Reply {
  readonly value?: unknown
  readonly failed?: string
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a module that calls `answer`; resolves when it answers. */
export async function startChild<A extends Answers>(module: URL): Promise<Child<A>> {
  const child = fork(module, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  running.add(child)
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  void gone.then(() => running.delete(child))

  const ask = async (name: string, question: unknown): Promise<unknown> => {
    const reply = await new Promise<Reply>((resolve) => {
      child.once('message', (message) => resolve(message as Reply))
      void gone.then(() => resolve({ failed: `${module.pathname} ended` }))
      child.send({ name, question })
    })
    if (reply.failed !== undefined) throw new Error(reply.failed)
    return reply.value
  }
  const cpu = async () => (await ask('cpu', undefined)) as number
  await cpu()
  return {
    pid: child.pid ?? 0,
    ask: ask as Child<A>['ask'],
    cpuOf: async (work) => {
      const before = await cpu()
      await work()
      return (await cpu()) - before
    },
    end: async () => {
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** The child's side: one question at a time; ends with its parent. */
export function answer(answers: Answers): void {
  const cpu = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
  const all: Readonly<Record<string, (question: never) => unknown>> = { ...answers, cpu }
  process.on('message', ({ name, question }: { readonly name: string; readonly question: never }) => {
    void Promise.resolve()
      .then(() => all[name]?.(question))
      .then(
        (value) => process.send?.({ value } satisfies Reply),
        (error: unknown) => process.send?.({ failed: error instanceof Error ? error.stack : String(error) }),
      )
  })
  process.on('disconnect', () => process.exit())
}
