// Rehearses a failover on a copy of what is known of a cluster, so that the real one runs code that is compiled already:
// what runs for the first time takes ten times as long. Nothing is asked of any server and nothing is kept.
import { withDeadline } from '../../../lib/base/deadline.js'
import { done, ok, type Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import { judgeFailover } from '../../../lib/decide/failover/failover.js'
import type { Dialect } from '../../../lib/dialect/index.js'
import { rehearsedSessions } from '../../../lib/effect/kit/rehearsed-sessions.js'
import type { EffectServer } from '../../../lib/effect/kit/server.js'
import { nearby } from '../../../lib/effect/plan/limits.js'
import { createPerform } from '../../../lib/effect/plan/perform.js'
import { runPlan } from '../../../lib/effect/plan/run-plan.js'
import type { Command, CommandType } from '../../../lib/model/operation/command.js'
import type { Channel, ServerState } from '../../../lib/model/server/reading.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import { withSettings } from '../../../lib/settings/index.js'
import type { Journal } from '../../../lib/store/index.js'
import { createMailbox, type Mailbox } from '../../kernel/behaviour.js'
import { clusterBehaviour } from '../handlers/behaviour.js'
import type { Cluster } from '../state/message/cluster.js'
import type { ActorCommand } from '../state/message/command.js'
import type { RuntimeProtocol } from '../state/message/messages.js'
import { effectServer, effectSettings, readingOf } from '../state/message/wires.js'
import type { ClusterState } from '../state/state.js'
import { situationOf } from '../state/step/evaluate.js'

/** Often enough for the engine to compile what matters. */
const ROUNDS = 25
/** Between two rounds others have their turn. */
const PAUSE_MS = 5

/** A cluster that has just been found may need a few probes until a failover is possible. */
const MOST_TICKS = 10

/** Kinds of databases that this thread has rehearsed with. */
const rehearsed = new Set<string>()

/** Once per thread and kind of database; passed by where no failover is possible, until a cluster comes where one is. */
export async function rehearse({
  state,
  ticks,
  context: { signal },
}: Pick<Cluster, 'state' | 'context'> & { readonly ticks: number }): Promise<void> {
  const { servers, operation } = state.snapshot
  if (ticks > MOST_TICKS || operation) return
  const kind = servers.map((server) => server.state?.identity.flavour).find((flavour) => flavour !== undefined)
  if (kind === undefined || rehearsed.has(kind)) return
  rehearsed.add(kind)
  for (let round = 0; round < ROUNDS && !signal.aborted; round += 1) {
    const played = await withDeadline(signal, SECOND, (limit) => new Rehearsal(state, limit).play())
    if (!played) rehearsed.delete(kind)
    if (!played) return
    await sleep(PAUSE_MS, signal)
  }
}

/** Left out: they would reach files or other programs. */
const unplayed: ReadonlySet<CommandType> = new Set<CommandType>(['run-script', 'record-crash'])

const isPlayed = ({ type }: Command): boolean => !unplayed.has(type)

class Rehearsal {
  readonly #mailbox: Mailbox<RuntimeProtocol, ClusterState>
  readonly #primary: ServerId | undefined
  readonly #imagined = new Map<ServerId, ServerState>()
  #started: Extract<ActorCommand, { type: 'operate' }> | undefined
  #now = now()
  readonly #signal: AbortSignal

  constructor(state: ClusterState, signal: AbortSignal) {
    this.#signal = signal
    this.#primary = state.memory.primary
    for (const { id, state: reported } of state.snapshot.servers) if (reported) this.#imagined.set(id, cutOff(reported))
    const settings = withSettings(state.settings, { 'failover-mode': 'automatic', 'failover-time-limit': 0 })
    this.#mailbox = createMailbox<RuntimeProtocol, ClusterState, ActorCommand>({
      behaviour: clusterBehaviour,
      clock: () => this.#now,
      state: { ...state, settings },
      execute: (commands) => {
        for (const command of commands) if (command.type === 'operate') this.#started = command
      },
    })
  }

  /** Answers whether it came to a failover. */
  async play(): Promise<boolean> {
    this.#refuse()
    this.#testify()
    if (!this.#started) return false
    const { operation, plan } = this.#started
    const ended = await runPlan({
      ...{ now, journal: forgetful, signal: this.#signal },
      // What is performed are the steps of the operation: the command of a step is found by its place in the plan.
      operation: { ...operation, steps: operation.steps.filter(({ command }) => isPlayed(command)) },
      plan: { ...plan, commands: plan.commands.filter(isPlayed), undo: [] },
      perform: this.#perform(),
      onStep: (step) => this.#mailbox.receive('stepped', { operation: step }),
    })
    void this.#mailbox.receive('ended', { operation: ended })
    return true
  }

  get #state(): ClusterState {
    return this.#mailbox.state()
  }

  #refuse(): void {
    if (this.#primary === undefined) return
    const error = { code: 'sql-refused', message: 'rehearsed' }
    const reading = { server: this.#primary, at: this.#now, tookMs: 0, observation: 'refused', error } as const
    void this.#mailbox.receive('observed', { reading })
  }

  #testify(): void {
    for (const [server, state] of this.#imagined)
      if (server !== this.#primary) this.#observe({ server, at: this.#now, state })
  }

  #observe(seen: { readonly server: ServerId; readonly at: number; readonly state: ServerState }): void {
    void this.#mailbox.receive('observed', { reading: readingOf(this.#state, seen) })
  }

  #perform() {
    const server = (id: ServerId) => this.#server(id)
    return createPerform({
      ...{ cluster: this.#state.name, directory: '', server, now },
      sessions: rehearsedSessions(server, ({ host, port }) => this.#isPrimary(host, port)),
      settings: () => effectSettings(this.#state),
      proxies: () => [],
      proxyTarget: () => ({ readers: [] }),
      reprobe: async ({ proof = false, outdated = false }) => (outdated ? ok('') : this.#reprobe(proof)),
      mayOpen: async () => done,
      observed: (seen) => this.#observe(seen),
      crashRecorded: () => undefined,
      probeSlowly: async () => undefined,
      tripMs: nearby,
      waits: () => undefined,
      log: () => undefined,
    })
  }

  #reprobe(proof: boolean): Result<string> {
    this.#now += SECOND / 20
    if (proof) this.#refuse()
    void this.#mailbox.receive('tick', {})
    return ok(judgeFailover(situationOf(this.#state, this.#now)).evidence)
  }

  #isPrimary(host: string, port: number): boolean {
    const primary = findServer(this.#state.snapshot, this.#primary)
    return primary?.host === host && primary.port === port
  }

  #server(id: ServerId): EffectServer | undefined {
    const server = effectServer(this.#state, id)
    // Imagined servers are reached at one address.
    return server && { ...server, sources: [server.spec], dialect: this.#dialect(id, server.dialect) }
  }

  /** Its statements have their effect on what is imagined of the server. */
  #dialect(id: ServerId, dialect: Dialect): Dialect {
    const change = (name: string, alter: (channel: Channel) => readonly Channel[]) => {
      const state = this.#imagined.get(id)
      const of = (channel: Channel) => (channel.name === name ? alter(channel) : [channel])
      if (state) this.#imagined.set(id, { ...state, channels: state.channels.flatMap(of) })
    }
    return {
      ...dialect,
      parseFastProbe: (rows, known) => this.#imagined.get(id) ?? dialect.parseFastProbe(rows, known),
      stopReceiving: (name) => {
        change(name, (channel) => [{ ...channel, io: 'stopped' }])
        return dialect.stopReceiving(name)
      },
      forgetSource: (name) => {
        change(name, () => [])
        return dialect.forgetSource(name)
      },
      changeSource: (name, source) => {
        const { host, port } = source
        change(name, (channel) => [
          {
            ...channel,
            source: { ...channel.source, host, port },
            io: 'running',
            sql: 'running',
            readFile: 'rehearsed',
          },
        ])
        return dialect.changeSource(name, source)
      },
    }
  }
}

/** A replica whose source is gone and that has applied all it received. */
const cutOff = (state: ServerState): ServerState => ({
  ...state,
  channels: state.channels.map((channel) => ({
    ...channel,
    io: 'connecting',
    sql: 'running',
    ioError: { code: 2003, message: '' },
    received: state.gtid.executed,
  })),
})

const forgetful: Journal = {
  write: async () => done,
  sync: async () => done,
  append: async () => done,
  readUnfinished: async () => ok(undefined),
  history: async () => ok([]),
  compact: async () => done,
  close: async () => undefined,
}
