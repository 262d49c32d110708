// A member of the cluster, as effects reach it.
import type { SqlTarget } from '../../connect/sql/session.js'
import type { Dialect } from '../../dialect/index.js'
import type { Member } from '../../model/server/own-channel.js'
import type { ServerAddress, ServerSpec } from '../../model/server/server.js'

/** The same for sessions that reach the same server with the same login, whenever it was last seen. */
export const targetKey = ({ expected, ...target }: SqlTarget): string => JSON.stringify([target, expected?.instance])

/** Where replicas may follow a server, the address to be used first. */
export const sourcesOf = ({ sources, spec }: EffectServer): readonly ServerAddress[] => sources ?? [spec]

/** One member of the cluster, as an effect needs it. */
export interface EffectServer {
  readonly spec: ServerSpec
  readonly target: SqlTarget
  readonly dialect: Dialect
  /** Where replicas may follow it: the address to be used first, that of the manager last. Absent: that one alone. */
  readonly sources?: readonly ServerAddress[]
  /** Its `server_id`, as read last. */
  readonly serverNumber?: number
  /** MariaDB `extra_port` or MySQL `admin_port`, when the server has one: reachable when all connections are used up. */
  readonly reservedPort?: number
  /** Where that port listens, when not at the server's own address (MySQL `admin_address`). */
  readonly reservedHost?: string
  /** How it follows the cluster, as last read; absent: by the channel with the configured name. */
  readonly replication?: Following
}

export interface Following {
  /** The name of the channel by which it follows, or is to follow, this cluster. */
  readonly channel: string
  /** Names of its channels to other clusters: nothing is changed there. */
  readonly foreign: readonly string[]
  /** The other servers of the cluster: a channel whose source is one of them is the cluster's own. */
  readonly others: readonly Member[]
}
