// A task that waits in the job table until the script of the host takes it: run there by cron, or over SSH by the manager where
// an operator's script replaces the delivered one.
import { readFile } from 'node:fs/promises'
import { done, fail, ok, type Result } from '../../base/result.js'
import { now, SECOND, sleep } from '../../base/time.js'
import type { HostTaskRow } from '../../model/operation/host-task.js'
import type { ServiceSpec } from '../../model/operation/services.js'
import { type JobTable, jobTable } from './job-table.js'
import { payloadOf } from './order.js'
import { countedBytes, parseListener } from './output.js'
import {
  endOf,
  failedTask,
  type HostReach,
  type HostTaskEnd,
  type HostTaskRequest,
  type HostTaskRun,
  LINES_KEPT,
  listenerOf,
} from './request.js'
import { readJobScript } from './script.js'

/** Between two reads of the row. */
const PAUSE_MS = SECOND

/** Failures: those of a session with the database, `host-task-failed`, `operation-running` and `deadline-passed`. */
export async function runByTable(
  reach: HostReach,
  request: HostTaskRequest,
  run: HostTaskRun,
): Promise<Result<HostTaskEnd>> {
  const { service, log, target, schema } = reach
  const { task, stream, deadlineMs } = request
  const table = jobTable(target, schema)
  const until = now() + deadlineMs
  const ordered =
    (await adopted(table, reach, request)) ??
    (await table.order({
      ...{ task, port: stream?.port ?? 0, server: stream?.host ?? '', state: 0, result: '' },
      payload: payloadOf(request, log),
    }))
  if (!ordered.ok)
    return ordered.failure.code === 'operation-running'
      ? fail('operation-running', `${service.name}: ${ordered.failure.message}`)
      : ordered
  run.log(`row ${ordered.value} of the job table: waiting for the job script of the host`)
  if (reach.session && reach.ownScript !== '') void runScript(reach, { ...run, deadlineMs })
  return follow({ reach, request, table, id: ordered.value, until }, run)
}

/**
 * The open row of a task that an earlier life of the manager ordered, whose lines still find it: it is followed instead of
 * ordered again. A row of a stream is not, since the stream ended with that life.
 */
async function adopted(
  table: JobTable,
  { earlier }: HostReach,
  { task, stream }: HostTaskRequest,
): Promise<Result<number> | undefined> {
  if (!earlier || stream) return undefined
  const rows = await table.read()
  const row = rows.ok && rows.value.find((each) => each.task === task && !each.done && each.state < 3)
  return row ? ok(row.id) : undefined
}

interface Followed {
  readonly reach: HostReach
  readonly request: HostTaskRequest
  readonly table: JobTable
  readonly id: number
  readonly until: number
}

/** A database that does not answer for a while, as one whose data are replaced, is asked again. */
async function follow(followed: Followed, run: HostTaskRun): Promise<Result<HostTaskEnd>> {
  const { reach, table, id, until } = followed
  const { service } = reach
  let known = 0
  for (;;) {
    const rows = await table.read()
    const row = rows.ok ? rows.value.find((each) => each.id === id) : undefined
    if (row && row.state !== known) {
      known = row.state
      note(service, row, run)
    }
    const settled = row && settle(followed, row)
    if (settled) return settled
    if (run.signal.aborted || now() > until) return giveUp(followed, run.signal.aborted)
    await sleep(PAUSE_MS, run.signal)
  }
}

function note(service: ServiceSpec, { state, result }: HostTaskRow, { log, waiting }: HostTaskRun): void {
  if (state === 1) log('the job script has taken it')
  const listener = state === 2 ? parseListener(result) : undefined
  if (listener) waiting?.(listenerOf(service, listener))
}

function settle({ reach, request }: Followed, row: HostTaskRow): Result<HostTaskEnd> | undefined {
  if (row.state < 3) return undefined
  const lines = row.result.split('\n').slice(-LINES_KEPT)
  if (row.state === 3 || row.state === 4) return ok(endOf(lines, countedBytes(lines)))
  return failedTask(reach.service, request.task, lines)
}

/** A script that works already is not reached: it ends with its stream, or at its own deadline. */
async function giveUp({ reach, request, table, id }: Followed, cancelled: boolean): Promise<Result<never>> {
  const result = cancelled ? 'cancelled' : 'not done in time'
  if (!reach.manager?.aborted || request.stream) await table.end({ id, state: 5, result, states: [0, 1, 2] })
  return fail('deadline-passed', `${reach.service.name}: ${request.task} on its host was ${result}`)
}

/** The script works off the job table of a host now: the operator's file, or the delivered one. */
export async function runScript(
  { orchestrator, service, ownScript, schema, batch }: HostReach,
  { signal, log, deadlineMs }: Pick<HostTaskRun, 'signal' | 'log'> & { readonly deadlineMs: number },
): Promise<Result<void>> {
  if (!orchestrator.runScript) return fail('unsupported', `${service.name}: its host is not reached over SSH`)
  const text = ownScript === '' ? await readJobScript() : await readOwn(ownScript)
  if (!text.ok) return text
  const answer = await orchestrator.runScript(service, {
    ...{ text: text.value, deadlineMs, signal, onLine: log },
    environment: {
      ...{ MANAGER_JOBS_MODE: 'sql', MANAGER_JOBS_SCHEMA: schema, MANAGER_LOG_BATCH: `${batch}` },
      ...{ MANAGER_HOST_NAME: service.host, MANAGER_HOST_PORT: `${service.port}` },
    },
  })
  if (!answer.ok) return answer
  const { code, lastLines } = answer.value
  if (code === 0) return done
  return fail('script-failed', `${service.name}: the job script ended with ${code}: ${lastLines.at(-1) ?? ''}`)
}

const readOwn = (file: string): Promise<Result<string>> =>
  readFile(file, 'utf8').then(ok, (error: Error) => fail('file-unreadable', `${file}: ${error.message}`))
