// One finding as a row: its code, and its detail for the cluster or a server while its condition holds.
import type { Finding } from '../../model/finding.js'
import type { FindingCode } from '../../model/findings.js'
import type { ServerId } from '../../model/server/server.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import type { CandidateRow, FailoverVerdict } from '../../model/verdict.js'
import type { Stray } from '../repair/rejoin.js'
import { channelOf } from '../situation/channel.js'
import type { Situation } from '../situation/situation.js'

/** All that a row may read. */
export interface FindingInput {
  readonly situation: Situation
  readonly verdict: FailoverVerdict
  /** What the search for the primary found. */
  readonly found: readonly Finding[]
  /** Servers that should follow another source than they do. */
  readonly strays: ReadonlyMap<ServerId, Stray>
  /** Of every server but the primary: its place in the election. */
  readonly ranking: ReadonlyMap<ServerId, CandidateRow>
}

/** A condition of the cluster. `detail` is undefined where it does not hold; '' where the code is enough. */
export interface ClusterRow {
  readonly code: FindingCode
  detail(input: FindingInput): string | undefined
}

/** A condition of one server. */
export interface ServerRow {
  readonly code: FindingCode
  detail(server: ServerSnapshot, input: FindingInput): string | undefined
}

export const when = (holds: boolean, detail = ''): string | undefined => (holds ? detail : undefined)

export const names = (servers: readonly ServerSnapshot[]): string => servers.map(({ name }) => name).join(', ')

/** Whether a failover or switchover is in progress. */
export const isMoving = ({ snapshot: { operation } }: Situation): boolean =>
  operation?.kind === 'switchover' || operation?.kind === 'failover'

/** While the primary role moves: the server that gives it up, and those that have followed it so far. */
export function isHandedOver(server: ServerSnapshot, situation: Situation): boolean {
  const oldPrimary = isMoving(situation) ? situation.snapshot.operation?.oldPrimary : undefined
  if (oldPrimary === undefined) return false
  const follows = server.sourceId === oldPrimary && channelOf(server, situation.settings)?.sql === 'running'
  return server.id === oldPrimary || follows
}

/** While the primary role moves: the candidate, which has given up its source and is not seen writable yet. */
export const isBecomingPrimary = ({ id }: ServerSnapshot, situation: Situation): boolean =>
  isMoving(situation) && situation.snapshot.operation?.newPrimary === id

/** It became a replica after its last probe: what that probe saw is over. */
export const hasJustRejoined = ({ id, stateAt = 0 }: ServerSnapshot, { memory }: Situation): boolean =>
  memory.history.some(
    ({ oldPrimary, outcome }) => oldPrimary === id && outcome?.verdict === 'rejoined' && stateAt <= outcome.at,
  )

/** While the primary role moves: a server whose applier stopped without an error, since the plan gives it another source. */
export const isBetweenSources = (server: ServerSnapshot, situation: Situation): boolean =>
  isMoving(situation) && channelOf(server, situation.settings)?.sqlError.code === 0
