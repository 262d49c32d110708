// Kills the demo's primary like a crash, and prints what the manager does.

import { addressed } from '../../http/client/api/address.js'
import type { Reply } from '../../http/client/api/types.js'
import { followEvents, openEvents } from '../../http/client/events.js'
import type { Session } from '../../http/client/session.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import type { ClusterEvent } from '../../lib/model/event.js'
import { findProcess } from '../../lib/orchestrator/local/process/process.js'
import { serverSite } from '../../lib/orchestrator/local/process/site.js'
import { renderItem } from '../cli/kit/event-line.js'

const CLUSTER = 'demo'
/** After so long without an end of the failover nothing more is awaited. */
const PATIENCE_MS = 30 * SECOND

export interface Killing {
  readonly session: Session
  /** `monitoring-datadir` of the demo. */
  readonly workingDir: string
  readonly say: (text: string) => void
}

/** Answers the address of the server that was killed, when another one has taken over. */
export async function killPrimary({ session, workingDir, say }: Killing): Promise<Result<string>> {
  const reply = await session.call(
    ...addressed('GET /api/clusters/:cluster/topology/master', { params: { cluster: CLUSTER } }),
  )
  if (!reply.ok) return fail('unreachable', `${reply.failure.message}; bin/quickstart starts the demo`)
  const primary =
    reply.value.status === 200
      ? (JSON.parse(reply.value.body) as Reply<'GET /api/clusters/:cluster/topology/master'>)
      : null
  if (!primary) return fail('no-primary', 'the demo has no primary; see bin/manager-cli topology')
  const { host } = primary
  const name = `${host}:${primary.port}`
  const pid = await findProcess(serverSite(workingDir, CLUSTER, { host, port: Number(primary.port) }))
  if (pid === undefined) return fail('primary-failed', `${name} does not run`)
  const opened = await openEvents(session, CLUSTER)
  if (!opened.ok) return opened
  if (opened.value.type === 'refused') return fail('no-grant', opened.value.reply.body)

  say(`Killing ${name}, process ${pid} (kill -9). Events of the manager:\n`)
  process.kill(pid, 'SIGKILL')
  const { response } = opened.value
  let late = false
  const timer = setTimeout(() => {
    late = true
    response.destroy()
  }, PATIENCE_MS)
  try {
    for await (const item of followEvents(session, CLUSTER, response)) {
      if (late) break
      say(renderItem(item, process.stderr))
      const phase = item.type === 'event' ? failoverEnd(item.event) : undefined
      if (phase === 'succeeded') return ok(name)
      if (phase !== undefined) return fail('step-failed', `the failover ended as ${phase}`)
    }
    return fail('deadline-passed', `nothing took over within ${PATIENCE_MS / SECOND} s; see bin/manager-cli explain`)
  } finally {
    clearTimeout(timer)
  }
}

/** How a failover ended, when the event reports an end. */
function failoverEnd({ kind, data }: ClusterEvent): string | undefined {
  if (kind !== 'operation' || data?.kind !== 'failover' || data.phase === 'running') return undefined
  return String(data.phase)
}
