// A replica that asks for transactions which are in its own binary log: what is known of it, and its repair.
import { SECOND } from '../../base/time.js'
import { countTransactions, isEmpty, parsePosition, subtract } from '../../model/server/gtid.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable } from '../situation/channel.js'
import { aheadOf } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'
import type { Repair } from './enforce.js'

/** ER_GTID_STRICT_OUT_OF_ORDER: the transaction to be logged is in the binary log, or a later one of its domain is. */
const OUT_OF_ORDER = 1950

/**
 * Number of transactions that the replica was to apply a second time; undefined when it does not stand for that reason. Its
 * position (`gtid_slave_pos`) is behind its own binary log: it was a primary under another server_id, or was made a replica
 * without a position.
 */
export function repeatedTransactions(server: ServerSnapshot, situation: Situation): number | undefined {
  const { state } = server
  const channel = channelOf(server, situation.settings)
  if (!state || channel?.sql !== 'stopped' || channel.sqlError.code !== OUT_OF_ORDER) return undefined
  const repeated = countTransactions(subtract(state.gtid.executed, parsePosition(state.gtid.text.replica)))
  return repeated > 0 ? repeated : undefined
}

/** It continues after the last transaction of its binary log, where its source has all of them. */
export function restorePosition(situation: Situation): Repair | undefined {
  const { snapshot, settings, memory } = situation
  const server = snapshot.servers.find((one) => {
    const source = findServer(snapshot, one.sourceId)
    if (!source || one.id === snapshot.primary || one.maintenance || !isReachable(one) || !isReachable(source))
      return false
    return repeatedTransactions(one, situation) !== undefined && isEmpty(aheadOf(one, source, { settings, memory }))
  })
  if (server?.sourceId === undefined) return undefined
  const delay = server.delaySeconds > 0 ? { delaySeconds: server.delaySeconds } : {}
  return {
    reason: `the replication position of ${server.name} is behind its own binary log`,
    commands: [
      {
        type: 'repoint',
        server: server.id,
        source: server.sourceId,
        demote: true,
        renew: true,
        timeoutMs: 20 * SECOND,
        ...delay,
      },
    ],
  }
}
