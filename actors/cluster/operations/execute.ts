// Performs what handlers asked for: one entry per command, exhaustive.

import { findServer } from '../../../lib/model/snapshot.js'
import type { Command } from '../../../lib/model/work/command.js'
import type { Publisher } from '../publish/publish.js'
import type { CookieWatch } from '../services/cookies.js'
import type { Rolling } from '../services/rolling.js'
import type { ClusterCore } from '../state/core.js'
import type { ActorCommand } from '../state/state.js'
import type { Keeper } from './remember.js'
import { notifyFinding, notifyProxy, notifyState } from './scripts.js'

/** The parts that commands work on. */
export interface Executing extends ClusterCore {
  readonly cookies: CookieWatch
  readonly keeper: Keeper
  readonly publisher: Publisher
  readonly rolling: Rolling
  urgent(command: Command): Promise<void>
  reconfigured(): void
  alignProxies(): void
}

type Perform<T extends ActorCommand['type']> = (actor: Executing, command: Extract<ActorCommand, { type: T }>) => void

const entries: { readonly [T in ActorCommand['type']]: Perform<T> } = {
  operate: ({ operations }, { operation, plan }) => operations.begin(operation, plan),
  abort: ({ operations }) => operations.abort(),
  emit: ({ context }, { events }) => {
    for (const event of events) context.emit(event)
  },
  persist: ({ keeper }) => keeper.save(),
  publish: ({ publisher, state }) => publisher.publish(state),
  perform: (actor, { command }) => void actor.urgent(command),
  'look-now': ({ watch }) => watch.hurry(),
  watch: (actor, { settled = false }) => {
    actor.reconfigured()
    actor.cookies.reconfigured(settled)
    actor.rolling.look()
  },
  'notify-finding': (actor, { finding, opened }) => notifyFinding(actor, finding, opened),
  'notify-state': (actor, { server, from, to }) => {
    const member = findServer(actor.state, server)
    if (member) notifyState(actor, member, { from, to })
  },
  'notify-proxy': notifyProxy,
  'align-proxies': (actor) => actor.alignProxies(),
}

export function execute(actor: Executing, command: ActorCommand): void {
  const perform = entries[command.type] as Perform<typeof command.type>
  perform(actor, command as never)
}
