// Answers what the outside asks: from the behaviour, or by something that takes time and leaves the mailbox free.
import { withDeadline } from '../../lib/base/deadline.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { SECOND, sleep } from '../../lib/base/time.js'
import type { Command } from '../../lib/model/command.js'
import type { Operation } from '../../lib/model/operation.js'
import { findServer } from '../../lib/model/snapshot.js'
import type { ClusterProtocol } from '../protocol/cluster.js'
import type { ClusterActor } from './actor.js'
import { performAct } from './acts.js'
import { readConfiguration, runStatements } from './configuration.js'
import { killStatements } from './kill.js'
import { readBusy, readLive } from './live.js'
import { isMinor } from './operation.js'
import { permitRotation, stepRotation } from './rotate.js'
import { waitDatabases } from './wait-databases.js'

type In<T extends keyof ClusterProtocol> = ClusterProtocol[T]['in']

/** How long a request waits for a minor operation to get out of the way. */
const MAKE_WAY_MS = 3 * SECOND
/** Longest time of a single command. */
const COMMAND_MS = 10 * SECOND

export async function answer(
  actor: ClusterActor,
  type: keyof ClusterProtocol,
  payload: unknown,
): Promise<Result<unknown>> {
  switch (type) {
    case 'switchover':
    case 'failover':
    case 'bootstrap':
    case 'cleanup':
      return changePrimary(actor, type, payload as In<'switchover'>)
    case 'start-replication':
    case 'stop-replication':
      return performNow(actor, { type, server: (payload as In<'start-replication'>).server })
    case 'act':
      return performAct(actor, payload as In<'act'>)
    case 'optimize':
      return actor.services.optimize(payload as In<'optimize'>)
    case 'run-service':
      return actor.services.run(payload as In<'run-service'>)
    case 'run-services':
      return actor.services.runAll(payload as In<'run-services'>)
    case 'begin-roll':
      return actor.rolling.begin(payload as In<'begin-roll'>)
    case 'cancel-roll':
      return actor.rolling.cancel(payload as In<'cancel-roll'>)
    case 'permit-rotation':
      return permitRotation(actor, payload as In<'permit-rotation'>)
    case 'step-rotation':
      return stepRotation(actor, payload as In<'step-rotation'>)
    case 'describe-service':
      return actor.services.describe((payload as In<'describe-service'>).service)
    case 'read-option-files':
      return actor.services.readOptionFiles((payload as In<'read-option-files'>).service)
    case 'job':
      return actor.jobs.read((payload as In<'job'>).id)
    case 'read-configuration':
      return readConfiguration(actor, (payload as In<'read-configuration'>).server)
    case 'run-statements': {
      const { server, statements } = payload as In<'run-statements'>
      return runStatements(actor, server, statements)
    }
    case 'change-cookies':
      return actor.cookies.change(payload as In<'change-cookies'>)
    case 'toggle-read-only':
      return toggleReadOnly(actor, payload as In<'toggle-read-only'>)
    case 'read':
      return readLive(actor, payload as In<'read'>)
    case 'read-busy':
      return readBusy(actor, payload as In<'read-busy'>)
    case 'wait-databases':
      return waitDatabases(actor, payload as In<'wait-databases'>)
    case 'explain-statement':
      return actor.explainer.explain(payload as In<'explain-statement'>)
    case 'kill-statement':
      return killStatements(actor, payload as In<'kill-statement'>)
    default:
      return actor.ask(type, payload as never)
  }
}

/** One command outside any operation, then a look at what it did: whoever reads next sees it. */
export async function performNow(actor: ClusterActor, command: Command): Promise<Result<void>> {
  const performed = await withDeadline(actor.context.signal, COMMAND_MS, (signal) => actor.perform(command, signal))
  await actor.watch.lookAfresh('server' in command ? command.server : undefined)
  return performed.ok ? ok(undefined) : performed
}

/** Begins an operation and, when asked to, answers only when it has ended. A minor one in the way is ended first. */
export async function changePrimary(
  actor: ClusterActor,
  type: 'switchover' | 'failover' | 'bootstrap' | 'cleanup',
  payload: { readonly wait: boolean },
): Promise<Result<unknown>> {
  const { operation: running } = actor.state
  if (running && isMinor(running)) {
    actor.operations.abort()
    const way = AbortSignal.timeout(MAKE_WAY_MS)
    while (actor.state.operation && !way.aborted) await sleep(10, way)
  }
  const begun = actor.ask(type, payload as never) as Result<{ operation: Operation }>
  if (!begun.ok || !payload.wait) return begun
  const ended = await actor.operations.wait(begun.value.operation.id)
  // Whoever reads the topology next sees what the operation has made.
  await actor.watch.lookAtAll()
  return ended.ok ? ok({ operation: ended.value }) : ended
}

async function toggleReadOnly(actor: ClusterActor, { server }: In<'toggle-read-only'>): Promise<Result<boolean>> {
  const member = findServer(actor.state.snapshot, server)
  if (!member?.state || member.observation !== 'answered')
    return fail('sql-silent', `${member?.name ?? server} does not answer`)
  const closing = !member.state.readOnly
  const done = await performNow(actor, { type: closing ? 'make-read-only' : 'make-writable', server })
  return done.ok ? ok(closing) : done
}
