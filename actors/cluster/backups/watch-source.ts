// Follows the server that is being backed up: slows the backup down while the server lags, ends it when the server is gone.

import type { Valve } from '../../../lib/backup/method/valve.js'
import { SECOND } from '../../../lib/base/time.js'
import { judgeThrottle, type Throttle } from '../../../lib/decide/backup/throttle.js'
import { renderSize } from '../../../lib/model/operation/job-progress.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, mainChannel } from '../../../lib/model/snapshot.js'
import type { Cluster } from '../state/message/cluster.js'

const LOOK_MS = SECOND

export interface Watched {
  readonly server: ServerId
  readonly valve: Valve
  readonly log: (line: string) => void
  /** Bytes a second, as measured last. */
  readonly rate: () => number
}

/** Until it is called back. */
export function watchSource(actor: Pick<Cluster, 'state'>, { server: id, valve, log, rate }: Watched): () => void {
  let ceiling = bandwidthOf(actor)
  valve.set(ceiling)
  let throttle: Throttle = { limit: ceiling }
  const timer = setInterval(() => {
    const { snapshot, settings } = actor.state
    const before = ceiling
    ceiling = bandwidthOf(actor)
    if (ceiling !== before) {
      throttle = { limit: ceiling }
      valve.set(ceiling)
    }
    const server = findServer(snapshot, id)
    const lagSeconds = mainChannel(server, settings['replication-source-name'])?.lagSeconds
    const bound = settings['backup-throttle-lag']
    const next = judgeThrottle(throttle, { lagSeconds, bound, rate: rate(), ceiling })
    if (next.limit === throttle.limit) return
    const name = server?.name ?? id
    const to = next.limit === undefined ? 'is no longer limited' : `is limited to ${renderSize(next.limit)}/s`
    log(`${name} is ${lagSeconds} s behind (backup-throttle-lag is ${bound} s): the backup ${to}`)
    throttle = next
    valve.set(next.limit)
  }, LOOK_MS)
  return () => clearInterval(timer)
}

function bandwidthOf({ state: { settings } }: Pick<Cluster, 'state'>): number | undefined {
  const megabytes = settings['backup-bandwidth']
  return megabytes === 0 ? undefined : megabytes * 1_000_000
}
