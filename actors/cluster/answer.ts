// Answers what the outside asks: from the behaviour, or by something that takes time and leaves the mailbox free.
import { fail, ok, type Result } from '../../lib/base/result.js'
import { findServer } from '../../lib/model/snapshot.js'
import type { ClusterProtocol } from '../protocol/cluster.js'
import { performAct } from './operations/acts.js'
import type { Remembering } from './operations/pauses.js'
import { changePrimary, performNow } from './operations/perform.js'
import { permitRotation, type RotationCore, stepRotation } from './operations/rotate.js'
import { readConfiguration, runStatements } from './reads/configuration.js'
import type { Explainer } from './reads/explain.js'
import { killStatements } from './reads/kill.js'
import { readBusy, readLive } from './reads/live.js'
import type { CookieWatch } from './services/cookies.js'
import { formGroup } from './services/group.js'
import type { Rolling } from './services/rolling.js'
import type { Services } from './services/services.js'
import type { ClusterCore } from './state/core.js'
import { waitDatabases } from './watch/wait-databases.js'

type In<T extends keyof ClusterProtocol> = ClusterProtocol[T]['in']

/** The parts that answer. */
export interface Answering extends Remembering, RotationCore {
  readonly cookies: CookieWatch
  readonly services: Services
  readonly rolling: Rolling
  readonly explainer: Explainer
}

export async function answer(
  actor: Answering,
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
    case 'stop-replication': {
      const { server } = payload as In<'start-replication'>
      // Whatever the manager was about to do: from now on it is as the person wants it.
      actor.tell('keep-pause', { server })
      return performNow(actor, { type, server })
    }
    case 'act':
      return performAct(actor, payload as In<'act'>)
    case 'optimize':
      return actor.services.optimize(payload as In<'optimize'>)
    case 'run-service':
      return actor.services.run(payload as In<'run-service'>)
    case 'run-services':
      return actor.services.runAll(payload as In<'run-services'>)
    case 'form-group':
      return formGroup(actor, payload as In<'form-group'>)
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

async function toggleReadOnly(actor: ClusterCore, { server }: In<'toggle-read-only'>): Promise<Result<boolean>> {
  const member = findServer(actor.state.snapshot, server)
  if (!member?.state || member.observation !== 'answered')
    return fail('sql-silent', `${member?.name ?? server} does not answer`)
  const closing = !member.state.readOnly
  const done = await performNow(actor, { type: closing ? 'make-read-only' : 'make-writable', server })
  return done.ok ? ok(closing) : done
}
