// Whose server it is that answers at an address: one server belongs to one cluster. Pure.
import { SECOND } from '../../base/time.js'
import {
  hasSameNames,
  isSameInstance,
  isStartedSince,
  type SeenInstance,
  type ServerInstance,
} from '../../model/server/instance.js'

/** A server as a cluster has it. */
export interface Holding {
  readonly cluster: string
  /** Address as text. */
  readonly server: string
  readonly instance: ServerInstance
  /** Since when a server of these names answers there, milliseconds since the epoch. */
  readonly since: number
  /** When it was last seen there, milliseconds since the epoch. */
  readonly at: number
}

/** A server that answers at the address of a member, before anything is done to it. */
export interface Sighting {
  readonly cluster: string
  readonly server: string
  readonly instance: ServerInstance
  readonly uptimeSeconds: number
  /** Since when the cluster remembers a server of these names there; absent: it does not. */
  readonly since?: number
  /** What answered there last. */
  readonly before?: SeenInstance
  /** In maintenance a server may be replaced by another one. */
  readonly maintenance?: boolean
}

export type Whose =
  | { readonly type: 'own'; readonly holding: Holding; readonly revoked: readonly Holding[] }
  /** A server of another cluster, which has had it for longer. */
  | { readonly type: 'foreign'; readonly holder: Holding }
  /** It has the names of a server of another cluster, which was not seen since this one began: it may be that one after a restart. */
  | { readonly type: 'unclear'; readonly holder: Holding }
  /** It ran already while another server answered at this address. */
  | { readonly type: 'changed'; readonly before: ServerInstance | undefined }

export interface WhoseInput {
  readonly holdings: readonly Holding[]
  readonly now: number
  /** When this sighting was first reported. */
  readonly firstAt: number
}

/**
 * Longest time in which a server that a cluster has had is held up after a restart, because one of the same names belongs to an
 * older cluster that does not answer: the names are all that there is to tell them apart then.
 */
const TWIN_MS = 60 * SECOND

/** Where two clusters have the same server, the one that has had a server of these names for longer keeps it. */
export function judgeWhose(sighting: Sighting, { holdings, now, firstAt }: WhoseInput): Whose {
  const { cluster, server, instance, before } = sighting
  const known = holdings.find((each) => each.cluster === cluster && each.server === server)
  const held = known && hasSameNames(known.instance, instance) ? known.since : undefined
  const since = Math.min(held ?? now, sighting.since ?? now)
  const isKnown = held !== undefined || sighting.since !== undefined
  const namesakes = holdings.filter((each) => each.cluster !== cluster && hasSameNames(each.instance, instance))
  const older = namesakes.filter((each) => each.since <= since)
  const holder = older.find((each) => isSameInstance(each.instance, instance))
  if (holder) return { type: 'foreign', holder }
  const twin = older.find(({ at }) => isStartedSince(sighting.uptimeSeconds, at, now))
  if (twin && !(isKnown && now - firstAt > TWIN_MS)) return { type: 'unclear', holder: twin }
  if (before && isReplacedAlive(sighting, before, now) && !isMember(holdings, sighting))
    return { type: 'changed', before: before.instance }
  return {
    type: 'own',
    holding: { cluster, server, instance, since, at: now },
    revoked: namesakes.filter((each) => each.since > since && isSameInstance(each.instance, instance)),
  }
}

/** The one that answered before did not become this one: this one ran beside it. A restart, or a new server in its place, begins later. */
const isReplacedAlive = (
  { instance, uptimeSeconds, maintenance }: Sighting,
  { instance: earlier, at }: SeenInstance,
  now: number,
): boolean => !maintenance && !(earlier && hasSameNames(earlier, instance)) && !isStartedSince(uptimeSeconds, at, now)

/** Two servers of a cluster may have swapped their addresses. */
const isMember = (holdings: readonly Holding[], { cluster, instance }: Sighting): boolean =>
  holdings.some((each) => each.cluster === cluster && isSameInstance(each.instance, instance))
