// Recoveries onto new servers: the list of servers is changed here, the servers are made and removed by the cluster's actor. What a
// killed manager left is completed or removed by the next one.
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { DAY, HOUR, MINUTE, SECOND, sleep } from '../../../lib/base/time.js'
import { nextOf } from '../../../lib/decide/backup/new-server.js'
import type { NewServer, NewServerPlan, NewServerWish } from '../../../lib/model/operation/recovery.js'
import { addressText, type ServerAddress, type ServerId } from '../../../lib/model/server/server.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import type { ClusterProtocol, JobTicket } from '../../protocol/cluster.js'
import type { ActorRef } from '../../protocol/envelope.js'
import type { Caller } from '../../protocol/manager/caller.js'
import type { ChangesFace } from '../../protocol/manager/changes.js'
import type { NewServerRequest, NewServersFace, NewServerTarget } from '../../protocol/manager/new-servers.js'
import type { Clusters } from '../configuration/clusters.js'

export interface NewServerParts {
  readonly clusters: Clusters
  readonly cluster: (name: string) => ActorRef<ClusterProtocol> | undefined
  readonly changes: () => Pick<ChangesFace, 'addServer' | 'dropServer'> & {
    /** Resolves when every earlier change is in the archives. */
    delivered(cluster: string): Promise<void>
  }
  readonly log: WriteLog<'info' | 'warn' | 'error'>
}

/** Stored logs are read for a plan. */
const PLAN_MS = 40 * MINUTE
const STEP_MS = MINUTE
/** A job has a deadline of its own. */
const JOB_MS = 2 * DAY
const REMOVE_MS = 2 * HOUR
/** Between two questions to an actor that is being started. */
const PAUSE_MS = SECOND
/** Why a step was not taken now: its actor is started again, or answers late; the cluster is only observed; a job still runs. */
const passing: ReadonlySet<string> = new Set(['actor-gone', 'deadline-passed', 'observing', 'operation-running'])

export class NewServers implements NewServersFace {
  readonly #parts: NewServerParts
  readonly #driving = new Map<string, Promise<Result<void>>>()
  readonly #closing = new AbortController()

  constructor(parts: NewServerParts) {
    this.#parts = parts
  }

  /** Takes up what an earlier manager left. */
  start(clusters: readonly string[]): void {
    for (const cluster of clusters) void this.#recall(cluster)
  }

  close(): void {
    this.#closing.abort()
  }

  async list(cluster: string): Promise<Result<readonly NewServer[]>> {
    return this.#parts.cluster(cluster)?.ask('new-servers', {}) ?? unknownCluster(cluster)
  }

  async plan(cluster: string, wish: NewServerWish): Promise<Result<NewServerPlan>> {
    const kept = this.#judgeSettings()
    if (!kept.ok) return kept
    const request = { wish, taken: this.#taken() }
    return (
      this.#parts.cluster(cluster)?.ask('plan-new-server', request, { deadlineMs: PLAN_MS }) ?? unknownCluster(cluster)
    )
  }

  /** Failures: those of the plan; `plan-needed`, `plan-changed`, and those of the list of servers. */
  async begin({ cluster, user, asker, may, wish, plan, wait }: NewServerRequest): Promise<Result<JobTicket>> {
    const actor = this.#parts.cluster(cluster)
    if (!actor) return unknownCluster(cluster)
    const kept = this.#judgeSettings()
    if (!kept.ok) return kept
    const request = { user, asker, wish, taken: this.#taken(), ...(plan === undefined ? {} : { plan }) }
    const entered = await actor.ask('enter-new-server', request, { deadlineMs: PLAN_MS })
    if (!entered.ok) return entered
    const { server } = entered.value
    this.#parts.log('info', 'new-server-begun', { cluster, user, server: addressText(entered.value), plan })
    const listed = await this.#enlist(cluster, entered.value, may)
    const ticket = listed.ok ? await actor.ask('make-new-server', { server }, { deadlineMs: STEP_MS }) : listed
    if (!ticket.ok) {
      const removed = await this.#remove(cluster, entered.value, user)
      // A job that began although its answer came too late is followed to its end.
      if (!removed.ok) void this.#drive(cluster, server)
      return ticket
    }
    const driven = this.#drive(cluster, server)
    if (!wait) return ticket
    const made = await driven
    if (!made.ok) return made
    const job = await actor.ask('job', { id: ticket.value.job.id })
    return job.ok ? ok({ job: job.value.job }) : ticket
  }

  async remove({ cluster, user, server }: NewServerTarget): Promise<Result<void>> {
    const known = await this.#find(cluster, server)
    return known.ok ? this.#remove(cluster, known.value, user) : known
  }

  async attach({ cluster, user, server }: NewServerTarget): Promise<Result<void>> {
    const actor = this.#parts.cluster(cluster)
    if (!actor) return unknownCluster(cluster)
    const attached = await actor.ask('forget-new-server', { user, server, attach: true }, { deadlineMs: STEP_MS })
    if (attached.ok) this.#parts.log('info', 'new-server-attached', { cluster, user, server })
    return attached
  }

  async #recall(cluster: string): Promise<void> {
    const known = await this.#known(cluster)
    for (const each of known) {
      // A list of servers that a file gives again after a restart.
      if (each.stage === 'ready') await this.#enlist(cluster, each)
      else void this.#drive(cluster, each.server)
    }
  }

  /** Until it holds the data, or is gone; the failure says why. */
  #drive(cluster: string, server: ServerId): Promise<Result<void>> {
    const key = `${cluster}/${server}`
    const driving = this.#driving.get(key) ?? this.#run(cluster, server).finally(() => this.#driving.delete(key))
    this.#driving.set(key, driving)
    return driving
  }

  async #run(cluster: string, server: ServerId): Promise<Result<void>> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const actor = this.#parts.cluster(cluster)
      if (!actor) return unknownCluster(cluster)
      const known = await actor.ask('await-new-server', { server }, { deadlineMs: JOB_MS })
      if (known.ok && !known.value) return fail('job-cancelled', 'it was removed meanwhile')
      if (known.ok && known.value) {
        const stepped = await this.#step(cluster, known.value, actor)
        if (stepped) return stepped
      } else await sleep(PAUSE_MS, signal)
    }
    return fail('actor-gone', 'the manager ends; the next one goes on')
  }

  /** Undefined: there is more to do. */
  async #step(cluster: string, known: NewServer, actor: ActorRef<ClusterProtocol>): Promise<Result<void> | undefined> {
    const retries = this.#parts.clusters.settings(cluster)?.['scheduler-jobs-retries'] ?? 0
    const next = nextOf(known, retries + 1)
    if (next === 'rest') return done
    if (next !== 'remove') {
      const listed = await this.#enlist(cluster, known)
      const { server } = known
      const begun = listed.ok ? await actor.ask('make-new-server', { server }, { deadlineMs: STEP_MS }) : listed
      if (begun.ok) return undefined
      if (passing.has(begun.failure.code)) return this.#later()
      this.#parts.log('warn', 'new-server-failed', {
        cluster,
        server: addressText(known),
        reason: begun.failure.message,
      })
    }
    const why = known.failure ?? `it was interrupted ${known.begun} times`
    const removed = await this.#remove(cluster, known, known.user)
    if (!removed.ok && passing.has(removed.failure.code)) return this.#later()
    const rest = removed.ok ? '' : `; it could not be removed: ${removed.failure.message}`
    return fail('restore-failed', `${why}${rest}`)
  }

  /** Nothing was decided: it is asked again. */
  async #later(): Promise<undefined> {
    await sleep(PAUSE_MS, this.#closing.signal)
    return undefined
  }

  async #remove(cluster: string, known: NewServer, user: string): Promise<Result<void>> {
    const actor = this.#parts.cluster(cluster)
    if (!actor) return unknownCluster(cluster)
    const removed = await this.#takeAway(cluster, { known, user, actor })
    if (removed.ok || passing.has(removed.failure.code)) return removed
    const { server } = known
    const { message } = removed.failure
    await actor.ask('leave-new-server', { server, why: message }, { deadlineMs: STEP_MS })
    this.#parts.log('warn', 'new-server-left', { cluster, server: addressText(known), reason: message })
    return removed
  }

  async #takeAway(cluster: string, { known, user, actor }: Removal): Promise<Result<void>> {
    const { server } = known
    const unmade = await actor.ask('unmake-new-server', { user, server }, { deadlineMs: REMOVE_MS })
    if (!unmade.ok) return unmade
    const dropped = await this.#parts.changes().dropServer({ cluster, user, address: addressText(known) })
    if (!dropped.ok && dropped.failure.code !== 'unknown-server') return dropped
    // No build that began before writes into its folder any more.
    await this.#parts.changes().delivered(cluster)
    const forgotten = await actor.ask('forget-new-server', { user, server, attach: false }, { deadlineMs: STEP_MS })
    if (forgotten.ok) this.#parts.log('info', 'new-server-removed', { cluster, user, server: addressText(known) })
    return forgotten
  }

  /** In the list of the cluster's servers, with its configuration delivered; done where it is already. */
  async #enlist(cluster: string, known: NewServer, may?: Caller['may']): Promise<Result<void>> {
    const address = addressText(known)
    const hosts = this.#parts.clusters.settings(cluster)?.['db-servers-hosts'] ?? []
    const isListed = hosts.some((entry) => addressText(splitAddress(entry) ?? { host: entry, port: 0 }) === address)
    const changes = this.#parts.changes()
    const added = isListed
      ? done
      : await changes.addServer({ cluster, address, user: known.user, force: true, ...(may ? { may } : {}) })
    if (added.ok) await changes.delivered(cluster)
    return added
  }

  async #find(cluster: string, server: ServerId): Promise<Result<NewServer>> {
    const listed = await this.list(cluster)
    if (!listed.ok) return listed
    const known = listed.value.find((each) => each.server === server)
    return known ? ok(known) : fail('unknown-server', `${cluster} has no new server ${server}`)
  }

  /** When its actor answers. */
  async #known(cluster: string): Promise<readonly NewServer[]> {
    const { signal } = this.#closing
    while (!signal.aborted && this.#parts.cluster(cluster)) {
      const listed = await this.list(cluster)
      if (listed.ok) return listed.value
      await sleep(PAUSE_MS, signal)
    }
    return []
  }

  /** Addresses of all clusters. */
  #taken(): readonly ServerAddress[] {
    const { clusters } = this.#parts
    return [...clusters.configuration.clusters.keys()].flatMap((name) =>
      (clusters.settings(name)?.['db-servers-hosts'] ?? []).flatMap((entry) => splitAddress(entry) ?? []),
    )
  }

  #judgeSettings(): Result<void> {
    return this.#parts.clusters.server['monitoring-save-config']
      ? done
      : fail('wrong-state', 'monitoring-save-config is off: the new server would be forgotten with a restart')
  }
}

interface Removal {
  readonly known: NewServer
  readonly user: string
  readonly actor: ActorRef<ClusterProtocol>
}

const unknownCluster = (cluster: string): Result<never> => fail('unknown-cluster', `no cluster ${cluster}`)
