// Performs what handlers asked for: one row per command.

import type { Result } from '../../lib/base/result.js'
import { readConfiguration, runStatements } from '../../lib/effect/reads/configuration.js'
import { inspectAccounts } from '../../lib/effect/rotation/accounts.js'
import type { Command } from '../../lib/model/operation/command.js'
import { findServer } from '../../lib/model/snapshot.js'
import type { Operations } from './operations/operations.js'
import type { Keeper } from './operations/remember.js'
import { type Commanding, runCommand } from './operations/run-command.js'
import { type Notifying, notifyFinding, notifyProxy, notifyState } from './operations/script-notices.js'
import type { Publisher } from './publish/publish.js'
import { kill } from './requests/kill.js'
import { planWork } from './requests/plan-work.js'
import { explainStatement, type Reading, readBusy, readLive } from './requests/reads.js'
import { type Rotating, rotate } from './requests/rotation.js'
import { type Acting, endMaintenance, performAct } from './requests/server-acts.js'
import type { Appointments } from './services/appointments.js'
import type { CookieWatch } from './services/cookies.js'
import { formGroup } from './services/group.js'
import type { JobBook } from './services/jobs.js'
import type { Rolling } from './services/rolling.js'
import type { Services } from './services/services.js'
import type { ActorCommand, DeferredCommand, Request } from './state/command.js'
import { commandEffects, isDry, isObserved, observing } from './state/observed.js'
import type { Watch } from './watch/watch.js'
import type { Captures } from './watching/captures.js'

/** The parts that commands work on. */
export interface Executing extends Acting, Commanding, Notifying, Reading, Rotating {
  readonly captures: Pick<Captures, 'opened'>
  readonly cookies: CookieWatch
  readonly jobs: JobBook
  readonly keeper: Keeper
  readonly operations: Operations
  readonly publisher: Publisher
  readonly appointments: Appointments
  readonly rolling: Rolling
  readonly services: Services
  readonly watch: Watch
  urgent(command: Command): Promise<void>
  reconfigured(): void
  alignProxies(): void
  /** Gives the reply of a message that was deferred. */
  settle(reply: number, result: Result<unknown>): void
}

type Immediate = Exclude<ActorCommand, DeferredCommand>
type Perform<T extends Immediate['type']> = (actor: Executing, command: Extract<Immediate, { type: T }>) => void
type Answer<T extends Request['type']> = (
  actor: Executing,
  request: Extract<Request, { type: T }>,
) => Promise<Result<unknown>>

const effects: { readonly [T in Immediate['type']]: Perform<T> } = {
  operate: ({ operations }, { operation, plan }) => operations.begin(operation, plan),
  abort: ({ operations }) => operations.abort(),
  emit: ({ context }, { events }) => {
    for (const event of events) context.emit(event)
  },
  persist: ({ keeper }) => keeper.save(),
  publish: ({ publisher, state }) => publisher.publish(state),
  perform: (actor, { command }) => void actor.urgent(command),
  'probe-now': ({ watch }) => watch.hurry(),
  reconfigure: (actor, { settled = false }) => {
    actor.reconfigured()
    actor.cookies.reconfigured(settled)
    actor.rolling.reconfigured()
  },
  'notify-finding': (actor, { finding, opened }) => notifyFinding(actor, finding, opened),
  capture: ({ captures }, { finding }) => captures.opened(finding),
  'notify-state': (actor, { server, from, to }) => {
    const member = findServer(actor.state.snapshot, server)
    if (member) notifyState(actor, member, { from, to })
  },
  'notify-proxy': notifyProxy,
  'align-proxies': (actor) => actor.alignProxies(),
  'reply-probed': (actor, { reply, result }) => {
    void actor.watch.probeAll().then(() => actor.settle(reply, result))
  },
}

/** Their outcome is the reply. */
const answers: { readonly [T in Request['type']]: Answer<T> } = {
  'run-command': async (actor, { command, value }) => {
    const done = await runCommand(actor, command)
    return done.ok ? { ok: true, value } : done
  },
  'end-maintenance': endMaintenance,
  act: performAct,
  kill,
  'run-statements': (_, { server, statements }) => runStatements(server, statements),
  'read-configuration': (_, { server }) => readConfiguration(server),
  read: readLive,
  'read-busy': readBusy,
  explain: explainStatement,
  'describe-service': ({ services }, { service }) => services.describe(service),
  'read-option-files': ({ services }, { service }) => services.readOptionFiles(service),
  'read-job': ({ jobs }, { id }) => jobs.read(id),
  'change-cookies': ({ cookies }, change) => cookies.change(change),
  optimize: ({ services }, request) => services.optimize(request),
  'run-service': ({ services }, request) => services.run(request),
  'run-services': ({ services }, request) => services.runAll(request),
  'form-group': formGroup,
  'plan-work': planWork,
  'schedule-switchover': ({ appointments }, request) => appointments.schedule(request),
  'cancel-switchover': ({ appointments }, request) => appointments.cancel(request),
  'begin-roll': ({ rolling }, request) => rolling.begin(request),
  'cancel-roll': ({ rolling }, request) => rolling.cancel(request),
  'inspect-accounts': (_, { servers, ...request }) => inspectAccounts(servers, request),
  rotate,
}

/** The boundary of the actor: where the cluster is observed, no command that changes anything passes. */
export function execute(actor: Executing, command: ActorCommand): void {
  if (commandEffects[command.type] === 'changes' && isObserved(actor.state) && !isDry(command)) {
    if (isDeferred(command)) actor.settle(command.reply, observing(actor.state.name))
    return
  }
  if (isDeferred(command)) void answer(actor, command)
  else (effects[command.type] as Perform<typeof command.type>)(actor, command as never)
}

const isDeferred = (command: ActorCommand): command is DeferredCommand => command.type in answers

/** What throws is a fault of the actor: the kernel restarts it. */
async function answer(actor: Executing, { reply, ...request }: DeferredCommand): Promise<void> {
  const perform = answers[request.type] as Answer<typeof request.type>
  actor.settle(reply, await perform(actor, request as never))
}
