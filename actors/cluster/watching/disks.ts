// How full the file systems of servers are that do not list them: asked on their hosts, once a minute.
import { withDeadline } from '../../../lib/base/deadline.js'
import type { Result } from '../../../lib/base/result.js'
import { MINUTE, now, SECOND } from '../../../lib/base/time.js'
import { directoriesOf, volumesOf } from '../../../lib/decide/watching/volumes.js'
import type { FileSystem } from '../../../lib/model/server/watched.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import { noteEnd } from '../requests/reads.js'
import type { Cluster } from '../state/message/cluster.js'

/** A running cluster whose hosts can be asked. */
export interface AskingHosts extends Pick<Cluster, 'context' | 'state' | 'tell'> {
  readonly services: {
    readFileSystems(
      id: string,
      directories: readonly string[],
      signal: AbortSignal,
    ): Promise<Result<readonly FileSystem[]>>
  }
}

const REREAD_MS = MINUTE
const DEADLINE_MS = 10 * SECOND

export class DiskWatch {
  readonly #actor: AskingHosts
  #readAt = 0

  constructor(actor: AskingHosts) {
    this.#actor = actor
  }

  rereadWhenDue(): void {
    const { settings, snapshot } = this.#actor.state
    if (!settings['monitoring-disk-usage'] || now() - this.#readAt < REREAD_MS) return
    const servers = snapshot.servers.filter(
      ({ slow }) => slow && volumesOf(slow.variables, slow.disks ?? []).length === 0,
    )
    if (servers.length === 0) return
    this.#readAt = now()
    for (const server of servers) void this.#ask(server)
  }

  async #ask({ id, slow }: ServerSnapshot): Promise<void> {
    if (!slow) return
    const directories = directoriesOf(slow.variables).map(({ directory }) => directory)
    const answer = await withDeadline(this.#actor.context.signal, DEADLINE_MS, (signal) =>
      this.#actor.services.readFileSystems(id, directories, signal),
    )
    noteEnd(this.#actor, { server: id, what: 'disks' }, answer)
    if (answer.ok) this.#actor.tell('observed-disks', { server: id, fileSystems: answer.value })
  }
}
