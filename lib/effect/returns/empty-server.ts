// Empties a server: first its history, so that it counts as empty from then on, then its data.
import { ok, type Result } from '../../base/result.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { ensureWholeList } from '../../connect/sql/whole-list.js'
import {
  closeForRefill,
  forgetSources,
  forgetTransactions,
  newWords,
  readScheduler,
  setScheduler,
} from '../../dialect/refill/refill.js'
import { named, openUnlogged, rowsOf, runAll } from './kit/session.js'
import type { EmptyServer, Reports, ReturnAnswer, WorkServer } from './kit/work.js'

/** Not user data; the jobs of a server stay with it. */
export const kept = ['information_schema', 'performance_schema', 'mysql', 'sys', 'manager_schema']

export async function emptyServer(
  { server }: EmptyServer,
  { log }: Pick<Reports, 'log'>,
): Promise<Result<ReturnAnswer>> {
  const opened = await openUnlogged(server)
  if (!opened.ok) return opened
  try {
    const scheduler = await rowsOf(opened.value, readScheduler)
    if (!scheduler.ok) return scheduler
    const scheduled = scheduler.value[0]?.scheduler === 'ON'
    if (scheduled) await runAll(opened.value, [setScheduler(false)])
    const emptied = await empty(opened.value, server, log)
    return emptied.ok ? ok({ text: `${server.name} is empty`, scheduled }) : emptied
  } finally {
    opened.value.close()
  }
}

/** Until a position is set again the server holds no transaction by any account: it is neither elected nor opened. */
export async function empty(
  session: SqlSession,
  { flavour }: Pick<WorkServer, 'flavour'>,
  log: Reports['log'],
): Promise<Result<void>> {
  const whole = await ensureWholeList(session, 'schemas')
  if (!whole.ok) return whole
  const closed = await runAll(session, closeForRefill(flavour))
  const forgotten = closed.ok ? await forgetHistory(session, flavour) : closed
  if (!forgotten.ok) return forgotten
  const list = kept.map((name) => `'${name}'`).join(', ')
  const found = await rowsOf(
    session,
    `SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN (${list})`,
  )
  if (!found.ok) return found
  const names = found.value.map(({ name }) => String(name))
  const drops = names.map((name) => `DROP DATABASE IF EXISTS ${named(name)}`)
  const dropped = await runAll(session, ['SET SESSION foreign_key_checks = 0', ...drops])
  if (!dropped.ok) return dropped
  log(`emptied: ${names.length === 0 ? 'it had no schemas' : `the schemas ${names.join(', ')} were dropped`}`)
  return ok(undefined)
}

/** No source, no binary logs, no position. */
export async function forgetHistory(session: SqlSession, flavour: WorkServer['flavour']): Promise<Result<unknown>> {
  const isNew = flavour === 'mariadb' || (await runAll(session, [newWords])).ok
  // One that has no source may refuse to stop.
  const stopped = await runAll(session, forgetSources(flavour, !isNew))
  if (!stopped.ok && stopped.failure.code !== 'sql-failed') return stopped
  return runAll(session, forgetTransactions(flavour, !isNew))
}
