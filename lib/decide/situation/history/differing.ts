// Replicas whose data are known to differ from those of the primary: an event contradicted them, and they were not replaced since.
import type { Differing, Memory } from '../../../model/memory.js'
import { isEmpty } from '../../../model/server/gtid.js'
import type { BareSnapshot, ServerSnapshot } from '../../../model/snapshot.js'
import { channelOf, isReachable } from '../channel.js'
import type { DecideSettings } from '../situation.js'

/** The row that an event changes is missing, or one that it adds exists: 1032, 1062. */
const contradictions: ReadonlySet<number> = new Set([1032, 1062])

interface Input extends Pick<BareSnapshot, 'servers' | 'primary'> {
  readonly settings: Pick<DecideSettings, 'replication-source-name'>
  readonly now: number
}

/**
 * Noted with the first contradiction, and kept when the event is passed over: nobody can say then what else differs. Forgotten where
 * the data are replaced, since the server is empty in between or the work of its return has filled it, and of the primary itself.
 */
export function rememberDiffering(
  memory: Memory,
  { servers, primary, settings, now }: Input,
): Pick<Memory, 'differing'> {
  const { differing = {}, returns = {} } = memory
  const known = servers.flatMap((server): [string, Differing][] => {
    const { id } = server
    if (id === primary || returns[id]?.filled || wasEmptied(server)) return []
    const before = differing[id]
    if (before) return [[id, before]]
    const error = channelOf(server, settings)?.sqlError
    return error && contradictions.has(error.code) ? [[id, { since: now, error: error.message.slice(0, 200) }]] : []
  })
  const isSame = known.length === Object.keys(differing).length && known.every(([id, one]) => differing[id] === one)
  return isSame ? {} : { differing: Object.fromEntries(known) }
}

const wasEmptied = (server: ServerSnapshot): boolean =>
  isReachable(server) && server.state !== undefined && isEmpty(server.state.gtid.executed)
