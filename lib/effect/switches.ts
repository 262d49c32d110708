// What is switched on or off on one server, and the statement that gives a new primary a transaction of its own.
import { ok } from '../base/result.js'
import type { Effect } from './context.js'
import { execute, memberOf } from './statements.js'

/** Which sides it is told; a source without replicas waits for nobody only if its configuration says so. */
export const setSemiSync: Effect<'set-semi-sync'> = async ({ server, source, replica }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  if (dialect.capabilities.semiSync === 'none') return ok(`${spec.name} has no semi-synchronous replication`)
  const answer = await execute(run, { server, statements: dialect.setSemiSync({ source, replica }) })
  const sides = `source ${source ? 'on' : 'off'}, replica ${replica ? 'on' : 'off'}`
  return answer.ok ? ok(`semi-synchronous replication of ${spec.name}: ${sides}`) : answer
}

export const setEvents: Effect<'set-events'> = async ({ server, on }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const answer = await execute(run, { server, statements: dialect.setEventScheduler(on) })
  return answer.ok ? ok(`the event scheduler of ${spec.name} is ${on ? 'on' : 'off'}`) : answer
}

export const markPrimary: Effect<'mark-primary'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const answer = await execute(run, { server, statements: dialect.markPrimary() })
  return answer.ok ? ok(`${spec.name} has a transaction of its own`) : answer
}
