// The rule of a primary that may live on out of sight: it is replaced when it cannot acknowledge any more, or a person says so.
import { counted, transactions } from '../../../base/counted.js'
import { SECOND } from '../../../base/time.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import type { LossForecast } from '../../../model/verdict.js'
import { isReachable } from '../../situation/channel.js'
import { type Durability, durabilityOf, isWaiting } from '../../situation/durability.js'
import type { Situation } from '../../situation/situation.js'
import { isGone } from '../../situation/state-name.js'
import { judgeReach, type Reach } from '../death/reach.js'
import type { VetoInput, VetoResult } from './veto.js'

const FORCE = 'start the failover manually if that side is lost'

/** What each policy lets the manager do about a silent primary; `explain` shows it at any time. */
const promises: Readonly<Record<Durability, string>> = {
  lossless: 'A failover happens automatically only when no acknowledged transaction can be lost.',
  'semi-sync':
    'A silent primary is replaced when no replica out of reach can acknowledge; isolated for longer than its semi-sync timeout, it acknowledges alone.',
  async:
    'Nothing proves that a silent primary has stopped: it is replaced when most replicas have lost it, and what it acknowledges alone is lost.',
}

/** Evaluated also while the primary answers: then it says what the policy is. */
export function judgeDurability({ situation, evidence, primary, loss }: VetoInput): VetoResult {
  const policy = durabilityOf(situation)
  const base = { value: policy, limit: 'cannot go on acknowledging' }
  if (!primary || primary.observation === 'answered' || primary.observation === 'rejected')
    return { ...base, state: 'clear', sentence: promises[policy] }
  // Until the silence is long enough there is nothing to decide about.
  const blocked = evidence.level === 'none' ? 'waiting' : 'closed'
  if (policy === 'lossless' && loss.kind !== 'none')
    return {
      ...base,
      state: blocked,
      sentence: `Acknowledged transactions may be lost, and durability-policy lossless forbids it: ${loss.reason} Restore a server that has them, or start the failover manually and lose them. ${stakeOf(primary, situation)}`,
    }
  const refuses = isGone(primary) && evidence.witnesses.every(({ testimony }) => proves.has(testimony))
  if (refuses) return { ...base, state: 'clear', sentence: `${primary.name} refuses connections: it has stopped.` }
  const waits = policy !== 'async' && isWaitingNow(primary, policy)
  const reach = judgeReach(situation, { later: waits && isPromised(situation) })
  const doubt = waits ? doubtOfAcknowledged(reach, primary) : doubtOfAsync(reach)
  if (doubt === undefined) return { ...base, state: 'clear', sentence: promises[policy] }
  return {
    ...base,
    value: `${policy}, ${namesOf(reach)}`,
    state: blocked,
    sentence: `${primary.name} may be alive and acknowledge transactions: ${doubt} Wait until it answers; ${FORCE}. ${stakeOf(primary, situation)}`,
  }
}

/** The policy gives its word for what is still to come; with `observed` nothing is promised. */
const isPromised = ({ settings }: Situation): boolean =>
  settings['durability-policy'] === 'lossless' || settings['durability-policy'] === 'semi-sync'

/**
 * The forecast as people and plans are shown it: of a primary that is only silent, what it acknowledged before is proven, what it
 * acknowledges from then on is not where enough receivers may be with it.
 */
export function forecastSilent(situation: Situation, loss: LossForecast): LossForecast {
  const primary = findServer(situation.snapshot, situation.snapshot.primary)
  if (loss.kind !== 'none' || !primary || isReachable(primary) || isGone(primary) || !isWaiting(primary)) return loss
  const reach = judgeReach(situation, { later: true })
  if (reach.possible < reach.needed) return loss
  return {
    kind: 'unknown',
    reason: `${primary.name} is silent and may be alive: ${namesOf(reach)} and may acknowledge what it commits from now on, which would stay there. Nothing that it acknowledged before it fell silent is lost (AFTER_SYNC).`,
  }
}

/** Of replicas that have lost a source, or do not ask for one. */
const proves: ReadonlySet<string> = new Set(['cut-off', 'abstains'])

/** A primary that was never probed is taken for what the policy says. */
const isWaitingNow = (primary: ServerSnapshot, policy: Durability): boolean =>
  primary.state === undefined ? policy !== 'async' : isWaiting(primary)

function doubtOfAcknowledged(reach: Reach, primary: ServerSnapshot): string | undefined {
  if (reach.possible < reach.needed) return undefined
  const down = reach.apart.filter((server) => wasDownBefore(server, primary)).map(({ name }) => name)
  const start =
    down.length === 0 ? '' : ` ${down.join(', ')} ${wereDown(down.length)}: start it where the manager reaches it.`
  return `${namesOf(reach)} and may acknowledge (${reach.possible} of ${reach.needed} needed).${start}`
}

const wereDown = (count: number): string =>
  count === 1
    ? 'was down before and may acknowledge as soon as it runs on that side'
    : 'were down before and may acknowledge as soon as one runs on that side'

/** It did not answer when the primary last did. */
const wasDownBefore = ({ failingSince }: ServerSnapshot, { stateAt = 0 }: ServerSnapshot): boolean =>
  failingSince !== undefined && failingSince < stateAt

/** No acknowledgement is needed: the side with more replicas is taken for the one that goes on. */
const doubtOfAsync = (reach: Reach): string | undefined =>
  reach.apart.length === 0 || reach.apart.length < reach.asked.length
    ? undefined
    : `its commits wait for no replica, and ${namesOf(reach)}; ${counted(reach.asked.length, 'replica')} answered.`

function namesOf({ apart, possible }: Reach): string {
  const strangers = possible - apart.length
  const named = apart.map(({ name }) => name).join(', ')
  const beside =
    strangers > 0
      ? counted(strangers, 'receiver that no member accounts for', 'receivers that no member accounts for')
      : ''
  if (named === '' && beside === '') return 'every replica answered'
  return [...(named === '' ? [] : [`${named} cannot be asked`]), ...(beside === '' ? [] : [`it had ${beside}`])].join(
    ', ',
  )
}

/** How much a failover may leave behind, by the pace of the primary before it fell silent. */
function stakeOf({ writes, failingSince, name }: ServerSnapshot, { now }: Situation): string {
  const seconds = Math.max(0, now - (failingSince ?? now)) / SECOND
  if (!writes) return `How much ${name} has written since is unknown.`
  const count = Math.ceil(writes.perSecond * seconds)
  return `At its last pace of ${Math.round(writes.perSecond)} per second, about ${transactions(count)} are at stake so far.`
}
