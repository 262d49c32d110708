// A cluster that is backed up, as the parts that do it see it, and what is asked of them.
import type { BackupKind } from '../../../lib/model/backup.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ScriptQueue } from '../../../lib/notify/index.js'
import type { HostTasks } from '../hosts/hosts.js'
import type { Cluster } from '../state/message/cluster.js'
import type { Watch } from '../watch/watch.js'
import type { JobQueue } from './queue.js'

/** A running cluster that is backed up. */
export interface BackingUp extends Cluster {
  readonly queue: JobQueue
  readonly hosts: Pick<HostTasks, 'request'>
  readonly watch: Pick<Watch, 'probeFresh'>
  readonly scripts: Pick<ScriptQueue, 'add'>
}

export interface BackupOrder {
  readonly kind: BackupKind
  /** Only this server. */
  readonly server?: ServerId
  /** A full one, even where incremental ones are made between. */
  readonly full?: boolean
  /** Sources of earlier attempts. */
  readonly avoid?: readonly ServerId[]
}
