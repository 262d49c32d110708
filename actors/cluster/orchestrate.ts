// Starts and stops a server on request: through the orchestrator, or by flags and SQL where the host acts itself.
import path from 'node:path'
import { done, fail, type Result } from '../../lib/base/result.js'
import { now, SECOND } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/mysql2-session.js'
import type { ServerId } from '../../lib/model/server.js'
import { findServer, type ServerSnapshot } from '../../lib/model/snapshot.js'
import { exportSettings } from '../../lib/settings/settings.js'
import { setCookie } from '../../lib/store/index.js'
import type { ClusterActor } from './actor.js'
import { targetOf } from './wires.js'

type Action = 'start' | 'stop'

const DEADLINE_MS = 60 * SECOND
const SHUTDOWN_MS = 10 * SECOND

/** Settles when it is done, or with why it could not be; both are in the log. */
export async function orchestrate(actor: ClusterActor, server: ServerId, action: Action): Promise<Result<void>> {
  const member = findServer(actor.state, server)
  if (!member) return fail('unknown-server', `${actor.init.name} has no server ${server}`)
  const orchestrator = actor.outlets.orchestrator({ ...actor.init, settings: exportSettings(actor.state.settings) })
  const signal = AbortSignal.any([actor.context.signal, AbortSignal.timeout(DEADLINE_MS)])
  const result = orchestrator
    ? await orchestrator[action](member, signal)
    : await withoutOrchestrator(actor, member, action)
  const text = `${action} of ${member.name} ${result.ok ? 'done' : `failed: ${result.failure.message}`}`
  actor.tell('noted', { level: result.ok ? 'INFO' : 'ERROR', text, now: now() })
  actor.watch.hurry()
  void actor.cookies.read()
  return result
}

/** The host's own agent polls `need-start`; a stop is a clean shutdown over SQL. */
async function withoutOrchestrator(actor: ClusterActor, member: ServerSnapshot, action: Action): Promise<Result<void>> {
  if (action === 'start')
    return setCookie(path.join(actor.init.directory, `${member.host}_${member.port}`), 'waitstart')
  const session = await openSession(targetOf(member, actor.state))
  if (!session.ok) return fail(session.failure.code, `cannot shut it down: ${session.failure.message}`)
  const stopped = await session.value.run('SHUTDOWN', [], SHUTDOWN_MS)
  session.value.close()
  return stopped.ok || stopped.failure.code === 'sql-refused' ? done : stopped
}
