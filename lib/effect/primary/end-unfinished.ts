// Ends the writes that are under way on a server being fenced. They would hold up the fence for as long as they take; and
// those that wait for a replica, which no replica follows any more, would finally be reported as committed.
import type { Result } from '../../base/result.js'
import { sleep } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'
import type { ServerId } from '../../model/server/server.js'
import type { Run } from '../kit/context.js'
import { execute, memberOf } from '../kit/statements.js'

/** A fence that is through by then was not blocked. */
const PATIENCE_MS = 10
const ROUND_MS = 5

/**
 * Works until `closing`, which waits for running writes, has ended, and once more after it. Their clients get no
 * answer. Answers how many were ended.
 */
export async function endUnfinished(run: Run, server: ServerId, closing: Promise<Result<unknown>>): Promise<number> {
  let result: Result<unknown> | undefined
  const settled = closing.then((answer) => {
    result = answer
  })
  const ended = new Set<number>()
  await Promise.race([settled, sleep(PATIENCE_MS)])
  if (result) return result.ok ? endRound(run, { server, ended }) : 0
  const opened = await run.context.sessions.extra(server, run.remaining())
  if (!opened.ok) return 0
  const round = { server, ended, session: opened.value }
  for (let last = false; !last && run.remaining() > 0; await Promise.race([settled, sleep(ROUND_MS)])) {
    last = result !== undefined
    const found = await endRound(run, round)
    if (found === 0 && !last) await release(run, round)
  }
  opened.value.close()
  return ended.size
}

interface Round {
  readonly server: ServerId
  readonly session?: SqlSession
  /** Sessions that were ended; one may wait on for a while. */
  readonly ended: Set<number>
}

/** Answers how many it found that were not ended yet. */
async function endRound(run: Run, { ended, ...on }: Round): Promise<number> {
  const member = memberOf(run, on.server)
  if (!member.ok) return 0
  const { dialect } = member.value
  const found = await execute(run, { ...on, late: true, statements: [dialect.unfinishedWrites()] })
  const ids = found.ok ? (found.value[0] ?? []).map(({ id }) => Number(id)) : []
  const fresh = ids.filter((id) => !ended.has(id))
  for (const id of fresh) {
    await execute(run, { ...on, late: true, statements: [dialect.killSession(id)] })
    ended.add(id)
  }
  return fresh.length
}

/**
 * No client is left that could receive a commit as confirmed: those that still wait may continue, so that the fence can. Where
 * no session waits the source side stays on, since a fence that something else holds up may fail, and clients write on.
 */
async function release(run: Run, { ended: _, ...on }: Round): Promise<void> {
  const member = memberOf(run, on.server)
  if (!member.ok) return
  const { dialect } = member.value
  const waiting = await execute(run, { ...on, late: true, statements: [dialect.waitingCommits()] })
  const statements = dialect.releaseCommits()
  if (!waiting.ok || !waiting.value[0]?.length || statements.length === 0) return
  await execute(run, { ...on, late: true, statements })
}
