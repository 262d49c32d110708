// Whether an identity may create a cluster without an operator: the checks of the contract, in its order. Pure.
import { done, fail, ok, type Result } from '../../base/result.js'
import { judgePool, type PoolTerms, type PoolVerdict, poolFigures, type Taken, type Units } from './pool.js'

/** What a service offers, by its settings. */
export interface Offer {
  readonly isOn: boolean
  /** The manager is one of a hosted service. */
  readonly isHosted: boolean
  readonly orchestrator: string
  /** Why services of the orchestrator are not offered; absent: they are. */
  readonly barrier?: string
  /** Clusters of one identity. */
  readonly maxClusters: number
  /** Units of each database, and of the cluster. */
  readonly plan: Units & { readonly bku: number }
  readonly pool: PoolTerms
  readonly canBorrow: boolean
}

export interface Applicant {
  readonly identity: string
  /** It has no password here: a provider of identities vouches for it. */
  readonly isSignOn: boolean
  /** It came with an API token, which is narrower than its owner. */
  readonly hasApiToken: boolean
}

/** A new cluster reserves the plan of a primary and a replica. */
export const RESERVED_DATABASES = 2

export const neededUnits = ({ plan }: Pick<Offer, 'plan'>): Units => ({
  dbu: RESERVED_DATABASES * plan.dbu,
  apu: plan.apu,
})

const refused = (reason: string): Result<never> => fail('self-service-refused', reason)

/** The checks before the gate script. `no-grant` for one that is no identity of single sign-on, else `self-service-refused`. */
export function judgeDoor(offer: Offer, { identity, isSignOn, hasApiToken }: Applicant): Result<void> {
  if (!isSignOn)
    return fail(
      'no-grant',
      `${identity} has no grant cluster-create or prov-cluster; self-service is for users without a password, who log in by single sign-on`,
    )
  if (hasApiToken) return refused('an API token creates no clusters in self-service; log in')
  if (!offer.isOn) return refused('hosted-self-service-clusters is off')
  if (!offer.isHosted) return refused('hosted is off: this manager is none of a hosted service')
  return offer.barrier === undefined ? done : refused(`orchestrator ${offer.orchestrator}: ${offer.barrier}`)
}

export interface Holdings extends Taken {
  /** Clusters that the identity sponsors. */
  readonly sponsored: readonly string[]
}

export interface Room {
  readonly verdict: Exclude<PoolVerdict, 'full'>
  /** Figures of a plan that is not guaranteed. */
  readonly note?: string
}

/** The checks after the gate script: clusters of the identity, then the pool. `self-service-refused` with the figures. */
export function judgeRoom(offer: Offer, { sponsored, ...taken }: Holdings): Result<Room> {
  const { maxClusters, canBorrow, pool } = offer
  if (sponsored.length >= maxClusters)
    return refused(`${sponsored.length} of ${maxClusters} clusters are in use: drop one first`)
  const need = neededUnits(offer)
  const verdict = judgePool(pool, { ...taken, need, canBorrow })
  if (verdict === 'guaranteed') return ok({ verdict })
  const { freeDbu, freeApu, borrowDbu, borrowApu } = poolFigures(pool, taken)
  const free = `${both(need)} are needed, ${either({ dbu: freeDbu, apu: freeApu })} of the pool are free`
  const pot = `${either({ dbu: borrowDbu, apu: borrowApu })} can be borrowed`
  if (verdict === 'borrowed') return ok({ verdict, note: `${free}, ${pot}: the plan is not guaranteed` })
  return refused(canBorrow ? `${free}, ${pot}` : free)
}

const both = ({ dbu, apu }: Units): string => `${dbu} DBU and ${apu} APU`

const either = ({ dbu, apu }: Units): string => `${dbu} DBU or ${apu} APU`
