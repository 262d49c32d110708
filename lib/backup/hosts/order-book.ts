// Orders that hosts ask the manager for (`scheduler-jobs-mode` api): each is given out once, and followed by what the host reports.
import { fail, ok, type Result } from '../../base/result.js'
import type { HostTask } from '../../model/operation/host-task.js'
import { payloadOf, renderOrder } from './order.js'
import { parseListener } from './output.js'
import {
  endOf,
  failedTask,
  type HostReach,
  type HostTaskEnd,
  type HostTaskRequest,
  type HostTaskRun,
  LINES_KEPT,
  listenerOf,
} from './request.js'

export interface HostReport {
  readonly state: 'processing' | 'waiting' | 'done' | 'error'
  /** The listener, or the end of the output. */
  readonly text: string
  readonly bytes: number
}

export type HostEnd = HostReport & { readonly state: 'done' | 'error' }

/** An order as it outlives the manager. */
export interface OrderKept {
  readonly id: number
  readonly server: string
  readonly task: HostTask
  /** `id|task|port|server|payload`. */
  readonly line: string
  readonly taken: boolean
  /** The end, where the host reported it while nothing waited for it. */
  readonly ended?: HostEnd | undefined
}

interface Order extends OrderKept {
  /** Absent while nothing waits: the manager has just started. */
  readonly report?: (report: HostReport) => void
}

export class OrderBook {
  #orders: readonly Order[]
  readonly #changed: () => void

  /** With the orders of an earlier life; `changed` is called when they are to be written. */
  constructor(kept: readonly OrderKept[] = [], changed: () => void = () => {}) {
    this.#orders = kept
    this.#changed = changed
  }

  /** What outlives the manager: orders without a stream. */
  kept(): readonly OrderKept[] {
    return this.#orders.flatMap(({ report: _, ...order }) => (portOf(order) === 0 ? [order] : []))
  }

  /** Tasks that a host has not taken yet. */
  list(server: string): readonly HostTask[] {
    return this.#orders.filter((each) => each.server === server && !each.taken).map(({ task }) => task)
  }

  /** The order of a task, once. */
  take(server: string, task: HostTask): Result<string> {
    const order = this.#find(server, task)
    if (!order || order.taken) return fail('unknown-job', `there is no order of ${task}`)
    this.#put({ ...order, taken: true })
    return ok(order.line)
  }

  report(server: string, task: HostTask, report: HostReport): Result<void> {
    const order = this.#find(server, task)
    if (!order?.taken) return fail('wrong-state', `no order of ${task} was given to this host`)
    if (order.report) order.report(report)
    else if (isEnd(report)) this.#put({ ...order, ended: report })
    return ok(undefined)
  }

  /** Waits until the host has taken the order and reported its end. One of an earlier life is followed, not given again. */
  run(reach: HostReach, request: HostTaskRequest, run: HostTaskRun): Promise<Result<HostTaskEnd>> {
    const { service } = reach
    const { task, deadlineMs } = request
    const before = request.stream ? undefined : this.#find(service.id, task)
    const id = before?.id ?? this.#nextId()
    const line = before?.line ?? renderOrder(id, request, payloadOf(request, reach.log))
    run.log(
      before?.taken ? 'the job script of the host works on it' : 'waiting until the job script of the host asks for it',
    )
    return new Promise((resolve) => {
      const settle = (result: Result<HostTaskEnd>) => {
        clearTimeout(timer)
        run.signal.removeEventListener('abort', abort)
        this.#drop(id)
        resolve(result)
      }
      const end = (why: string) => settle(fail('deadline-passed', `${service.name}: ${task} on its host was ${why}`))
      const abort = () => end('cancelled')
      const timer = setTimeout(() => end('not done in time'), deadlineMs)
      run.signal.addEventListener('abort', abort, { once: true })
      const report = ({ state, text, bytes }: HostReport) => {
        const lines = text.split('\n').slice(-LINES_KEPT)
        const listener = state === 'waiting' ? parseListener(text) : undefined
        if (state === 'processing') run.log('the job script has taken it')
        if (listener) run.waiting?.(listenerOf(service, listener))
        if (state === 'done') settle(ok(endOf(lines, bytes)))
        if (state === 'error') settle(failedTask(service, task, lines))
      }
      this.#put({ id, server: service.id, task, line, taken: before?.taken ?? false, report })
      if (run.signal.aborted) abort()
      else if (before?.ended) report(before.ended)
    })
  }

  #nextId = (): number => Math.max(0, ...this.#orders.map(({ id }) => id)) + 1

  #find(server: string, task: HostTask): Order | undefined {
    return this.#orders.find((each) => each.server === server && each.task === task)
  }

  #put(order: Order): void {
    this.#orders = [...this.#orders.filter(({ id }) => id !== order.id), order]
    this.#changed()
  }

  #drop(id: number): void {
    this.#orders = this.#orders.filter((each) => each.id !== id)
    this.#changed()
  }
}

const isEnd = (report: HostReport): report is HostEnd => report.state === 'done' || report.state === 'error'

const portOf = ({ line }: OrderKept): number => Number(line.split('|')[2])
