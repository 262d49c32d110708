// What would be lost if the primary died now: proven nothing, bounded, or unknown.
import { expect } from 'chai'
import fc from 'fast-check'
import { SECOND } from '../../../../../lib/base/time.js'
import { reportLoss } from '../../../../../lib/decide/failover/election/loss.js'
import { judgeFailover } from '../../../../../lib/decide/failover/failover.js'
import { freshMemory, type Memory } from '../../../../../lib/model/memory.js'
import type { SemiSyncState } from '../../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  cutOff,
  NOW,
  primary,
  refused,
  replica,
  type ServerDraft,
  situation,
} from '../../../../support/simulator/situation.js'

const forecast = (servers: readonly ServerSnapshot[]) => judgeFailover(situation(servers)).loss
const acking = { state: { semiSync: acknowledgingReplica } }
const source = (semiSync: Partial<SemiSyncState> = {}, executed = '0-1-100') =>
  primary(1, { executed, semiSync: { ...acknowledgedSource(1), ...semiSync } })
/** It acknowledged until just before the primary died with `executed`. */
const witness = (received = '0-1-100') =>
  replica(2, { ...cutOff, ...acking, received, server: { inSyncAt: NOW - 300 } })
const dead = (executed = '0-1-100', gone: ServerDraft = refused) =>
  primary(1, { executed, semiSync: acknowledgedSource(1) }, gone)

describe('the loss forecast', () => {
  it('is nothing when every commit waits for a replica that can be promoted', () => {
    expect(forecast([source(), replica(2, acking)]).kind).to.equal('none')
  })

  for (const [claim, servers] of [
    ['replication is asynchronous', [source({ sourceEnabled: false, sourceActive: false }), replica(2)]],
    ['the source fell back', [source({ sourceActive: false, unacknowledged: 7 }), replica(2, acking)]],
    ['the wait point is after the commit', [source({ waitPoint: 'after-commit' }), replica(2, acking)]],
    ['no replica acknowledges', [source({ clients: 0 }), replica(2)]],
    ['a receiver that is no member acknowledges', [source({ clients: 2 }), replica(2, acking)]],
  ] as const)
    it(`is bounded at best when ${claim}`, () => {
      expect(forecast(servers).kind).to.equal('at-most')
    })

  it('counts what the candidate is missing', () => {
    expect(
      forecast([source({ sourceEnabled: false }, '0-1-107'), replica(2), replica(3, { received: '0-1-104' })]),
    ).to.include({
      kind: 'at-most',
      transactions: 3,
    })
  })

  it('is unknown when the dead primary wrote asynchronously', () => {
    expect(forecast([primary(1, {}, refused), replica(2, cutOff)]).kind).to.equal('unknown')
  })

  it('is still nothing when it died within its timeout after the last probe', () => {
    expect(forecast([dead(), witness()]).kind).to.equal('none')
    const long = { ...refused, stateAt: NOW - 30 * SECOND }
    expect(forecast([dead('0-1-100', long), witness()]).kind).to.equal('unknown')
  })

  it('is unknown when a replica vanished with it that may have acknowledged after the receivers were counted', () => {
    const gone = (failingSince: number) => replica(3, { ...acking, server: { ...refused, failingSince } })
    expect(forecast([dead(), witness(), gone(NOW - 100)])).to.include({ kind: 'unknown' })
    expect(forecast([dead(), witness(), gone(NOW - 60 * SECOND)]).kind).to.equal('none')
  })

  it('is unknown without a candidate', () => {
    expect(forecast([source()]).kind).to.equal('unknown')
  })

  it('is unknown when a server that cannot be promoted holds more', () => {
    const broken = replica(3, { ...acking, sql: 'stopped', received: '0-1-110', applied: '0-1-90' })
    expect(forecast([source({ clients: 2 }), replica(2, acking), broken]).kind).to.equal('unknown')
  })
})

describe('the loss forecast of a primary that goes on writing', () => {
  const verdict = (servers: readonly ServerSnapshot[]) => judgeFailover(situation(servers))
  const shown = (servers: readonly ServerSnapshot[]) => {
    const { loss, rows, ranking } = verdict(servers)
    return JSON.stringify({
      loss,
      rows: rows.map(({ rule, state, sentence }) => [rule, state, sentence]),
      ranks: ranking.map(({ server, eligible }) => [server, eligible]),
    })
  }
  /** Each was read at its own moment: one may show transactions that the others received since they were read. */
  const moments = fc.tuple(fc.integer({ min: 100, max: 120 }), fc.integer({ min: 100, max: 120 }))

  const second = (received: number) => replica(2, { ...acking, received: `0-1-${received}` })
  const cases = {
    broken: (received: number) =>
      replica(3, { ...acking, sql: 'stopped', received: `0-1-${received}`, applied: '0-1-90' }),
    'in maintenance': (received: number) =>
      replica(3, { ...acking, received: `0-1-${received}`, server: { maintenance: true } }),
    ignored: (received: number) =>
      replica(3, { ...acking, received: `0-1-${received}`, server: { rating: 'ignored' } }),
  } as const

  for (const [what, third] of Object.entries(cases))
    it(`is the same at every moment beside a server that acknowledges and is ${what}`, () => {
      const at = (two: number, three: number) => shown([source({ clients: 2 }, '0-1-110'), second(two), third(three)])
      const usual = at(110, 110)
      fc.assert(
        fc.property(moments, ([two, three]) => {
          expect(at(two, three)).to.equal(usual)
        }),
      )
    })

  it('is unknown where a server acknowledges that cannot be promoted, which it names and counts', () => {
    const { loss } = verdict([source({ clients: 2 }), second(100), cases.broken(100)])
    expect(loss.kind).to.equal('unknown')
    expect(loss.reason).to.match(
      /^A commit waits \(AFTER_SYNC\) for 1 replica, and of 2 that acknowledge 1 can be promoted: db3 /,
    )
  })

  it('is nothing where the candidate would fetch what that server has', () => {
    const { loss } = verdict([source({ clients: 2 }), second(100), cases['in maintenance'](100)])
    expect(loss.kind).to.equal('none')
    expect(loss.reason).to.match(/of 2 that acknowledge 1 can be promoted/)
  })

  it('compares what they have received when the primary is dead', () => {
    const broken = (received: number) =>
      replica(3, {
        ...cutOff,
        ...acking,
        sql: 'stopped',
        received: `0-1-${received}`,
        applied: '0-1-90',
        server: { inSyncAt: NOW - 300 },
      })
    expect(forecast([dead(), witness(), broken(110)])).to.include({ kind: 'unknown' })
    const { kind, reason } = forecast([dead(), witness(), broken(100)])
    expect(kind).to.equal('none')
    expect(reason).to.not.match(/2 acknowledge and can be promoted/)
  })
})

const remember = (memory: Memory, servers: readonly ServerSnapshot[]): Memory => situation(servers, { memory }).memory

/** What replicas 2 and 3 have received at a reading; the one that is left at the end is 2. */
const histories = fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { minLength: 1, maxLength: 8 }).map((steps) =>
  steps.map((_, index) => ({
    two: 100 + Math.max(...steps.slice(0, index + 1).map(([two]) => two)),
    three: 100 + Math.max(...steps.slice(0, index + 1).map(([, three]) => three)),
  })),
)

describe('the loss that is known', () => {
  it('is everything that a replica was ever seen to have received and the candidate has not', () => {
    fc.assert(
      fc.property(histories, fc.boolean(), (readings, forgets) => {
        const start: Memory = { ...freshMemory, primary: 'db1', discovered: true }
        const memory = readings.reduce(
          (known, { two, three }) =>
            remember(known, [
              source({}, `0-1-${Math.max(two, three)}`),
              replica(2, { received: `0-1-${two}` }),
              replica(3, { received: `0-1-${three}` }),
            ]),
          start,
        )
        const { two = 0, three = 0 } = readings.at(-1) ?? {}
        const ending = [
          // It came back without its last transactions before it died, in some runs.
          dead(forgets ? '0-1-100' : `0-1-${Math.max(two, three)}`),
          witness(`0-1-${two}`),
          replica(3, { received: '0-1-100', server: { ...refused, failingSince: NOW - 600_000 } }),
        ]
        const { loss } = judgeFailover(situation(ending, { memory: remember(memory, ending) }))
        const lost = Math.max(0, three - two)
        if (lost === 0) expect(loss.kind).to.not.equal('at-least')
        else expect(loss).to.include({ kind: 'at-least', transactions: lost })
        if (lost > 0) expect(reportLoss(loss)).to.match(new RegExp(`^At least ${lost} transaction`))
      }),
    )
  })

  it('ends with the term of the primary', () => {
    const memory = remember({ ...freshMemory, primary: 'db1' }, [primary(), replica(2, { received: '0-1-120' })])
    const next = remember({ ...memory, primary: 'db2' }, [primary(2), replica(3, { source: 2 })])
    expect(memory.held?.received).to.deep.equal({ '0': [[1, 120]] })
    expect(next.held?.received).to.deep.equal({ '0': [[1, 100]] })
  })
})
