// Performs what handlers asked for: one row per command.

import { fail, type Result } from '../../lib/base/result.js'
import { readConfiguration, runStatements } from '../../lib/effect/reads/configuration.js'
import { inspectAccounts } from '../../lib/effect/rotation/accounts.js'
import type { Command } from '../../lib/model/operation/command.js'
import { findServer } from '../../lib/model/snapshot.js'
import type { Backups } from './backups/backups.js'
import type { JobQueue } from './backups/queue.js'
import type { Recovery } from './backups/recovery.js'
import type { Benchmarks } from './benchmark/benchmarks.js'
import type { Checksums } from './checksums/checksums.js'
import type { Schemas } from './checksums/schemas.js'
import type { HostJobs } from './hosts/host-jobs.js'
import type { HostTasks } from './hosts/hosts.js'
import type { Operations } from './operations/operations.js'
import type { Keeper } from './operations/remember.js'
import { type Commanding, runCommand } from './operations/run-command.js'
import { type Notifying, notifyFinding, notifyProxy, notifyState } from './operations/script-notices.js'
import type { Publisher } from './publish/publish.js'
import type { Recorder } from './recording/recorder.js'
import type { ClusterRecovery } from './recovery/cluster-recovery.js'
import type { NewServers } from './recovery/new-servers.js'
import { kill } from './requests/kill.js'
import { planWork } from './requests/plan-work.js'
import { explainStatement, type Reading, readBusy, readLive, readSent } from './requests/reads.js'
import { type Rotating, rotate } from './requests/rotation.js'
import { type Acting, endMaintenance, performAct } from './requests/server-acts.js'
import type { Returns } from './returns/returns.js'
import type { Appointments } from './services/appointments.js'
import type { CookieWatch } from './services/cookies.js'
import { formGroup } from './services/group.js'
import type { JobBook } from './services/jobs.js'
import type { Rolling } from './services/rolling.js'
import type { Services } from './services/services.js'
import type { ActorCommand, DeferredCommand, Request } from './state/message/command.js'
import { observing, passes } from './state/step/observed.js'
import type { Trials } from './trials/trials.js'
import type { Watch } from './watch/watch.js'
import type { Captures } from './watching/captures.js'
import type { SeriesWatch } from './watching/series.js'

/** The parts that commands work on. */
export interface Executing extends Acting, Commanding, Notifying, Reading, Rotating {
  readonly captures: Pick<Captures, 'opened'>
  readonly series: Pick<SeriesWatch, 'read'>
  readonly recorder: Pick<Recorder, 'read'>
  readonly cookies: CookieWatch
  readonly jobs: JobBook
  readonly hosts: HostTasks
  readonly hostJobs: HostJobs
  readonly backups: Backups
  readonly checksums: Checksums
  readonly schemas: Schemas
  readonly recovery: Recovery
  readonly benchmarks: Benchmarks
  readonly trials: Trials
  readonly queue: JobQueue
  readonly returns: Returns
  readonly wholeRecovery: ClusterRecovery
  readonly newServers: NewServers
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
  operate: ({ operations, backups }, { operation, plan }) => {
    backups.operationBegins(operation)
    operations.begin(operation, plan)
  },
  abort: ({ operations }) => operations.abort(),
  emit: ({ context }, { events }) => {
    for (const event of events) context.emit(event)
  },
  persist: ({ keeper }) => keeper.save(),
  publish: ({ publisher, state }) => publisher.publish(state),
  'note-answer': ({ publisher, state }, { server }) => publisher.noteAnswer(state, server),
  perform: (actor, { command }) => void actor.urgent(command),
  'probe-now': ({ watch }) => watch.hurry(),
  'try-login': ({ watch }, { server, limitMs }) => watch.tryLogin(server, limitMs),
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
  'read-kept': readSent,
  explain: explainStatement,
  'describe-service': ({ services }, { service }) => services.describe(service),
  'read-option-files': ({ services }, { service }) => services.readOptionFiles(service),
  'read-series': ({ series }, request) => series.read(request),
  'read-recording': ({ recorder }, { from, until }) =>
    recorder.read({ ...(from === undefined ? {} : { from }), ...(until === undefined ? {} : { until }) }),
  'read-job': ({ jobs }, { id }) => jobs.read(id),
  'cancel-job': async ({ queue }, { user, job, task, server }) =>
    job !== undefined
      ? queue.cancel({ job }, user)
      : task === undefined
        ? fail('bad-request', 'neither a job nor a task is named')
        : queue.cancel({ task, ...(server === undefined ? {} : { server }) }, user),
  'begin-host-job': ({ hostJobs }, request) => hostJobs.begin(request),
  'ask-host-order': async ({ hosts }, { server, task, ask }) => {
    if (ask.type === 'wanted') return hosts.wanted(server, task)
    if (ask.type === 'take') return hosts.take(server, task)
    const reported = await hosts.report(server, task, ask.report)
    return reported.ok ? { ok: true, value: 'noted' } : reported
  },
  'host-log': ({ hosts }, { server, task, proof }) => hosts.logged(server, task, proof),
  'begin-backup': ({ backups }, { order, ...request }) => backups.ask(order, request),
  'begin-benchmark': ({ benchmarks }, request) => benchmarks.begin(request),
  'begin-trials': ({ trials }, request) => trials.begin(request),
  'read-trials': ({ trials }) => trials.report(),
  'begin-recovery': async (actor, { wish, ...request }) => {
    const reached = await actor.wholeRecovery.reaches(wish)
    return reached.ok ? actor.recovery.ask(wish, request) : reached
  },
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
  'plan-return': ({ returns }, request) => returns.plan(request),
  'begin-return': ({ returns }, request) => returns.ask(request),
  'cancel-return': async ({ returns }, request) => returns.cancel(request),
  'read-divergence': ({ returns }, request) => returns.divergences.read(request),
  'plan-divergence': ({ returns }, request) => returns.divergences.plan(request),
  'settle-divergence': ({ returns }, request) => returns.divergences.settle(request),
  'begin-checksum': ({ checksums }, request) => checksums.ask(request),
  'plan-table-repair': ({ checksums }, request) => checksums.repairs.plan(request),
  'begin-table-repair': ({ checksums }, request) => checksums.repairs.begin(request),
  'begin-schema-scan': ({ schemas }, request) => schemas.ask(request),
  'read-schema': ({ schemas }) => schemas.read(),
  'read-checksums': ({ checksums }) => checksums.list(),
  'read-checksum': ({ checksums }, { schema, table }) => checksums.show({ schema, table }),
  'plan-cluster-recovery': ({ wholeRecovery }, { wish }) => wholeRecovery.plan(wish),
  'begin-cluster-recovery': ({ wholeRecovery }, request) => wholeRecovery.ask(request),
  'release-cluster-recovery': ({ wholeRecovery }, request) => wholeRecovery.release(request),
  'plan-new-server': ({ newServers }, request) => newServers.plan(request),
  'enter-new-server': ({ newServers }, request) => newServers.enter(request),
  'make-new-server': ({ newServers }, request) => newServers.make(request),
  'await-new-server': ({ newServers }, request) => newServers.ended(request),
  'unmake-new-server': ({ newServers }, request) => newServers.unmake(request),
  'forget-new-server': ({ newServers }, request) => newServers.forget(request),
  'search-logs': ({ wholeRecovery }, request) => wholeRecovery.search(request),
  'inspect-accounts': (_, { servers, ...request }) => inspectAccounts(servers, request),
  rotate,
}

/** The boundary of the actor: where the cluster is observed, no command that changes anything passes; beside a manager that acts none that notifies. */
export function execute(actor: Executing, command: ActorCommand): void {
  if (!passes(actor.state, command)) {
    if (isDeferred(command)) actor.settle(command.reply, observing(actor.state))
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
