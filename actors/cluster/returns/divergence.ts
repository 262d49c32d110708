// What only one server has: read row by row, and settled as a job by a confirmed plan.
import path from 'node:path'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { HOUR, now } from '../../../lib/base/time.js'
import { type Diverged, judgeDivergence, planDivergence, shownOf } from '../../../lib/decide/repair/divergence.js'
import type { ReadDivergence, Reports } from '../../../lib/effect/returns/kit/work.js'
import { startReturnWork } from '../../../lib/effect/returns/start.js'
import type { Divergence, DivergenceAction, DivergencePlan } from '../../../lib/model/operation/divergence.js'
import { formatSet, isEmpty } from '../../../lib/model/server/gtid.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { Asked, ClusterProtocol, JobTicket } from '../../protocol/cluster.js'
import type { JobQueue } from '../backups/queue.js'
import { effectSettings } from '../state/message/wires.js'
import { listServices } from '../state/services.js'
import { situationOf } from '../state/step/evaluate.js'
import type { Watch } from '../watch/watch.js'
import type { Facts, Knowing } from './facts.js'
import { type Filling, workServer } from './order.js'

/** A running cluster whose divergences are read and settled. */
export interface Diverging extends Knowing, Filling {
  readonly queue: Pick<JobQueue, 'begin'>
  readonly watch: Pick<Watch, 'probeFresh'>
}

/** Rows that an answer lists. */
const SHOWN = 500
/** Rows that are settled at most: more come back by a reseed. */
const SETTLED = 100_000
const SETTLE_MS = HOUR

export class Divergences {
  readonly #actor: Diverging
  readonly #facts: Pick<Facts, 'tailOf'>

  constructor(actor: Diverging, facts: Pick<Facts, 'tailOf'>) {
    this.#actor = actor
    this.#facts = facts
  }

  /** Failures: those of `judgeDivergence`; `step-failed`: the binary logs that had it are gone. */
  async read({ server, rows = SHOWN }: ClusterProtocol['read-divergence']['in']): Promise<Result<Divergence>> {
    const diverged = await this.#judge(server)
    if (!diverged.ok) return diverged
    const { kind, extra, server: own } = diverged.value
    const head = { server: own.id, name: own.name, kind, extra: formatSet(shownOf(diverged.value)) }
    if (isEmpty(extra)) return ok({ ...head, transactions: [], tables: [], missing: '' })
    const order = this.#order(diverged.value, Math.min(rows, SETTLED))
    if (!order.ok) return order
    const found = await startReturnWork({ type: 'read-divergence', ...order.value }, this.#quiet())
    if (!found.ok) return found
    if (!('divergence' in found.value)) return fail('internal', 'no description of a divergence')
    return ok({
      ...head,
      ...(order.value.saved ? { saved: order.value.saved.directory } : {}),
      ...found.value.divergence,
    })
  }

  /** With the conflicts: every row is looked up as the statements would, and nothing is kept. */
  async plan({ server, action }: ClusterProtocol['plan-divergence']['in']): Promise<Result<DivergencePlan>> {
    const diverged = await this.#judge(server)
    if (!diverged.ok) return diverged
    return this.#plan(diverged.value, action)
  }

  /** Failures: those of `plan`; `plan-needed`, `plan-changed`, `wrong-state` (why it is not possible). */
  async settle({
    user,
    asker,
    server,
    action,
    plan: confirmed,
    wait,
  }: ClusterProtocol['settle-divergence']['in']): Promise<Result<JobTicket>> {
    const diverged = await this.#judge(server)
    if (!diverged.ok) return diverged
    const planned = await this.#plan(diverged.value, action)
    if (!planned.ok) return planned
    const { id, possible, refusal = '', conflicts, effect } = planned.value
    if (!possible) return fail('wrong-state', refusal)
    if (conflicts.length > 0) return fail('wrong-state', `${conflicts.length} rows conflict: ${conflicts[0]}`)
    if (confirmed === undefined) return fail('plan-needed', `${effect} Confirm with confirm=${id}.`)
    if (confirmed !== id) return fail('plan-changed', `the plan is ${id} by now: ${effect}`)
    return this.#begin(diverged.value, { user, asker, action, wait })
  }

  async #judge(id: string): Promise<Result<Diverged>> {
    // What was just written is to be seen.
    const { primary } = this.#actor.state.snapshot
    if (findServer(this.#actor.state.snapshot, id)) await this.#actor.watch.probeFresh(id)
    if (primary !== undefined) await this.#actor.watch.probeFresh(primary)
    const { state } = this.#actor
    return judgeDivergence({ ...situationOf(state, now()), snapshot: state.snapshot }, id)
  }

  async #plan(diverged: Diverged, action: DivergenceAction): Promise<Result<DivergencePlan>> {
    const plan = planDivergence(diverged, action)
    if (!plan.possible) return ok(plan)
    const tried = await this.#work(diverged, { action, dry: true }, this.#quiet())
    if (tried.ok) return ok({ ...plan, conflicts: tried.value.conflicts })
    return tried.failure.code === 'wrong-state'
      ? ok({ ...plan, possible: false, refusal: tried.failure.message, steps: [] })
      : tried
  }

  async #begin(
    diverged: Diverged,
    { user, asker, action, wait }: Asked & { readonly action: DivergenceAction; readonly wait: boolean },
  ): Promise<Result<JobTicket>> {
    const { id } = diverged.server
    const service = listServices(this.#actor.state).find((each) => each.id === id)
    if (!service) return fail('unknown-server', `${this.#actor.init.name} has no server ${id}`)
    const begun = this.#actor.queue.begin({
      ...{ service, task: 'divergence', user, asker, deadlineMs: SETTLE_MS },
      work: async ({ signal, log, progress }) => {
        const reports: Reports = { signal, log, progress: (figures) => void progress(figures) }
        const settled = await this.#work(diverged, { action, dry: false }, reports)
        if (!settled.ok) return settled
        const [conflict] = settled.value.conflicts
        if (conflict !== undefined) return fail('wrong-state', `nothing was changed: ${conflict}`)
        await this.#judge(id)
        return ok(settled.value.text)
      },
    })
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job })
    const { job, result } = await begun.value.ended
    return result.ok ? ok({ job }) : result
  }

  async #work(
    diverged: Diverged,
    { action, dry }: { readonly action: DivergenceAction; readonly dry: boolean },
    reports: Reports,
  ): Promise<Result<{ readonly conflicts: readonly string[]; readonly text: string }>> {
    const order = this.#order(diverged, SETTLED)
    if (!order.ok) return order
    const { primary, kind } = diverged
    if (!primary || (kind !== 'errant' && kind !== 'lost')) return fail('wrong-state', 'there is nothing to settle')
    const work = { ...order.value, action, kind, dry, primary: workServer(this.#actor, primary) }
    const done = await startReturnWork({ type: 'settle-divergence', ...work }, reports)
    if (!done.ok) return done
    return 'settled' in done.value ? ok(done.value.settled) : fail('internal', 'no result of a divergence')
  }

  #order(diverged: Diverged, mostRows: number): Result<Omit<ReadDivergence, 'type'>> {
    const { server, primary, extra, kind, crash } = diverged
    const directory = kind === 'errant' ? undefined : this.#facts.tailOf(diverged)
    const named = this.#answers(server) ?? this.#answers(primary)
    if (!named) return fail('wrong-state', 'no server answers that could name the columns')
    const position = crash && directory === crash.outcome?.tailFile ? Math.max(4, crash.oldPosition) : 4
    return ok({
      ...{ server: workServer(this.#actor, server), shapesOf: workServer(this.#actor, named), extra, mostRows },
      ...(directory === undefined ? {} : { saved: { directory, position } }),
      binlogTool: effectSettings(this.#actor.state).binlogTool,
      directory: path.join(this.#actor.init.directory, 'refill'),
    })
  }

  #answers(server: ServerSnapshot | undefined): ServerSnapshot | undefined {
    return server?.observation === 'answered' ? server : undefined
  }

  #quiet(): Reports {
    return { signal: this.#actor.context.signal, log: () => undefined, progress: () => undefined }
  }
}
