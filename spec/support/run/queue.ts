// Which task starts next: what runs beside each other keeps no more processors busy than the machine has.
import type { Task } from './tasks.js'

export interface Queue {
  /** Removes and answers what starts now; undefined when nothing is left that may run beside what runs. */
  readonly take: () => Task | undefined
  /** It has ended: what it kept busy is free. */
  readonly release: (task: Task) => void
}

interface Limits {
  /** Processors that all that runs may keep busy together. */
  readonly cores: number
  /** Tasks at once, however little they need; one at least. */
  readonly most: number
}

/** So often a shorter task may overtake one that does not fit; then it waits for that one. */
const OVERTAKEN = 6

/** In the given order, where a task that does not fit lets some that do pass. A task runs in any case when nothing else does. */
export function createQueue(tasks: readonly Task[], { cores, most }: Limits): Queue {
  const waiting = [...tasks]
  const running = new Set<Task>()
  let overtaken = 0
  const fits = ({ cores: needed }: Task) =>
    [...running].reduce((sum, each) => sum + each.cores, needed) <= cores + ROUNDING || running.size === 0
  const take = (): Task | undefined => {
    if (running.size >= most) return undefined
    const index = waiting.findIndex(fits)
    if (index < 0 || (index > 0 && overtaken >= OVERTAKEN)) return undefined
    overtaken = index === 0 ? 0 : overtaken + 1
    const [task] = waiting.splice(index, 1)
    if (task) running.add(task)
    return task
  }
  return { take, release: (task) => void running.delete(task) }
}

/** Runs every task, each as soon as the queue gives it. */
export async function runQueued(
  tasks: readonly Task[],
  limits: Limits,
  run: (task: Task) => Promise<void>,
): Promise<void> {
  const { take, release } = createQueue(tasks, limits)
  const running = new Set<Promise<void>>()
  const start = (task: Task) => {
    const ended = run(task).then(() => {
      release(task)
      running.delete(ended)
    })
    running.add(ended)
  }
  for (;;) {
    for (let task = take(); task; task = take()) start(task)
    // Beside nothing any task may run: none is left.
    if (running.size === 0) return
    await Promise.race(running)
  }
}

/** Sums of tenths are not exact. */
const ROUNDING = 0.001
