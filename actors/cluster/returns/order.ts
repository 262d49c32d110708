// What a way back is given, and how its work is started.
import { ok, type Result } from '../../../lib/base/result.js'
import type { Returning } from '../../../lib/decide/repair/returning.js'
import type { ReturnWork, WorkServer } from '../../../lib/effect/returns/kit/work.js'
import { startReturnWork } from '../../../lib/effect/returns/start.js'
import type { Backup } from '../../../lib/model/backup.js'
import type { TailFacts } from '../../../lib/model/operation/way-back.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { Orchestrator } from '../../../lib/orchestrator/index.js'
import type { Backups } from '../backups/backups.js'
import type { LogWatch } from '../backups/binlogs.js'
import type { JobRun } from '../backups/queue.js'
import type { HostTasks } from '../hosts/hosts.js'
import type { Cluster } from '../state/message/cluster.js'
import { targetOf } from '../state/message/wires.js'

/** A running cluster whose servers are filled. */
export interface Filling extends Cluster {
  readonly services: { readonly orchestrator: Orchestrator }
  readonly logs: Pick<LogWatch, 'directory'>
  readonly backups: Pick<Backups, 'list' | 'catalogueOf'>
  readonly hosts: Pick<HostTasks, 'reach' | 'request'>
}

export interface Order {
  readonly returning: Returning
  readonly tail?: TailFacts
  readonly source?: ServerId
  /** The stored backup of the method, oldest part first. */
  readonly copy?: readonly Backup[]
  /** The primary still has the binary logs that follow it. */
  readonly isFollowed?: boolean
  readonly run: Pick<JobRun, 'id' | 'signal' | 'log' | 'progress'>
}

export type Bring = (actor: Filling, order: Order) => Promise<Result<string>>

export async function work(_: Filling, run: Order['run'], given: ReturnWork): Promise<Result<string>> {
  const done = await startReturnWork(given, run)
  if (!done.ok) return done
  return ok('text' in done.value ? done.value.text : 'done')
}

export const workServer = (actor: Filling, server: ServerSnapshot): WorkServer => ({
  name: server.name,
  target: targetOf(server, actor.state),
  flavour: server.state?.identity.flavour ?? 'mariadb',
})
