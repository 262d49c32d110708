// What the steps of a named test do to the cluster, and what takes them back: one row each, by the manager's own operations.
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, now, SECOND, sleep } from '../../../lib/base/time.js'
import { channelOf } from '../../../lib/decide/situation/channel.js'
import type { EffectServer } from '../../../lib/effect/kit/server.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { Before, TrialUndo } from '../../../lib/model/trial/trial.js'
import { AT_HOME, type Judged, judgeFact, judgeFacts } from '../../../lib/trial/fact.js'
import { countRows, endHold, type Held, openHold, removeSchema, writeRows } from '../../../lib/trial/sessions.js'
import type { TrialSettings, TrialStep } from '../../../lib/trial/step.js'
import type { ClusterProtocol } from '../../protocol/cluster.js'
import type { Cluster } from '../state/message/cluster.js'
import { effectServer } from '../state/message/wires.js'
import type { Watch } from '../watch/watch.js'

/** A running cluster that can be tested. */
export interface Tried extends Cluster {
  readonly watch: Pick<Watch, 'probeFresh'>
  receive<T extends keyof ClusterProtocol & string>(
    type: T,
    payload: ClusterProtocol[T]['in'],
  ): Result<ClusterProtocol[T]['out']> | Promise<Result<ClusterProtocol[T]['out']>>
}

/** Longest wait for what is expected. */
const EXPECT_MS = MINUTE
/** A switchover that is refused for a reason that passes, as a repair that runs, is asked for again for so long. */
const INSIST_MS = 30 * SECOND
/** Longest time to take one change back. */
export const UNDO_MS = 3 * MINUTE
/** Longest time of one step. */
export const STEP_MS = 2 * MINUTE
const PAUSE_MS = 100
const AGAIN_MS = SECOND

type Outcome = Result<unknown>

type Do<T extends TrialStep['do']> = (step: Extract<TrialStep, { readonly do: T }>) => Promise<Outcome>
type Take<T extends TrialUndo['type']> = (undo: Extract<TrialUndo, { readonly type: T }>) => Promise<Outcome>

/** One run: what it holds and how many rows it wrote is forgotten with the manager, as are the sessions. */
export class TrialWork {
  readonly #actor: Tried
  readonly #before: Before
  readonly #user: string
  readonly #signal: AbortSignal
  readonly #held: Held[] = []
  #rows = 0

  /** `signal` ends steps, not what takes them back. */
  constructor(actor: Tried, before: Before, { user, signal }: { readonly user: string; readonly signal: AbortSignal }) {
    this.#actor = actor
    this.#before = before
    this.#user = user
    this.#signal = signal
  }

  /** Success may say something of interest. */
  perform(step: TrialStep): Promise<Outcome> {
    return (this.#steps[step.do] as Do<typeof step.do>)(step as never)
  }

  /** Tried again until it succeeds, within its time. */
  async takeBack(undo: TrialUndo): Promise<Outcome> {
    const { signal } = this.#actor.context
    const until = now() + UNDO_MS
    for (;;) {
      const taken = await (this.#undos[undo.type] as Take<typeof undo.type>)(undo as never)
      if (taken.ok || signal.aborted || now() > until) return taken
      await sleep(AGAIN_MS, signal)
    }
  }

  /** What the latest snapshot says. */
  judged(): Judged {
    const { snapshot, settings } = this.#actor.state
    return { snapshot, settings, before: this.#before }
  }

  /** Waits until nothing is missing; what is still missing when the time is over is the failure. */
  async until(missing: (judged: Judged) => string | undefined, limitMs: number, signal: AbortSignal): Promise<Outcome> {
    const end = now() + limitMs
    await this.#actor.watch.probeFresh()
    for (;;) {
      const line = missing(this.judged())
      if (line === undefined) return done
      if (signal.aborted) return fail('job-cancelled', 'the test was ended')
      if (now() > end) return fail('step-failed', `not within ${limitMs / SECOND} s: ${line}`)
      await sleep(PAUSE_MS, signal)
    }
  }

  readonly #steps: { readonly [T in TrialStep['do']]: Do<T> } = {
    set: async ({ settings }) => this.#set(settings),
    write: async ({ rows }) => {
      const primary = this.#primary()
      if (!primary.ok) return primary
      const from = this.#rows + 1
      const written = await writeRows(primary.value, { from, rows, signal: this.#signal })
      if (!written.ok) return written
      this.#rows += rows
      return done
    },
    hold: async ({ what }) => {
      const servers = what === 'applier' ? this.#before.replicas.map((id) => this.#server(id)) : [this.#primary()]
      for (const server of servers) {
        const held = server.ok ? await openHold(server.value, what, this.#signal) : server
        if (!held.ok) return held
        this.#held.push(held.value)
      }
      return done
    },
    release: () => this.#release(),
    'stop-replicas': () => this.#each((server) => this.#ask('stop-replication', server)),
    'start-replicas': () => this.#each((server) => this.#ask('start-replication', server)),
    'maintain-replicas': () =>
      this.#each(async (server) => this.#actor.receive('set-maintenance', { user: this.#user, server, mode: 'on' })),
    switchover: ({ to, refused }) => this.#switchOver(to, refused),
    expect: ({ facts }) => this.until((judged) => judgeFacts(facts, judged), EXPECT_MS, this.#signal),
    'expect-rows': () => this.#expectRows(),
  }

  readonly #undos: { readonly [T in TrialUndo['type']]: Take<T> } = {
    settings: async () => this.#set(undefined),
    sessions: () => this.#release(),
    schema: async () => {
      const primary = this.#primary()
      if (!primary.ok) return primary
      const removed = await removeSchema(primary.value, this.#actor.context.signal)
      return removed.ok ? done : removed
    },
    replication: async ({ servers }) => {
      await this.#actor.watch.probeFresh()
      for (const server of servers) {
        if (!this.#isStopped(server)) continue
        const started = await this.#ask('start-replication', server)
        if (!started.ok) return started
      }
      return done
    },
    maintenance: async ({ servers }) => {
      for (const server of servers) {
        if (!findServer(this.#actor.state.snapshot, server)?.maintenance) continue
        const ended = await this.#actor.receive('set-maintenance', { user: this.#user, server, mode: 'off' })
        if (!ended.ok) return ended
      }
      return done
    },
    role: async ({ server }) => {
      await this.#actor.watch.probeFresh()
      const isHome = judgeFact(AT_HOME, this.judged()) === undefined
      if (isHome && !this.#actor.state.snapshot.operation) return done
      const moved = await this.#actor.receive('switchover', { user: this.#user, wait: true, candidate: server })
      return moved.ok ? done : moved
    },
  }

  #set(settings: TrialSettings | undefined): Outcome {
    this.#actor.tell('try-settings', settings ? { settings } : {})
    return done
  }

  async #switchOver(to: 'home' | undefined, refused: readonly string[] | undefined): Promise<Outcome> {
    const until = now() + INSIST_MS
    for (;;) {
      const candidate = to === 'home' ? { candidate: this.#before.home } : {}
      const reply = await this.#actor.receive('switchover', { user: this.#user, wait: true, ...candidate })
      if (reply.ok) return refused ? fail('step-failed', 'it was not refused') : done
      const { code, message } = reply.failure
      if (refused?.includes(code)) return ok(`refused: ${code}`)
      const isOver = this.#signal.aborted || now() > until || code === 'rolled-back' || code === 'step-failed'
      // The message of writes that hold it up quotes statements of others.
      if (isOver) return fail('step-failed', code === 'long-writes' ? `refused: ${code}` : `${code}: ${message}`)
      await sleep(AGAIN_MS, this.#signal)
    }
  }

  async #expectRows(): Promise<Outcome> {
    const end = now() + EXPECT_MS
    const { home, replicas } = this.#before
    for (const id of [home, ...replicas]) {
      for (;;) {
        const server = this.#server(id)
        const shown = server.ok ? await countRows(server.value, this.#signal) : server
        if (shown.ok && shown.value === this.#rows) break
        const name = findServer(this.#actor.state.snapshot, id)?.name ?? id
        const what = shown.ok ? `shows ${shown.value} of ${this.#rows} rows` : shown.failure.message
        if (this.#signal.aborted || now() > end) return fail('step-failed', `${name} ${what}`)
        await sleep(PAUSE_MS, this.#signal)
      }
    }
    return ok(`${this.#rows} rows on ${replicas.length + 1} servers`)
  }

  /** All are tried; one that could not be ended stays. */
  async #release(): Promise<Outcome> {
    let left: Outcome = done
    for (const held of this.#held.splice(0)) {
      const ended = await endHold(held, this.#actor.context.signal)
      if (!ended.ok) left = ended
    }
    return left
  }

  async #each(act: (server: ServerId) => Promise<Result<unknown>>): Promise<Outcome> {
    for (const id of this.#before.replicas) {
      const acted = await act(id)
      if (!acted.ok) return acted
    }
    return done
  }

  async #ask(type: 'start-replication' | 'stop-replication', server: ServerId): Promise<Result<void>> {
    return this.#actor.receive(type, { user: this.#user, server })
  }

  #isStopped(id: ServerId): boolean {
    const { snapshot, settings } = this.#actor.state
    const server = findServer(snapshot, id)
    const channel = server && channelOf(server, settings)
    return channel !== undefined && (channel.io === 'stopped' || channel.sql === 'stopped')
  }

  #primary(): Result<EffectServer> {
    const { primary } = this.#actor.state.snapshot
    return primary === undefined ? fail('no-primary', 'there is no primary') : this.#server(primary)
  }

  #server(id: ServerId): Result<EffectServer> {
    const server = effectServer(this.#actor.state, id)
    return server ? ok(server) : fail('unknown-server', `${id} is no server of ${this.#actor.init.name} any more`)
  }
}
