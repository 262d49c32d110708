// What clusters and the main thread say to each other about who answers at the addresses of servers.
import path from 'node:path'
import type { Sighting } from '../../lib/decide/watching/instances.js'
import type { ServerInstance } from '../../lib/model/server/instance.js'

/** Another server answers than before: whose is it? */
export interface SightingMessage {
  readonly type: 'sighted'
  readonly id: string
  readonly sighting: Sighting
}

export interface WhoseAnswer {
  readonly type: 'judged'
  readonly id: string
  /** Why it is left alone; absent: it is the cluster's. */
  readonly refusal?: string
}

/** A cluster that has had the server for longer has named it: the other one asks again. */
export interface RevokedMessage {
  readonly type: 'revoked'
  readonly cluster: string
  readonly server: string
}

/** Who has a server of these names, and when was it last seen? */
export interface SeekMessage {
  readonly type: 'sought'
  readonly instance: ServerInstance
}

/** A server of a cluster as its probes saw it last. */
export interface ShownServer {
  readonly cluster: string
  readonly server: string
  readonly instance: ServerInstance
  readonly at: number
}

export interface ShownMessage {
  readonly type: 'shown'
  readonly servers: readonly ShownServer[]
}

export type InstanceMessage = SightingMessage | WhoseAnswer | RevokedMessage | SeekMessage | ShownMessage

/** The channel of a manager, by its working directory; a cluster's own directory is in it. */
export const instanceChannel = (workingDirectory: string): string => `instances of ${path.resolve(workingDirectory)}`
