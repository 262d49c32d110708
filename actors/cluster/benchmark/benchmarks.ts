// Benchmarks of a cluster as jobs: on its primary, where its settings permit it; what a killed manager left is removed.

import { fail, ok, type Result } from '../../../lib/base/result.js'
import { benchmarkLimit, removeBenchmark, runBenchmark } from '../../../lib/benchmark/benchmark.js'
import type { BenchmarkShape } from '../../../lib/benchmark/sysbench.js'
import type { EffectServer } from '../../../lib/effect/kit/server.js'
import type { Asked, ClusterProtocol, JobTicket } from '../../protocol/cluster.js'
import type { JobQueue, QueueRequest } from '../backups/queue.js'
import type { Cluster } from '../state/message/cluster.js'
import { effectServer } from '../state/message/wires.js'
import { listServices } from '../state/services.js'
import { isObserved, observing } from '../state/step/observed.js'

/** A running cluster that can be measured. */
export interface Measured extends Cluster {
  readonly queue: Pick<JobQueue, 'begin' | 'redo'>
}

/** Rows of a table for each unit of `sysbench-scale`. */
const ROWS = 10_000

export class Benchmarks {
  readonly #actor: Measured

  constructor(actor: Measured) {
    this.#actor = actor
    actor.queue.redo('benchmark', ({ user }) => this.#tidy(user))
  }

  /** Failures: `wrong-state` (not permitted), `no-primary`, those of the queue, and with `wait` those of the job. */
  async begin({ user, asker, threads, wait }: ClusterProtocol['begin-benchmark']['in']): Promise<Result<JobTicket>> {
    const { settings } = this.#actor.state
    if (isObserved(this.#actor.state)) return observing(this.#actor.state)
    if (!settings.test)
      return fail(
        'wrong-state',
        `${this.#actor.init.name} permits no benchmark: set test to true where nobody depends on the cluster`,
      )
    const shape: BenchmarkShape = {
      ...{ test: settings['sysbench-test'], threads: threads ?? settings['sysbench-threads'] },
      ...{ tables: settings['sysbench-tables'], rows: settings['sysbench-scale'] * ROWS },
      seconds: settings['sysbench-time'],
    }
    const program = settings['sysbench-binary-path'] || 'sysbench'
    const begun = this.#queue({ user, asker }, benchmarkLimit(shape), (run) =>
      runBenchmark({ program, shape, primary: () => this.#primary() }, run),
    )
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job })
    const { job, result } = await begun.value.ended
    return result.ok ? ok({ job }) : result
  }

  /** A manager that was killed in a benchmark left its schema and account. */
  async #tidy(user: string): Promise<Result<unknown>> {
    return this.#queue({ user }, benchmarkLimit(noLoad), async () => {
      const removed = await removeBenchmark({ primary: () => this.#primary() })
      return removed.ok ? ok('removed what was left of it') : removed
    })
  }

  #queue(by: Asked, deadlineMs: number, work: QueueRequest['work']) {
    const { state, queue, init } = this.#actor
    const service = listServices(state).find(({ id }) => id === state.snapshot.primary)
    if (!service) return fail('no-primary', `${init.name} has no primary to measure`)
    return queue.begin({ service, task: 'benchmark', ...by, deadlineMs, order: {}, work })
  }

  #primary(): EffectServer | undefined {
    const { state } = this.#actor
    const { primary } = state.snapshot
    return primary === undefined ? undefined : effectServer(state, primary)
  }
}

const noLoad: BenchmarkShape = { test: '', threads: 0, tables: 0, rows: 0, seconds: 0 }
