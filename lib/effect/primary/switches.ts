// What is switched on or off on one server, and the statement that gives a new primary its first own transaction.
import { ok } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import { quoteIdentifier } from '../../dialect/index.js'
import type { Effect } from '../kit/context.js'
import { execute, memberOf } from '../kit/statements.js'

/** The sides to enable; a source without replicas does not wait only if its configuration allows that. */
export const setSemiSync: Effect<'set-semi-sync'> = async ({ server, source, replica, waitMs }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  if (dialect.capabilities.semiSync === 'none') return ok(`${spec.name} has no semi-synchronous replication`)
  const wait = waitMs === undefined ? {} : { timeoutMs: waitMs }
  const answer = await execute(run, { server, statements: dialect.setSemiSync({ source, replica, ...wait }) })
  const waits = waitMs === undefined ? '' : `, timeout ${waitMs} ms`
  const sides = `source ${source ? 'on' : 'off'}, replica ${replica ? 'on' : 'off'}${waits}`
  return answer.ok ? ok(`semi-synchronous replication of ${spec.name}: ${sides}`) : answer
}

/** Longest wait for the probe that shows what was set; the next probe follows automatically. */
const PROBE_MS = 3 * SECOND

export const setVariables: Effect<'set-variables'> = async ({ server, values }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const assignments = Object.entries(values)
  const statements = assignments.map(([name, value]) => ({
    sql: `SET GLOBAL ${quoteIdentifier(name)} = ?`,
    values: [/^\d+$/.test(value) ? Number(value) : value],
  }))
  const answer = await execute(run, { server, statements })
  if (!answer.ok) return answer
  await Promise.race([run.context.probeSlowly(server), sleep(Math.min(PROBE_MS, run.remaining()), run.signal)])
  return ok(`${member.value.spec.name}: ${assignments.map(([name, value]) => `${name}=${value}`).join(', ')}`)
}

export const markPrimary: Effect<'mark-primary'> = async ({ server }, run) => {
  const member = memberOf(run, server)
  if (!member.ok) return member
  const { spec, dialect } = member.value
  const answer = await execute(run, { server, statements: dialect.markPrimary() })
  return answer.ok ? ok(`${spec.name} wrote a transaction`) : answer
}
