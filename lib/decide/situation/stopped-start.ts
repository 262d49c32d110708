// Whether a server replicates as soon as its process starts, or waits for a START REPLICA: it acknowledges nothing before.
import { SECOND } from '../../base/time.js'
import type { Memory, StoppedStart } from '../../model/memory.js'
import { textOf } from '../../model/server/named.js'
import { clusterChannels, type ServerSnapshot } from '../../model/snapshot.js'
import { isReachable, isStoppedOnly } from './channel.js'

/** It is known to start with replication stopped: by its option file, as it was when its process last started. */
export const startsStopped = ({ stoppedStarts }: Memory, { id }: Pick<ServerSnapshot, 'id'>): boolean =>
  stoppedStarts?.[id] !== undefined

/** It was started while no manager watched, and waits for the start of its replication since. */
export const waitsForStart = ({ stoppedStarts }: Memory, { id }: Pick<ServerSnapshot, 'id'>): boolean =>
  stoppedStarts?.[id]?.due === true

/**
 * What is known of each listed server, kept while it does not answer. MySQL shows the option as a variable; MariaDB shows it only
 * by how its replication was when its process had just started.
 */
export function rememberStarts(memory: Memory, servers: readonly ServerSnapshot[]): Pick<Memory, 'stoppedStarts'> {
  const { stoppedStarts = {} } = memory
  const news = Object.fromEntries(
    servers.flatMap((server): [string, StoppedStart][] => {
      const start = startOf(server, stoppedStarts[server.id])
      return start ? [[server.id, start]] : []
    }),
  )
  const ids = Object.keys(news)
  const isSame =
    ids.length === Object.keys(stoppedStarts).length && ids.every((id) => news[id] === memory.stoppedStarts?.[id])
  return isSame ? {} : { stoppedStarts: news }
}

function startOf(server: ServerSnapshot, known: StoppedStart | undefined): StoppedStart | undefined {
  const { state, stateAt = 0, startedStopped } = server
  if (!state || !isReachable(server)) return known
  const startedAt = stateAt - state.uptimeSeconds * SECOND
  const isKnown = known !== undefined && Math.abs(known.startedAt - startedAt) <= SAME_PROCESS_MS
  const shown = startedStopped ?? optionOf(server)
  const isStopped = state.channels.length > 0 && state.channels.every(isStoppedOnly)
  if (isKnown) {
    if (shown === false) return undefined
    // The option holds for all channels; what waits for its start is this cluster's.
    const own = clusterChannels(server)
    const waits = own.length > 0 && own.every(isStoppedOnly)
    return known.due && !waits ? { startedAt: known.startedAt } : known
  }
  if (shown !== undefined) return shown ? { startedAt } : undefined
  if (!known) return undefined
  // A process that no manager saw start. Without a source it shows nothing of the option, and contradicts nothing.
  if (state.channels.length === 0) return { startedAt }
  return isStopped ? { startedAt, due: true } : undefined
}

/** Uptimes are whole seconds, and are not read with every probe. */
const SAME_PROCESS_MS = 5 * SECOND

/** By the names of all versions; undefined where it is no variable, or was read of an earlier process. */
function optionOf({ slow, restartedAt = 0 }: ServerSnapshot): boolean | undefined {
  if (!slow || slow.at < restartedAt) return undefined
  const value = optionNames.map((name) => textOf(slow.variables, name)).find((text) => text !== undefined)
  return value === undefined ? undefined : value.toUpperCase() === 'ON'
}

const optionNames = ['skip_replica_start', 'skip_slave_start'] as const
