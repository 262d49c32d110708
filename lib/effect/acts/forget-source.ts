// Ends every replication channel of a server and forgets its source.
import { fail, ok, type Result } from '../../base/result.js'
import { addressText } from '../../model/server.js'
import type { ActAnswer } from '../../model/server-act.js'
import type { Desk } from './desk.js'

export async function forgetSource(desk: Desk): Promise<Result<ActAnswer>> {
  const before = await desk.look()
  if (!before.ok) return before
  const { channels } = before.value
  if (channels.length === 0) return fail('not-replicating', `${desk.name} replicates from nobody`)
  for (const { name } of channels) {
    const { dialect } = desk
    const forgotten = await desk.run([...dialect.stopReplication(name), ...dialect.forgetSource(name)])
    if (!forgotten.ok) return forgotten
  }
  const after = await desk.look()
  if (!after.ok) return after
  const [left] = after.value.channels
  if (left) return fail('wrong-state', `${desk.name} still follows ${addressText(left.source)}`)
  const sources = channels.map(({ source }) => addressText(source)).join(', ')
  return ok({ text: `${desk.name}: it follows nobody any more (${sources} before)` })
}
