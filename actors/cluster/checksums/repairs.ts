// Replicas get the primary's rows where a checksum found others: planned, confirmed, done as a job, compared again.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { HOUR } from '../../../lib/base/time.js'
import { obstacleOf, whyInterrupted } from '../../../lib/decide/checksum/peers.js'
import { listedKeys, planRepair } from '../../../lib/decide/checksum/repair.js'
import type { Peer } from '../../../lib/effect/checksum/peer.js'
import { repairRows, whyUnfit } from '../../../lib/effect/checksum/repair-rows.js'
import type { RepairPlan, TableChecksum, TableName } from '../../../lib/model/checksum/checksum.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { ClusterProtocol, JobTicket } from '../../protocol/cluster.js'
import type { JobQueue, JobRun } from '../backups/queue.js'
import type { Cluster } from '../state/message/cluster.js'
import { listServices } from '../state/services.js'
import { refuseChanges } from '../state/step/observed.js'
import { peerOf } from './peer-of.js'

/** A running cluster whose replicas are repaired. */
export interface Repairing extends Cluster {
  readonly queue: Pick<JobQueue, 'begin'>
}

/** The checksums that repairs go by. */
export interface Known {
  find(name: TableName): Promise<Result<TableChecksum>>
  /** Compares the table again, within a job. */
  compare(name: TableName, job: JobRun): Promise<Result<string>>
}

interface Between {
  readonly primary: ServerId
  readonly replica: ServerId
  readonly signal: AbortSignal
}

interface Pair {
  readonly primary: Peer
  readonly replica: Peer
}

const LONGEST_MS = 6 * HOUR

export class Repairs {
  readonly #actor: Repairing
  readonly #known: Known

  constructor(actor: Repairing, known: Known) {
    this.#actor = actor
    this.#known = known
  }

  /** Failures: `unknown-table` (never compared), `unknown-server`, and those of the sessions. */
  async plan({ schema, table, server }: ClusterProtocol['plan-table-repair']['in']): Promise<Result<RepairPlan>> {
    const found = await this.#known.find({ schema, table })
    if (!found.ok) return found
    const own = findServer(this.#actor.state.snapshot, server)
    if (!own) return fail('unknown-server', `${this.#actor.init.name} has no server ${server}`)
    const primary = findServer(this.#actor.state.snapshot, found.value.primary)?.name ?? 'the primary'
    const planned = (unfit?: string) => ok(planRepair(found.value, { server, name: own.name, primary, unfit }))
    const refusal = this.#refusal(found.value, server)
    if (refusal !== undefined) return planned(refusal)
    const { signal } = this.#actor.context
    const between = { primary: found.value.primary, replica: server, signal }
    const unfit = await this.#between(between, (pair) => whyUnfit(pair, { schema, table }))
    if (!unfit.ok) return unfit
    return planned(typeof unfit.value === 'string' ? unfit.value : undefined)
  }

  /** Failures: those of `plan`; `plan-needed`, `plan-changed`, `wrong-state` (why it is not possible), those of the queue. */
  async begin(request: ClusterProtocol['begin-table-repair']['in']): Promise<Result<JobTicket>> {
    const { schema, table, server, user, asker, plan: confirmed, wait } = request
    const planned = await this.plan({ schema, table, server })
    if (!planned.ok) return planned
    const { id, possible, refusal = '', effect } = planned.value
    if (!possible) return fail('wrong-state', refusal)
    if (confirmed === undefined) return fail('plan-needed', `${effect} Confirm with confirm=${id}.`)
    if (confirmed !== id) return fail('plan-changed', `the plan is ${id} by now: ${effect}`)
    const service = listServices(this.#actor.state).find((each) => each.id === server)
    if (!service) return fail('unknown-server', `${this.#actor.init.name} has no server ${server}`)
    const begun = this.#actor.queue.begin({
      ...{ service, task: 'repair-table', user, asker, deadlineMs: LONGEST_MS },
      work: (job) => this.#run(job, { name: { schema, table }, server, confirmed }),
    })
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job })
    const { job, result } = await begun.value.ended
    return result.ok ? ok({ job }) : result
  }

  async #run(
    job: JobRun,
    { name, server, confirmed }: { readonly name: TableName; readonly server: ServerId; readonly confirmed: string },
  ): Promise<Result<string>> {
    // It may have waited for a checksum that found something else.
    const planned = await this.plan({ ...name, server })
    if (!planned.ok) return planned
    if (planned.value.id !== confirmed) return fail('plan-changed', `the plan is ${planned.value.id} by now`)
    const found = await this.#known.find(name)
    if (!found.ok) return found
    const keys = listedKeys(found.value, server)
    const mayGoOn = (): Result<void> => {
      const { state } = this.#actor
      if (job.signal.aborted) return fail('job-interrupted', 'the repair ends')
      const refused = refuseChanges(state)
      if (refused) return refused
      const refusal = this.#refusal(found.value, server)
      return refusal === undefined ? ok(undefined) : fail('wrong-state', refusal)
    }
    const between = { primary: found.value.primary, replica: server, signal: job.signal }
    const repaired = await this.#between(between, (pair) => repairRows(name, { ...pair, keys, mayGoOn, log: job.log }))
    if (!repaired.ok) return repaired
    const compared = await this.#known.compare(name, job)
    const { repaired: count, equal, left } = repaired.value
    const text = `${count} rows repaired, ${equal} equal by then, ${left} left alone since they changed`
    return ok(`${text}; ${compared.ok ? compared.value : `not compared again: ${compared.failure.message}`}`)
  }

  #refusal({ primary }: TableChecksum, server: ServerId): string | undefined {
    const { snapshot, settings } = this.#actor.state
    const own = findServer(snapshot, server)
    if (server === primary) return 'it is the primary'
    if (own?.state?.galera)
      return 'a node of Galera that differs is filled again from another node: stop it, empty it, start it'
    return whyInterrupted(snapshot, primary) ?? obstacleOf(own, settings)
  }

  async #between<T>(
    { primary, replica, signal }: Between,
    work: (pair: Pair) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const { state } = this.#actor
    const [source, own] = [peerOf(state, primary, signal), peerOf(state, replica, signal)]
    try {
      return source && own
        ? await work({ primary: source, replica: own })
        : fail('wrong-state', 'one of the servers never reported what it is')
    } finally {
      source?.close()
      own?.close()
    }
  }
}
