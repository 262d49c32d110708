// Rules about who would take over, and about the transactions that would be left behind.

import { transactions } from '../../../base/counted.js'
import { isEmpty } from '../../../model/server/gtid.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import type { CandidateRow } from '../../../model/verdict.js'
import { applyDelayOf } from '../../situation/channel.js'
import { failedLogin } from '../../situation/fresh-login.js'
import { errantOf, errantText } from '../../situation/history/holdings.js'
import { heldBy } from '../../situation/lock-wait.js'
import type { Situation } from '../../situation/situation.js'
import { cannotReplicate } from '../../situation/stopping-defaults.js'
import { nameOf } from '../election/eligibility.js'
import type { VetoInput, VetoResult } from './veto.js'

export function judgeCandidate({ situation, election }: VetoInput): VetoResult {
  const { ranking, candidate, diverged, donor } = election
  const base = { value: candidate === undefined ? 'none' : nameOf(situation, candidate), limit: 'one' }
  if (diverged.length > 0) {
    const names = diverged.map((id) => nameOf(situation, id)).join(', ')
    return {
      ...base,
      state: 'closed',
      sentence: `The received transactions of ${names} have diverged; compare them first.`,
    }
  }
  if (candidate === undefined) {
    const reasons = ranking.map(({ reason }) => reason).join(' ') || 'There is no other server.'
    return { ...base, state: 'closed', sentence: `No server can take over. ${reasons}` }
  }
  const after = donor === undefined ? '' : ` after fetching transactions that only ${nameOf(situation, donor)} received`
  const waits = ranking.find(({ server }) => server === candidate)?.waits
  const then = waits === undefined ? '' : `, but only once it has applied what it received: ${waits}`
  const server = findServer(situation.snapshot, candidate)
  const lock = situation.lockedOut === candidate ? heldBy(server) : undefined
  if (lock !== undefined)
    return {
      ...base,
      state: 'waiting',
      sentence: `${nameOf(situation, candidate)} takes over as soon as a lock of a backup is gone, which made it refuse the last attempt: ${lock}.`,
    }
  const warning = warningOf(server)
  return {
    ...base,
    state: 'clear',
    sentence: `${nameOf(situation, candidate)} would take over${after}${then}.${warning}`,
  }
}

/** What a failover meets there, and goes on with all the same: no server takes writes otherwise. */
function warningOf(server: ServerSnapshot | undefined): string {
  const login = server && failedLogin(server)
  const defaults = server && cannotReplicate(server, 'source')
  const lock = heldBy(server)
  return [
    ...(login === undefined
      ? []
      : [` But it ${login}: that works only as long as the session that is kept there is not lost.`]),
    ...(lock === undefined ? [] : [` But ${lock}.`]),
    ...(defaults === undefined ? [] : [` But it ${defaults}.`]),
  ].join('')
}

/**
 * The delay that counts is what the candidate received and still has to apply. Those events are never thrown away, so
 * the rule only waits: the candidate keeps applying, and an empty backlog is no delay whatever figure was frozen.
 */
export function judgeDelay({ situation, election }: VetoInput): VetoResult {
  const limit = situation.settings['failover-max-slave-delay']
  const candidate = findServer(situation.snapshot, election.candidate)
  const row = election.ranking.find(({ server }) => server === election.candidate)
  const delay = candidate && applyDelayOf(candidate, situation.settings)
  const base = {
    value: delay === undefined ? 'unknown' : `${delay} s, ${transactions(row?.unapplied ?? 0)} to apply`,
    limit: `${limit} s`,
  }
  if (limit < 0) return { ...base, state: 'off', sentence: 'The delay of the candidate is not limited.' }
  if (!candidate || delay === undefined || delay <= limit || row?.unapplied === 0)
    return { ...base, state: 'clear', sentence: 'The candidate applies what it received within the limit.' }
  return {
    ...base,
    state: 'waiting',
    sentence: `${candidate.name} is still applying what it received; it is promoted when its delay is within the limit${row?.waits === undefined ? '' : `: ${row.waits}`}.`,
  }
}

export function judgeSync({ situation: { settings, snapshot }, election }: VetoInput): VetoResult {
  const sync = findServer(snapshot, snapshot.primary)?.state?.semiSync.sourceActive === true
  const base = { value: sync ? 'in sync' : 'not in sync', limit: 'in sync' }
  if (!settings['failover-at-sync'])
    return { ...base, state: 'off', sentence: 'Semi-synchronous state is not required.' }
  const skipped = election.ranking.some(({ code }) => code === 'ERR00043')
  return sync && (election.candidate !== undefined || !skipped)
    ? { ...base, state: 'clear', sentence: 'The candidate acknowledged until the primary failed.' }
    : {
        ...base,
        state: 'closed',
        sentence: 'No candidate was in sync with the primary, and failover-at-sync requires it.',
      }
}

export function judgeErrant({ situation, election, primary }: VetoInput): VetoResult {
  const errant = election.ranking.filter(({ code }) => code === 'WARN0091')
  const others = otherErrant(situation, primary, errant)
  const value = [...errant.map(({ server }) => nameOf(situation, server)), ...others.map(({ name }) => name)].join(', ')
  const base = { value: value || 'none', limit: 'none' }
  if (!situation.settings['check-replication-errant-trx'])
    return { ...base, state: 'off', sentence: 'Errant transactions are not checked.' }
  const blocks = errant.length > 0 && election.candidate === undefined
  return blocks
    ? { ...base, state: 'closed', sentence: errant.map(({ reason }) => reason).join(' ') }
    : {
        ...base,
        state: 'clear',
        sentence:
          [
            ...(errant.length > 0 ? ['Servers with errant transactions are excluded.'] : []),
            ...others.map(({ text }) => text),
          ].join(' ') || 'No replica has errant transactions.',
      }
}

const NOTHING = 'No other server has received more than the candidate.'
const NOT_YET = 'The primary answers: what the servers have received is compared when it does not.'

/** Those that are excluded for another reason, or that others could follow all the same since later transactions came after. */
function otherErrant(
  { snapshot, memory }: Situation,
  primary: ServerSnapshot | undefined,
  excluded: readonly CandidateRow[],
): readonly { readonly name: string; readonly text: string }[] {
  if (!primary) return []
  return snapshot.servers.flatMap((server) => {
    const { id, name, sourceId } = server
    if (id === primary.id || sourceId === undefined || excluded.some((row) => row.server === id)) return []
    const extra = errantOf(server, primary, memory)
    return isEmpty(extra) ? [] : [{ name, text: `${name} has errant transactions: ${errantText(extra, server)}.` }]
  })
}

/** Transactions on servers that cannot be promoted may be acknowledged: with semi-sync a person has to decide. */
export function judgeElsewhere({
  situation: { snapshot, settings },
  election,
}: Pick<VetoInput, 'situation' | 'election'>): VetoResult {
  const semiSync = findServer(snapshot, snapshot.primary)?.state?.semiSync
  const held = election.heldElsewhere
    .map(({ server, transactions }) => `${nameOf({ snapshot }, server)}: ${transactions}`)
    .join(', ')
  const base = { value: held || 'none', limit: 'none' }
  if (held === '') return { ...base, state: 'clear', sentence: election.living ? NOT_YET : NOTHING }
  return semiSync?.sourceActive === true || settings['failover-at-sync']
    ? {
        ...base,
        state: 'closed',
        sentence:
          'Acknowledged transactions may exist only there; repair that server, or start the failover manually and lose them.',
      }
    : { ...base, state: 'clear', sentence: 'Replication was asynchronous: these transactions would be lost.' }
}
