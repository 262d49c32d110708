// Makes a server forget whom it followed and what it logged; its data stay.
import { fail, ok } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import type { Effect } from '../kit/context.js'
import { execute, memberOf, readServer } from '../kit/statements.js'
import { ANSWER_MS } from '../primary/positions.js'
import { isNoChannel } from '../primary/promote.js'

/** A binary log that is still read cannot be deleted: the reader is gone in a moment. */
const AGAIN_MS = 200

export const forgetHistory: Effect<'forget-history'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const before = await readServer(run, server)
  if (!before.ok) return before
  const { foreign = [] } = member.value.replication ?? {}
  const elsewhere = before.value.channels.filter(({ name }) => foreign.includes(name)).map(({ name }) => name)
  if (elsewhere.length > 0)
    return fail('wrong-state', `${spec.name} also replicates from another cluster: channel ${elsewhere.join(', ')}`)
  for (const { name } of before.value.channels) {
    const statements = [...dialect.stopReplication(name), ...dialect.forgetSource(name)]
    const answer = await execute(run, { server, statements })
    if (!answer.ok && !isNoChannel(answer.failure)) return answer
  }
  for (;;) {
    const answer = await execute(run, { server, statements: dialect.forgetHistory() })
    if (answer.ok) return ok(`${spec.name} has no source and has no binary logs of before`)
    if (answer.failure.code !== 'sql-failed' || run.remaining() <= AGAIN_MS + ANSWER_MS || run.signal.aborted)
      return fail(answer.failure.code, answer.failure.message)
    await sleep(AGAIN_MS, run.signal)
  }
}
