// Asks a host which snapshot of the file system of its data it could go back to; nothing is changed there.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { payloadOf, renderOrder } from './order.js'
import type { HostReach } from './request.js'
import { readJobScript } from './script.js'

const LIMIT_MS = 20 * SECOND

/** The newest, or the newest from before a second of the host's clock. Failure: `unsupported` where no session reaches the host. */
export async function askSnapshot(
  { orchestrator, service, session, batch }: HostReach,
  before: number | undefined,
  signal: AbortSignal,
): Promise<Result<string>> {
  if (!session || !orchestrator.runScript)
    return fail('unsupported', 'the manager has no session on its host (scheduler-jobs-ssh) to ask for snapshots')
  const text = await readJobScript()
  if (!text.ok) return text
  const snapshot = { only: 'ask', ...(before === undefined ? {} : { before }) } as const
  let name: string | undefined
  const answer = await orchestrator.runScript(service, {
    ...{ text: text.value, deadlineMs: LIMIT_MS, signal },
    environment: {
      ...{ MANAGER_JOBS_MODE: 'direct', MANAGER_LOG_BATCH: `${batch}` },
      MANAGER_JOB: renderOrder(0, { task: 'zfssnapback' }, payloadOf({ snapshot, deadlineMs: LIMIT_MS })),
    },
    onLine: (line) => {
      name = /^snapshot: (\S+)$/.exec(line)?.[1] ?? name
    },
  })
  if (!answer.ok) return answer
  if (answer.value.code === 0 && name !== undefined) return ok(name)
  const last = answer.value.lastLines.findLast((line) => line !== '' && !line.startsWith('@'))
  return fail('host-task-failed', last?.replace(/^dbjobs_new: /, '') ?? 'its host names no snapshot')
}
