// Why a server must not take over although the election could choose it: a part of the history is missing on it.
import { transactions } from '../../../base/counted.js'
import { countTransactions, formatSet, isEmpty } from '../../../model/server/gtid.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'
import { lostWithPrimary, ownElsewhere } from '../../situation/history/candidate-history.js'
import type { Situation } from '../../situation/situation.js'

/** What it wrote itself and others hold; undefined when there is none. */
export function describeOwnElsewhere(
  server: ServerSnapshot,
  situation: Pick<Situation, 'snapshot' | 'settings'>,
): string | undefined {
  const found = ownElsewhere(server, situation)
  if (!found) return undefined
  const { set, holders } = found
  return `is missing ${transactions(countTransactions(set))} that it wrote itself: ${formatSet(set)} (on ${holders.join(', ')})`
}

/** What the primary lost and it does not hold either; undefined when there is none. */
export function describeLostWithPrimary(
  server: ServerSnapshot,
  primary: ServerSnapshot,
  situation: Situation,
): string | undefined {
  const lost = lostWithPrimary(server, primary, situation)
  if (isEmpty(lost)) return undefined
  return `is missing ${transactions(countTransactions(lost))} that ${primary.name} has lost and that other servers held: ${formatSet(lost)}; fail over to a server that holds them, or accept the loss (actions/reset-failover-control)`
}
