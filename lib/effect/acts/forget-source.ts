// Ends every replication channel of a server and forgets its source.
import { done, fail, ok, type Result } from '../../base/result.js'
import type { Channel } from '../../model/server/reading.js'
import { addressText } from '../../model/server/server.js'
import type { ActAnswer } from '../../model/server/server-act.js'
import type { ActSession } from './act-session.js'
import type { Pauses } from './pauses.js'

/** One that is cut short goes on replicating. */
export async function forgetSource(session: ActSession, pauses: Pauses): Promise<Result<ActAnswer>> {
  const before = await session.read()
  if (!before.ok) return before
  const { channels } = before.value
  if (channels.length === 0) return fail('not-replicating', `${session.name} does not replicate`)
  const { id } = session.server.spec
  const running = channels.filter(({ sql }) => sql !== 'stopped').map(({ name }) => name)
  const kept = running.length === 0 ? done : await pauses.begin(id, running)
  if (!kept.ok) return kept
  const forgotten = await forgetAll(session, channels)
  if (running.length > 0) pauses.end(id, forgotten.ok ? undefined : running)
  if (!forgotten.ok) return forgotten
  const after = await session.read()
  if (!after.ok) return after
  const [left] = after.value.channels
  if (left) return fail('wrong-state', `${session.name} still follows ${addressText(left.source)}`)
  const sources = channels.map(({ source }) => addressText(source)).join(', ')
  return ok({ text: `${session.name}: it has no source any more (${sources} before)` })
}

async function forgetAll({ dialect, run }: ActSession, channels: readonly Channel[]): Promise<Result<void>> {
  for (const { name } of channels) {
    const forgotten = await run([...dialect.stopReplication(name), ...dialect.forgetSource(name)])
    if (!forgotten.ok) return forgotten
  }
  return done
}
