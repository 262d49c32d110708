// The end of a refill by a stored backup: no events of a primary, and the position of the copy, so it is a replica that was behind.
import { ok, type Result } from '../../base/result.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { ensureWholeList } from '../../connect/sql/whole-list.js'
import { disableEvent, setRefillPosition, setScheduler } from '../../dialect/refill/refill.js'
import type { Flavour } from '../../model/server/version.js'
import { forgetHistory } from './empty-server.js'
import { named, openUnlogged, rowsOf, runAll } from './kit/session.js'
import type { PlaceServer, ReturnAnswer } from './kit/work.js'

export async function placeServer({ server, position, scheduled }: PlaceServer): Promise<Result<ReturnAnswer>> {
  const opened = await openUnlogged(server)
  if (!opened.ok) return opened
  try {
    const placed = await place(opened.value, server.flavour, position)
    if (!placed.ok) return placed
    if (scheduled) await runAll(opened.value, [setScheduler(true)])
    return ok({ text: `${server.name} is at ${position}` })
  } finally {
    opened.value.close()
  }
}

/** The last step: with a position it is a replica that was behind. Its events are those of a primary until they are disabled. */
export async function place(session: SqlSession, flavour: Flavour, position: string): Promise<Result<unknown>> {
  const disabled = await disableEvents(session)
  if (!disabled.ok) return disabled
  const forgotten = await forgetHistory(session, flavour)
  return forgotten.ok ? session.run(setRefillPosition(flavour), [position], 60_000) : forgotten
}

async function disableEvents(session: SqlSession): Promise<Result<unknown>> {
  const whole = await ensureWholeList(session, 'events')
  if (!whole.ok) return whole
  const found = await rowsOf(
    session,
    "SELECT EVENT_SCHEMA AS s, EVENT_NAME AS e FROM information_schema.EVENTS WHERE STATUS = 'ENABLED'",
  )
  if (!found.ok) return found
  return runAll(
    session,
    found.value.map(({ s, e }) => disableEvent(named(String(s)), named(String(e)))),
  )
}
