// What the actors of clusters and the main thread say to each other beside the mailboxes, by topic. Plain data.
import type { Asker } from '../../lib/access/index.js'
import type { Want } from '../../lib/decide/backup/slots.js'
import type { Sighting } from '../../lib/decide/watching/instances.js'
import type { ServerInstance } from '../../lib/model/server/instance.js'

/** Absent: it is not refused. */
export interface Refusal {
  readonly refusal?: string
}

/** A cluster asks, the main thread answers. */
export interface Questions {
  /** May the user that asked for the work still have it? */
  readonly permit: { readonly asked: Asker; readonly answer: Refusal }
  /** Another server answers than before: whose is it? */
  readonly whose: { readonly asked: Omit<Sighting, 'cluster'>; readonly answer: Refusal }
}

/** A cluster says it, and expects no answer. */
export interface Statements {
  /** The servers of the names that were sought, as its probes saw them last. */
  readonly shown: readonly ShownServer[]
  /** The heavy jobs that it wants to run and those that run: all of them each time, so that a lost message costs nothing. */
  readonly slots: { readonly wants: readonly Want[]; readonly holds: readonly number[] }
}

/** The main thread says it to one cluster. */
export interface Notices {
  /** When was its server of these names last seen? */
  readonly sought: ServerInstance
  /** The server at this address is another cluster's, which named it earlier: ask again. */
  readonly revoked: string
  /** Jobs that may run; how many run of all clusters, and the limit (0: none). */
  readonly slots: { readonly grants: readonly number[]; readonly running: number; readonly limit: number }
}

export interface ShownServer {
  readonly server: string
  readonly instance: ServerInstance
  readonly at: number
}

/** Why it is not permitted any more; undefined: it is. */
export type JudgeAsker = (asker: Asker, cluster: string) => string | undefined
