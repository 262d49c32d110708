// Carries out rolling work: decides the next step, records the run, performs the step, reports its end; until the run has ended.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { sleep } from '../../../lib/base/time.js'
import { isRolling, type Roll, type RollCommand, type RollKind, rollTitles } from '../../../lib/model/operation/roll.js'
import { isScheduledJob, type ScheduledJob } from '../../../lib/model/operation/scheduled.js'
import { findServer } from '../../../lib/model/snapshot.js'
import { type Cookie, clearCookie, writeRoll } from '../../../lib/store/index.js'
import type { ClusterProtocol } from '../../protocol/cluster.js'
import type { Cluster } from '../state/message/cluster.js'
import type { Watch } from '../watch/watch.js'
import type { CookieWatch } from './cookies.js'
import type { Permits } from './permits.js'
import { cannotReprovision } from './reprovision.js'
import type { Services } from './services.js'
import { Timetable } from './timetable.js'

/** A running cluster on which rolling work is done. */
export interface Moving extends Cluster {
  readonly permits: Pick<Permits, 'ask'>
  readonly cookies: Pick<CookieWatch, 'read' | 'directoryOf'>
  readonly services: Services
  readonly watch: Pick<Watch, 'probeFresh'>
  /** A job of the timetable; settles when it was asked for. */
  beginScheduled(kind: ScheduledJob, user: string): Promise<Result<unknown>>
  /** Hands the primary role over; settles when that has ended. */
  switchover(request: ClusterProtocol['switchover']['in']): Promise<Result<unknown>>
}

type Wish = ClusterProtocol['begin-roll']['in']

/** Between two questions what is next. */
const STEP_MS = 200

/** Flags that are dismissed together with the request to roll. */
const flags: Readonly<Record<RollKind, Cookie | undefined>> = {
  restart: 'restart',
  reprov: 'reprov',
  optimize: undefined,
}

export class Rolling {
  readonly #actor: Moving
  #written: Roll | undefined
  #running: Promise<void> | undefined
  readonly #timetable: Timetable
  #isReady = false

  constructor(actor: Moving) {
    this.#actor = actor
    this.#written = actor.state.roll
    this.#timetable = new Timetable(actor, async ({ kind, user }) =>
      isScheduledJob(kind) ? actor.beginScheduled(kind, user) : this.begin({ kind, user, wait: false }),
    )
    actor.context.signal.addEventListener('abort', () => this.#timetable.close(), { once: true })
  }

  /** What is to be done by schedule, as the settings now say. */
  reconfigured(): void {
    if (this.#isReady) this.#timetable.reconfigured()
  }

  /** Goes on with a run that was left unfinished; from now on what is scheduled is done. */
  resume(): void {
    this.#isReady = true
    this.reconfigured()
    if (isRolling(this.#actor.state.roll)) void this.#drive()
  }

  async begin({ wait, ...request }: Wish): Promise<Result<Roll>> {
    const able = this.canRoll(request.kind)
    if (!able.ok) return able
    const started = this.#actor.decide('open-roll', request)
    if (!started.ok) return started
    // It is answered for when it would survive a crash.
    await this.#write()
    const ended = this.#drive()
    if (!wait) return started
    await ended
    const { roll } = this.#actor.state
    if (roll?.id !== started.value.id || isRolling(roll)) return fail('actor-gone', 'the cluster was stopped meanwhile')
    return roll.phase === 'succeeded'
      ? ok(roll)
      : fail('step-failed', `${rollTitles[roll.kind]} ${roll.phase}: ${roll.message}`)
  }

  /** Ends what runs; where nothing does, the servers' need for it is dismissed. */
  async cancel(request: ClusterProtocol['cancel-roll']['in']): Promise<Result<Roll | undefined>> {
    const isIdle = !isRolling(this.#actor.state.roll)
    const cancelled = this.#actor.decide('end-roll', request)
    if (!cancelled.ok) return cancelled
    await this.#write()
    if (request.kind === 'reprov' && !isIdle) this.#actor.services.endReprovision()
    const flag = flags[request.kind]
    if (!isIdle || flag === undefined) return cancelled
    const { servers } = this.#actor.state.snapshot
    for (const server of servers) await clearCookie(this.#actor.cookies.directoryOf(server), flag)
    await this.#actor.cookies.read()
    const text = `The need for a ${rollTitles[request.kind]} was dismissed by ${request.user}`
    this.#actor.tell('noted', { level: 'INFO', text })
    return cancelled
  }

  /** Whether the orchestrator can do this work at all: `unsupported`. */
  canRoll(kind: RollKind): Result<void> {
    const orchestrator = this.#actor.services.orchestrator
    if (kind === 'reprov') return orchestrator.renewal ? ok(undefined) : cannotReprovision(orchestrator)
    if (kind === 'optimize' || orchestrator.acts) return ok(undefined)
    return fail(
      'unsupported',
      `the manager does not run the servers of this cluster (prov-orchestrator = ${orchestrator.kind}): a ${rollTitles[kind]} needs local, or onpremise with onpremise-ssh`,
    )
  }

  #drive(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#actor.context
    while (!signal.aborted && isRolling(this.#actor.state.roll)) {
      if (!(await this.#mayStep())) {
        await sleep(STEP_MS, signal)
        continue
      }
      const step = this.#actor.decide('step-roll', {})
      // What is not recorded is not started: the successor of a killed manager must know what it was about to do.
      const written = await this.#write()
      if (signal.aborted) return
      if (step.ok && step.value && written) await this.#perform(step.value)
      else await sleep(STEP_MS, signal)
    }
  }

  /** One whose user may not have it any more is cancelled: the server that has its turn is brought back, no other is started. */
  async #mayStep(): Promise<boolean> {
    const { roll } = this.#actor.state
    if (!isRolling(roll) || roll.cancelledBy !== undefined) return true
    const permit = await this.#actor.permits.ask(roll.asker)
    if (permit.type !== 'refused') return permit.type === 'granted'
    const { id, kind } = roll
    const { reason } = permit
    const ended = this.#actor.decide('end-roll', { user: 'the manager', kind, revoked: reason })
    if (ended.ok && ended.value?.id === id) this.#actor.tell('note-revoked', { work: id, reason })
    return true
  }

  async #write(): Promise<boolean> {
    const { roll } = this.#actor.state
    if (!roll || roll === this.#written) return true
    const written = await writeRoll(this.#actor.init.directory, roll)
    if (!written.ok) this.#actor.tell('noted', { level: 'ERROR', text: written.failure.message })
    else this.#written = roll
    return written.ok
  }

  async #perform(command: RollCommand): Promise<void> {
    const { roll } = this.#actor.state
    if (!roll) return
    if (command.type === 'move') return this.#move(roll, command.candidate)
    const { kind, again = false } = command
    const acted = await this.#actor.services.roll(command.server, { kind, user: roll.owner, again })
    // A job that ended with the manager is not reported: the next manager checks its result.
    if (this.#actor.context.signal.aborted) return
    if (!acted.ok && acted.failure.code === 'operation-running' && this.#actor.state.snapshot.operation)
      return this.#actor.tell('rolled-server', { server: command.server, gaveWay: true })
    await this.#actor.watch.probeFresh(command.server)
    const name = findServer(this.#actor.state.snapshot, command.server)?.name ?? command.server
    const what = kind === 'reprov' ? 'was not rebuilt' : 'did not come back'
    const failure = acted.ok ? {} : { failure: `${name} ${what}: ${acted.failure.message}` }
    this.#actor.tell('rolled-server', { server: command.server, ...failure })
  }

  async #move({ owner: user }: Roll, candidate: string | undefined): Promise<void> {
    const request = { user, wait: true, byRoll: true, ...(candidate === undefined ? {} : { candidate }) }
    const moved = await this.#actor.switchover(request)
    if (!moved.ok && !this.#actor.context.signal.aborted)
      this.#actor.tell('roll-refused', { reason: moved.failure.message })
  }
}
