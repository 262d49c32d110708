// All servers of a cluster back at one point, as one job: planned, confirmed, taken up again after a restart of the manager.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { now, SECOND } from '../../../lib/base/time.js'
import { describeRecovery, judgeServers, type RecoveringServers } from '../../../lib/decide/backup/cluster-recovery.js'
import { describeRunning } from '../../../lib/decide/backup/recovery.js'
import type {
  ClusterRecoveryPlan,
  ClusterRecoveryWish,
  FoundTransactions,
  RunningRecovery,
} from '../../../lib/model/operation/cluster-recovery.js'
import type { Job } from '../../../lib/model/operation/job.js'
import type { RecoveryWish } from '../../../lib/model/operation/recovery.js'
import { isRolling } from '../../../lib/model/operation/roll.js'
import type { Asked, ClusterProtocol, JobTicket } from '../../protocol/cluster.js'
import type { Begun, JobRun } from '../backups/queue.js'
import { listServices } from '../state/services.js'
import { isObserved, observing } from '../state/step/observed.js'
import { bringBack, putBack, type Returning } from './steps.js'
import { judgeReach, locatePoint, readStored } from './stored-logs.js'

export class ClusterRecovery {
  readonly #actor: Returning

  constructor(actor: Returning) {
    this.#actor = actor
    actor.queue.redo('pitr', (job) => this.#again(job))
  }

  /** Transactions in stored binary logs. Failures: `file-unreadable`, `script-failed` (the tool), `deadline-passed`. */
  async search({ wanted, most }: ClusterProtocol['search-logs']['in']): Promise<Result<FoundTransactions>> {
    const found = await readStored(this.#actor, { type: 'transactions', wanted, most })
    if (!found.ok) return found
    return found.value.type === 'transactions'
      ? ok(found.value.found)
      : fail('internal', 'no transactions were answered')
  }

  /** Whether everything is stored until the time that a recovery of one server, or of tables, names. Failure: `no-recovery`. */
  reaches(wish: Pick<RecoveryWish, 'target' | 'backup'>): Promise<Result<void>> {
    return judgeReach(this.#actor, wish)
  }

  /** What would be done, and what would be undone. Failures: `wrong-state`, `no-primary`, `no-recovery`. */
  async plan(wish: ClusterRecoveryWish): Promise<Result<ClusterRecoveryPlan>> {
    const { init } = this.#actor
    const judged = this.#judge()
    if (!judged.ok) return judged
    const point = await locatePoint(this.#actor, wish)
    if (!point.ok) return point
    return ok(describeRecovery(init.name, point.value, { servers: judged.value, target: wish.target }))
  }

  /** Failures: those of `plan`; `plan-needed`, `plan-changed`. */
  async ask(request: ClusterProtocol['begin-cluster-recovery']['in']): Promise<Result<JobTicket>> {
    const { user, asker, wish, plan: confirmed, wait } = request
    if (isObserved(this.#actor.state)) return observing(this.#actor.state)
    const planned = await this.plan(wish)
    if (!planned.ok) return planned
    const { id, loss, backup, last } = planned.value
    if (confirmed === undefined)
      return fail('plan-needed', `${loss} Confirm with confirm=${id} (manager-cli cluster pitr: --confirm).`)
    if (confirmed !== id) return fail('plan-changed', `the plan is ${id} by now: ${loss}`)
    // From now on the point has a name: what is written meanwhile does not move it.
    const target = last ? ({ type: 'gtid', gtid: last.gtid, inclusive: true } as const) : wish.target
    const begun = await this.#begin({ id, wish: { backup, target }, user, asker })
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job })
    const { job, result } = await begun.value.ended
    return result.ok ? ok({ job }) : result
  }

  /** Gives up what was interrupted or failed: the servers are left as they are, and the usual rules hold again. */
  async release({ user }: { readonly user: string }): Promise<Result<void>> {
    const { state, queue } = this.#actor
    const { restoring } = state.memory
    if (!restoring) return fail('wrong-state', `no recovery of ${state.name} is under way`)
    if (queue.list('pitr').length > 0)
      return fail('operation-running', 'its job is not ended yet: manager-cli job cancel <number>')
    this.#actor.decide('keep-recovery', {})
    this.#actor.tell('noted', {
      level: 'WARN',
      text: `${user} gave up the recovery of all servers ${describeRunning(restoring)}`,
      module: 'task',
    })
    return this.#actor.keeper.saved()
  }

  #judge(): Result<RecoveringServers> {
    const { state } = this.#actor
    if (isRolling(state.roll)) return fail('operation-running', 'rolling work is not ended yet')
    return judgeServers(state)
  }

  /** What an earlier try of the same plan completed is not done again. */
  async #begin(
    { id, wish, user, asker }: Pick<RunningRecovery, 'id' | 'wish'> & Asked,
    attempt?: number,
  ): Promise<Result<Begun>> {
    const judged = this.#judge()
    if (!judged.ok) return judged
    const { primary, others } = judged.value
    const { state, queue, keeper } = this.#actor
    const [other] = queue.list('pitr')
    if (other) return fail('operation-running', `job ${other.id} (pitr of ${other.name}) is not ended yet`)
    const before = state.memory.restoring
    const { failure: _, ...left } = before ?? {}
    const fresh: RunningRecovery = {
      ...{ id, wish, user, since: now(), primary: primary.id, servers: [primary.id, ...others.map((each) => each.id)] },
      // The former data are gone already where an earlier recovery was cut.
      ...{ stage: before && before.stage !== 'saving' ? 'restoring' : 'saving', filled: [] },
      history: before?.history ?? '',
    }
    const kept = before?.id === id ? ({ ...left, user } as RunningRecovery) : fresh
    const service = listServices(state).find((each) => each.id === primary.id)
    if (!service) return fail('unknown-server', `${primary.name} is no server of the cluster`)
    this.#actor.decide('keep-recovery', { kept })
    const written = await keeper.saved()
    if (!written.ok) return written
    // What was removed is restored in any case: the cluster is closed until then.
    const isRevocable = kept.stage === 'saving'
    const begun = queue.begin({
      ...{ service, task: 'pitr', user, ...(isRevocable ? { asker } : {}), order: { recovery: id } },
      ...(attempt === undefined ? {} : { attempt }),
      deadlineMs: state.settings['backup-timeout'] * SECOND,
      work: (run) => {
        hasBegun = true
        return this.#work(run)
      },
    })
    let hasBegun = false
    // Cancelled before it began: nothing was removed, and the usual rules hold again.
    if (begun.ok && isRevocable)
      void begun.value.ended.then(({ result }) => {
        if (!hasBegun && !result.ok) void this.#giveBack(result.failure.message)
      })
    return begun
  }

  async #work(run: JobRun): Promise<Result<string>> {
    const done = await bringBack(this.#actor, run)
    const { restoring } = this.#actor.state.memory
    // The next manager goes on from what is on disk.
    if (done.ok || !restoring || this.#actor.context.signal.aborted) return done
    const isWhole = await this.#giveBack(done.failure.message)
    const left = isWhole ? 'nothing was removed, the cluster is as it was' : 'the servers stay closed: begin it again'
    return fail(done.failure.code, `${done.failure.message}; ${left}`)
  }

  /** Whether the cluster is as it was. */
  async #giveBack(failure: string): Promise<boolean> {
    const { restoring } = this.#actor.state.memory
    if (!restoring) return true
    const isWhole = await putBack(this.#actor, restoring)
    this.#actor.decide('keep-recovery', isWhole ? {} : { kept: { ...restoring, failure } })
    return isWhole
  }

  async #again({ order, attempt, user, asker }: Job): Promise<Result<unknown>> {
    const { restoring } = this.#actor.state.memory
    if (!restoring || order?.recovery !== restoring.id) return ok(undefined)
    return this.#begin({ ...restoring, user, asker }, attempt)
  }
}
