import { expect } from 'chai'
import fc from 'fast-check'
import {
  type Contest,
  decideRelease,
  decideRuling,
  noContest,
  type Report,
  type Ruling,
} from '../../../../lib/lease/arbitrator/decide.js'
import { cases } from '../../../support/run/soak.js'

const LEASE = 9_000

const report = (session: string, more: Partial<Report> = {}): Report => ({
  ...{ session, uid: session.charCodeAt(0), term: 0, primary: 'db1:3306' },
  ...{ failing: false, sinceMs: 200, alive: 3, servers: 3, split: false },
  ...more,
})

/** The arbitrator of one cluster, and what it answers at each moment. */
class Court {
  contest: Contest = noContest
  quietUntil = 0

  ask(now: number, asker: Report): Ruling {
    const ruled = decideRuling(this.contest, asker, { now, quietUntil: this.quietUntil, leaseMs: LEASE })
    this.contest = ruled.contest
    return ruled.ruling
  }
}

const failing = (sinceMs: number, more: Partial<Report> = {}): Partial<Report> => ({
  ...{ failing: true, sinceMs, alive: 2 },
  ...more,
})

describe('decideRuling', () => {
  it('lets the first one that asks act, and the next one when its lease has ended', () => {
    const court = new Court()
    expect(court.ask(0, report('a'))).to.deep.equal({ type: 'won', term: 1, leaseMs: LEASE, confirmed: true })
    expect(court.ask(8_000, report('b'))).to.include({ type: 'lost', term: 1, reason: 'held', winner: 97 })
    expect(court.ask(8_999, report('b'))).to.include({ type: 'lost' })
    expect(court.ask(9_000, report('b'))).to.include({ type: 'won', term: 2 })
    expect(court.ask(9_001, report('a'))).to.include({ type: 'lost', reason: 'held', winner: 98, primary: 'db1:3306' })
  })

  it('prolongs what the holder has, under the same term', () => {
    const court = new Court()
    court.ask(0, report('a'))
    for (let now = 1_000; now < 60_000; now += 1_000) {
      expect(court.ask(now, report('a', { split: true }))).to.include({ type: 'won', term: 1 })
      expect(court.ask(now, report('b', { split: true }))).to.include({ type: 'lost', reason: 'held' })
    }
  })

  it('gives another term to the holder that comes after its lease has ended', () => {
    const court = new Court()
    court.ask(0, report('a'))
    expect(court.ask(LEASE, report('a'))).to.include({ type: 'won', term: 2 })
  })

  it('gives no term that anyone has heard of', () => {
    expect(new Court().ask(0, report('a', { term: 41 }))).to.include({ type: 'won', term: 42 })
  })

  it('grants nothing after a start until earlier grants have ended, but prolongs those that it knows', () => {
    const court = new Court()
    court.quietUntil = LEASE
    expect(court.ask(0, report('b'))).to.deep.equal({ type: 'lost', term: 0, reason: 'starting' })
    court.contest = { term: 5, grant: { session: 'a', uid: 97, until: LEASE }, candidates: [] }
    expect(court.ask(0, report('b'))).to.include({ type: 'lost', reason: 'held' })
    expect(court.ask(0, report('a'))).to.include({ type: 'won', term: 5 })
  })

  describe('when the primary fails at the holder', () => {
    const held = (): Court => {
      const court = new Court()
      court.ask(0, report('a'))
      return court
    }

    it('confirms it where the other one does not see it either', () => {
      const court = held()
      court.ask(1_000, report('b', failing(300)))
      expect(court.ask(1_100, report('a', failing(400)))).to.include({ type: 'won', confirmed: true })
    })

    it('confirms it where nobody else reports', () => {
      const court = held()
      court.ask(0, report('b'))
      expect(court.ask(2_900, report('a', failing(2_500)))).to.include({ type: 'won', confirmed: false })
      expect(court.ask(3_100, report('a', failing(2_700)))).to.include({ type: 'won', confirmed: true })
    })

    it('confirms nothing while the other one may still see it: its answer is older than the failure', () => {
      const court = held()
      court.ask(1_000, report('b', { sinceMs: 900 }))
      expect(court.ask(1_100, report('a', failing(500)))).to.include({ type: 'won', confirmed: false })
    })

    it('does not prolong it where the other one sees the primary after it failed here, and then lets that one act', () => {
      const court = held()
      for (const now of [1_000, 2_000, 3_000, 4_000]) {
        court.ask(now, report('b'))
        const ruling = court.ask(now + 100, report('a', failing(now - 500)))
        expect(ruling, String(now)).to.include(
          now - 500 < LEASE / 3 ? { type: 'won', confirmed: false } : { type: 'lost', reason: 'better', winner: 98 },
        )
      }
      expect(court.ask(4_200, report('b')), 'the lease of the first one').to.include({ type: 'lost', reason: 'held' })
      expect(court.contest.grant?.until, 'from its latest prolongation on').to.equal(3_100 + LEASE)
      expect(court.ask(3_100 + LEASE, report('b'))).to.include({ type: 'won', term: 2 })
    })

    it('gives the one that sees more of the cluster the way while the sites are parted, and not otherwise', () => {
      for (const split of [true, false]) {
        const court = held()
        court.ask(6_000, report('b', failing(5_000, { alive: 2, split })))
        const ruling = court.ask(6_100, report('a', failing(5_000, { alive: 1, split })))
        expect(ruling.type, `split: ${split}`).to.equal(split ? 'lost' : 'won')
      }
    })

    it('leaves the holder where both see as much', () => {
      const court = held()
      court.ask(6_000, report('b', failing(5_000, { split: true })))
      expect(court.ask(6_100, report('a', failing(5_000, { split: true })))).to.include({
        type: 'won',
        confirmed: true,
      })
    })

    it('lets the better one act at once when the holder gives the grant back', () => {
      const court = held()
      court.ask(5_000, report('b'))
      expect(court.ask(5_100, report('a', failing(4_000)))).to.include({ type: 'lost', reason: 'better' })
      court.contest = decideRelease(court.contest, 'b', 1)
      expect(court.ask(5_150, report('b')), 'given back by another one').to.include({ type: 'lost' })
      court.contest = decideRelease(court.contest, 'a', 1)
      expect(court.ask(5_200, report('b'))).to.include({ type: 'won', term: 2 })
    })
  })
})

type Session = 'a' | 'b' | 'c'

/** An instance as it obeys: what it believes to hold, by the moment at which it asked. */
interface Believer {
  readonly term: number
  readonly until: number
  readonly known: number
}

interface World {
  readonly now: number
  readonly contest: Contest
  readonly quietUntil: number
  readonly believers: Readonly<Record<string, Believer>>
  /** Term → who won it. */
  readonly winners: Readonly<Record<number, string>>
}

type Event =
  | { readonly type: 'wait'; readonly ms: number }
  /** Sent `lateMs` before it arrives; `lost`: the reply. */
  | {
      readonly type: 'ask'
      readonly by: Session
      readonly sight: Partial<Report>
      readonly lateMs: number
      readonly lost: boolean
    }
  | { readonly type: 'release'; readonly by: Session }
  /** With its file, or without. */
  | { readonly type: 'restart'; readonly forgets: boolean }

const nobody: Believer = { term: 0, until: 0, known: 0 }
const start: World = { now: 0, contest: noContest, quietUntil: 0, believers: {}, winners: {} }

/** The next world, or what must not happen. */
function step(world: World, event: Event): World | string {
  const { now, contest, believers } = world
  switch (event.type) {
    case 'wait':
      return { ...world, now: now + event.ms }
    case 'release': {
      const own = believers[event.by] ?? nobody
      const stopped = { ...believers, [event.by]: { ...own, until: 0 } }
      return { ...world, contest: decideRelease(contest, event.by, own.term), believers: stopped }
    }
    case 'restart': {
      const kept = contest.grant
        ? { term: contest.term, candidates: [], grant: { ...contest.grant, until: now + LEASE } }
        : { term: contest.term, candidates: [] }
      // Terms that only the lost file knew may be given again: nobody acts under them any more.
      return event.forgets
        ? { ...world, contest: noContest, quietUntil: now + LEASE, winners: {} }
        : { ...world, contest: kept, quietUntil: now + LEASE }
    }
    case 'ask': {
      const own = believers[event.by] ?? nobody
      const asker = report(event.by, { ...event.sight, term: own.known })
      const ruled = decideRuling(contest, asker, { now, quietUntil: world.quietUntil, leaseMs: LEASE })
      const { ruling } = ruled
      const next = { ...world, contest: ruled.contest }
      if (ruling.type === 'won') {
        const winner = next.winners[ruling.term]
        if (winner !== undefined && winner !== event.by)
          return `term ${ruling.term} was won by ${winner} and ${event.by}`
      }
      const winners = ruling.type === 'won' ? { ...next.winners, [ruling.term]: event.by } : next.winners
      if (event.lost) return { ...next, winners }
      const until = ruling.type === 'won' ? now - event.lateMs + LEASE : 0
      const believer = { term: ruling.term, until, known: Math.max(own.known, ruling.term) }
      return { ...next, winners, believers: { ...believers, [event.by]: believer } }
    }
  }
}

/** Who acts now by their own belief. */
const acting = ({ now, believers }: World): readonly string[] =>
  Object.entries(believers).flatMap(([session, { until }]) => (until > now ? [session] : []))

function check(world: World): string | undefined {
  const active = acting(world)
  return active.length > 1 ? `${active.join(' and ')} act at ${world.now}` : undefined
}

describe('The arbitrator of one cluster', function () {
  this.timeout(600_000)

  it('never lets two instances act at once, in every order of a few events', () => {
    const sights: readonly Partial<Report>[] = [{}, failing(100), failing(4_000, { split: true, alive: 1 })]
    const events: readonly Event[] = [
      { type: 'wait', ms: 1 },
      { type: 'wait', ms: LEASE / 3 },
      { type: 'wait', ms: LEASE - 1 },
      { type: 'restart', forgets: false },
      { type: 'restart', forgets: true },
      ...(['a', 'b'] as const).flatMap((by): Event[] => [
        { type: 'release', by },
        ...sights.map((sight): Event => ({ type: 'ask', by, sight, lateMs: 0, lost: false })),
        { type: 'ask', by, sight: {}, lateMs: 500, lost: true },
      ]),
    ]
    const most = cases({ commit: 6_000, soak: 100_000 })
    const seen = new Set<string>()
    let worlds: readonly World[] = [start]
    let turns = 0
    for (let depth = 0; depth < 7; depth += 1)
      worlds = worlds.flatMap((world) =>
        events.flatMap((event) => {
          const next = step(world, event)
          const problem = typeof next === 'string' ? next : check(next)
          if (problem !== undefined) expect.fail(`${problem}: ${JSON.stringify([world, event])}`)
          if (typeof next === 'string') return []
          const key = JSON.stringify(next)
          if (seen.has(key) || seen.size > most) return []
          seen.add(key)
          turns += Object.keys(next.winners).length > 1 ? 1 : 0
          return [next]
        }),
      )
    expect(seen.size).to.be.above(5_000)
    expect(turns, 'worlds in which more than one term was won').to.be.above(100)
  })

  const sights: fc.Arbitrary<Partial<Report>> = fc.record({
    failing: fc.boolean(),
    sinceMs: fc.integer({ min: 0, max: 12_000 }),
    alive: fc.integer({ min: 0, max: 3 }),
    split: fc.boolean(),
  })
  const sessions = fc.constantFrom<Session>('a', 'b', 'c')
  const event: fc.Arbitrary<Event> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 6_000 }) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        ...{ type: fc.constant('ask' as const), by: sessions, sight: sights },
        ...{ lateMs: fc.integer({ min: 0, max: 800 }), lost: fc.boolean() },
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('release' as const), by: sessions }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const), forgets: fc.boolean() }) },
  )

  it('never has two winners of a term, nor replaces one before its lease has ended', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 10, maxLength: 60 }), (events) => {
        let world = start
        for (const one of events) {
          const next = step(world, one)
          if (typeof next === 'string') throw new Error(next)
          const problem = check(next)
          if (problem !== undefined) throw new Error(problem)
          world = next
        }
      }),
      { numRuns: cases({ commit: 600, soak: 20_000 }) },
    )
  })

  it('always has an instance act again when all report', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let world = start
        for (const one of events) {
          const next = step(world, one)
          if (typeof next !== 'string') world = next
        }
        for (let turn = 0; turn < 25; turn += 1)
          for (const ask of (['a', 'b'] as const).map(
            (by): Event => ({ type: 'ask', by, sight: failing(turn * 1_000), lateMs: 0, lost: false }),
          )) {
            const next = step(world, ask)
            if (typeof next !== 'string') world = { ...next, now: next.now + 500 }
          }
        expect(acting(world)).to.have.length(1)
      }),
      { numRuns: cases({ commit: 150, soak: 3_000 }) },
    )
  })
})
