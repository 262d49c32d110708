// A task that the manager gives to the script itself, in a session of its own: the script's output is heard line by line, its
// exit status is known, and the database need not answer.
import { fail, ok, type Result } from '../../base/result.js'
import { keepLast } from '../../connect/shell/lines.js'
import { recordStart } from './job-table.js'
import { payloadOf, renderOrder } from './order.js'
import { parseSign, type ScriptSign } from './output.js'
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

/** Failures: those of the session, `host-task-failed`, `deadline-passed`, and `operation-running` while the task has an open row. */
export async function runDirectly(
  reach: HostReach,
  request: HostTaskRequest,
  run: HostTaskRun,
): Promise<Result<HostTaskEnd>> {
  const { orchestrator, service } = reach
  const text = await readJobScript()
  if (!text.ok) return text
  if (!orchestrator.runScript) return fail('unsupported', `${service.name}: its host is not reached over SSH`)
  const record = await recordStart(reach, request, run)
  if (!record.ok) return record
  const heard = listen(reach, run)
  const answer = await orchestrator.runScript(service, {
    text: text.value,
    environment: environmentOf(reach, request, record.value.id),
    deadlineMs: request.deadlineMs,
    signal: run.signal,
    onLine: heard.take,
  })
  const end = judge({ reach, request }, { answer, ...heard.said() })
  await record.value.end(end)
  return end
}

const environmentOf = ({ batch }: HostReach, request: HostTaskRequest, id: number) => ({
  MANAGER_JOBS_MODE: 'direct',
  MANAGER_LOG_BATCH: `${batch}`,
  MANAGER_JOB: renderOrder(id, request, payloadOf(request)),
})

/** The beginning of a line that holds a part of a log. */
const DATA = '@log '

/** Signs of the script are taken out of its output. */
function listen({ service }: HostReach, run: HostTaskRun) {
  const lines: string[] = []
  let last: ScriptSign | undefined
  return {
    take: (line: string) => {
      if (line.startsWith(DATA)) return run.data?.(Buffer.from(line.slice(DATA.length), 'base64'))
      const sign = parseSign(line)
      if (sign === undefined) {
        keepLast(lines, line, LINES_KEPT)
        return run.log(line)
      }
      last = sign
      if (sign.state === 2) run.waiting?.(listenerOf(service, sign))
    },
    said: () => ({ lines, last }),
  }
}

interface Said {
  readonly answer: Result<{ readonly code: number }>
  readonly lines: readonly string[]
  readonly last: ScriptSign | undefined
}

/** Done is what the script calls done with the exit status 0: both are needed. */
function judge(
  { reach: { service }, request: { task } }: { readonly reach: HostReach; readonly request: HostTaskRequest },
  { answer, lines, last }: Said,
): Result<HostTaskEnd> {
  if (!answer.ok) return answer
  if (answer.value.code === 0 && last?.state === 3) return ok(endOf(lines, last.bytes))
  if (answer.value.code === 124)
    return fail('deadline-passed', `${service.name}: ${task} on its host was not done in time`)
  return failedTask(service, task, lines)
}
