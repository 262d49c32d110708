// Ends receiving without losing what was received: stop the I/O thread, let the SQL thread finish, catch up.
import { transactions } from '../../base/counted.js'
import { ok } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { countTransactions, subtract } from '../../model/server/gtid.js'
import type { Effect } from '../kit/context.js'
import { execute, memberOf, nameOf, parsed, readServer } from '../kit/statements.js'
import { channelName, receivedBy, untilApplied } from './positions.js'

/**
 * Reads what the server holds in the same round trip: final, but for what it applies. Takes 2 s on a semi-synchronous
 * replica of a primary that hangs: the replica tries to end its thread there first
 * (`rpl_semi_sync_*_kill_conn_timeout`); 2 ms otherwise.
 */
export const stopReceiving: Effect<'stop-receiving'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const stops = dialect.stopReceiving(channelName(run, server))
  const answer = await execute(run, { server, statements: [...stops, { sql: dialect.fastProbe, values: [] }] })
  if (!answer.ok) return answer
  const state = parsed(dialect, answer.value.slice(stops.length))
  if (!state.ok) return state
  run.notes.stopped.set(server, { at: run.startedAt, state: state.value })
  run.context.observed({ server, at: run.context.now(), state: state.value })
  return ok(`I/O thread stopped on ${spec.name}`)
}

export const applyReceived: Effect<'apply-received'> = async ({ server, upTo }, run) => {
  const startedAt = run.context.now()
  const noted = run.notes.stopped.get(server)
  run.notes.stopped.delete(server)
  const first = noted ? ok(noted.state) : await readServer(run, server)
  if (!first.ok) return first
  run.notes.followed.set(server, { at: noted?.at ?? startedAt, state: first.value })
  const wanted = upTo ?? receivedBy(run, server, first.value)
  const left = countTransactions(subtract(wanted, first.value.gtid.executed))
  const applied = await untilApplied(run, { server, wanted, state: first.value })
  if (!applied.ok) return applied
  const tookMs = Math.round(run.context.now() - startedAt)
  return ok(`${nameOf(run, server)} has applied all it received (${transactions(left)} in ${tookMs} ms)`)
}

/** No client can write while a candidate is waited for: one that hangs is given up soon, one that applies is not. */
const SILENT_MS = 2 * SECOND

/** The source is frozen, so its position does not change; read where the freeze is held, if it is. */
export const catchUp: Effect<'catch-up'> = async ({ server, source }, run) => {
  const reserved = run.context.sessions.reserved(source)
  const frozen = await readServer(run, source, reserved?.open ? reserved : undefined)
  if (!frozen.ok) return frozen
  const applied = await untilApplied(run, { server, wanted: frozen.value.gtid.executed, silentMs: SILENT_MS })
  if (!applied.ok) return applied
  run.notes.settled.set(source, frozen.value.gtid.executed)
  run.notes.followed.set(server, { at: run.startedAt, state: applied.value })
  return ok(`${nameOf(run, server)} has everything ${nameOf(run, source)} executed`)
}
