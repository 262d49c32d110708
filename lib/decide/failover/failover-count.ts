// The count that failover-limit limits: it restarts after failcount-reset-time without a failover.
import { SECOND } from '../../base/time.js'
import type { Memory } from '../../model/memory.js'
import type { DecideSettings } from '../situation/situation.js'

/** The memory with the count as of `now`; the same object when nothing changes. */
export function forgiveFailovers(
  memory: Memory,
  settings: Pick<DecideSettings, 'failcount-reset-time'>,
  now: number,
): Memory {
  const seconds = settings['failcount-reset-time']
  const isOver = seconds > 0 && memory.failoverCount > 0 && now - memory.lastFailoverAt >= seconds * SECOND
  return isOver ? { ...memory, failoverCount: 0 } : memory
}
