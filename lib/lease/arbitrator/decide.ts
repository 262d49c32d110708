// Which instance of the manager may act on a cluster of several sites, as the arbitrator decides it: pure.

/** What one instance sees of a cluster. */
export interface Sight {
  /** Address of the server that it takes for the primary; '' where it knows none. */
  readonly primary: string
  /** The latest probe of the primary failed, or it knows none. */
  readonly failing: boolean
  /** Failing: for how long. Else: how long ago the primary answered. Milliseconds. */
  readonly sinceMs: number
  /** Servers that answer it, of how many. */
  readonly alive: number
  readonly servers: number
  /** It has peers, and none of them answers it. */
  readonly split: boolean
}

export interface Report extends Sight {
  /** Of the process that reports: another one after each start. */
  readonly session: string
  /** `arbitration-external-unique-id`. */
  readonly uid: number
  /** The greatest term that it has heard of: an arbitrator that has lost its file gives none twice. */
  readonly term: number
}

export interface Grant {
  readonly session: string
  readonly uid: number
  /** When it ends, by the steady clock of the arbitrator. */
  readonly until: number
}

interface Candidate extends Report {
  /** When the report came, by the steady clock of the arbitrator. */
  readonly at: number
}

/** What the arbitrator knows of one cluster. */
export interface Contest {
  /** Of the latest grant: each is greater than every earlier one. */
  readonly term: number
  readonly grant?: Grant
  readonly candidates: readonly Candidate[]
}

export type Ruling =
  /** It may act for `leaseMs` from the moment at which it asked. */
  | {
      readonly type: 'won'
      readonly term: number
      readonly leaseMs: number
      /** No other instance that reports may see the primary, or more of the cluster: a primary that fails here may be replaced. */
      readonly confirmed: boolean
    }
  | {
      readonly type: 'lost'
      readonly term: number
      /** held: by another instance. better: another one sees more. starting: a grant of before the arbitrator's start may be in force. */
      readonly reason: 'held' | 'better' | 'starting'
      /** Its unique id and primary, where there is one. */
      readonly winner?: number
      readonly primary?: string
    }

export interface Ruled {
  readonly contest: Contest
  readonly ruling: Ruling
}

export interface Moment {
  /** By the steady clock of the arbitrator. */
  readonly now: number
  /** Before then only grants that are known are prolonged. */
  readonly quietUntil: number
  readonly leaseMs: number
}

export const noContest: Contest = { term: 0, candidates: [] }

/** A report counts for so long, as a share of the lease; and so long a primary fails before the better-placed instance is waited for. */
const FRESH = 1 / 3

/**
 * What a report is answered. A grant is prolonged for its holder only, and never given to another instance before it has ended.
 * An instance whose primary fails loses to one that still sees it: it is neither prolonged nor granted.
 */
export function decideRuling(contest: Contest, report: Report, { now, quietUntil, leaseMs }: Moment): Ruled {
  const freshMs = leaseMs * FRESH
  const others = contest.candidates.filter(({ session, at }) => session !== report.session && now - at <= freshMs)
  const candidates = [...others, { ...report, at: now }]
  const holder = contest.grant && now < contest.grant.until ? contest.grant : undefined
  const known = { ...contest, candidates }
  if (holder && holder.session !== report.session) return lose(known, 'held', holder)
  if (!holder && now < quietUntil) return lose(known, 'starting')
  const views = others.map((other) => compare(report, other, { now, yieldMs: freshMs }))
  const better = others[views.indexOf('better')]
  if (better) return lose(known, 'better', better)
  const term = holder ? contest.term : Math.max(contest.term, report.term) + 1
  const { session, uid } = report
  return {
    contest: { term, candidates, grant: { session, uid, until: now + leaseMs } },
    ruling: { type: 'won', term, leaseMs, confirmed: !views.includes('unknown') },
  }
}

/** The contest when its holder has stopped acting and gives the grant back. */
export function decideRelease(contest: Contest, session: string, term: number): Contest {
  const { grant, ...rest } = contest
  return grant?.session === session && contest.term === term ? rest : contest
}

function lose(
  contest: Contest,
  reason: Extract<Ruling, { readonly type: 'lost' }>['reason'],
  winner?: Pick<Report, 'session' | 'uid'>,
): Ruled {
  const primary = contest.candidates.find(({ session }) => session === winner?.session)?.primary
  const shown = { ...(winner ? { winner: winner.uid } : {}), ...(primary === undefined ? {} : { primary }) }
  return { contest, ruling: { type: 'lost', term: contest.term, reason, ...shown } }
}

/** Whether another instance is in a better place to act on the cluster; unknown while that may turn out. */
function compare(
  asker: Report,
  other: Candidate,
  { now, yieldMs }: { readonly now: number; readonly yieldMs: number },
): 'better' | 'unknown' | 'none' {
  if (!asker.failing) return 'none'
  // The primary answered the other one when it did not answer this one any more.
  const sees = !other.failing && other.at - other.sinceMs > now - asker.sinceMs
  const seesMore = other.failing && (asker.split || other.split) && other.alive > asker.alive
  if (sees || seesMore) return asker.sinceMs >= yieldMs ? 'better' : 'unknown'
  return other.failing ? 'none' : 'unknown'
}
