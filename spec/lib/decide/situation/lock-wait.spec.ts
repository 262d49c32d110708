// An applier behind a lock: when it is asked what it waits for, and what elections, explain, plans and findings say.
import { expect } from 'chai'
import { judgeFailover, planFailover } from '../../../../lib/decide/failover/failover.js'
import {
  followApplier,
  isHeldForgotten,
  isHeldReadDue,
  isLockReadDue,
  isWaitOver,
  LOCKED_MS,
  type StandingApplier,
  withHeldLock,
  withLockWait,
} from '../../../../lib/decide/situation/lock-wait.js'
import { previewPlan } from '../../../../lib/decide/switchover/preview.js'
import { judgeSwitchover, planSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import type { HeldLock, LockHolder, LockWait } from '../../../../lib/model/server/lock-wait.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { slowReading } from '../../../support/http/view-input.js'
import {
  channel,
  cutOff,
  NOW,
  primary,
  refused,
  replica,
  server,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const wait: LockWait = {
  lock: 'backup lock',
  holders: [{ id: 12, user: 'backup', host: '10.0.0.9', seconds: 34, isIdle: true }],
  more: 0,
  isProven: true,
}
const TEXT = 'its applier waits for the backup lock, held by session 12 of backup@10.0.0.9 (idle for 34 s)'

const locked = (since: number) => situation([primary(), replica(2, { server: { lockWait: { ...wait, since } } })])

describe('An applier behind a lock', () => {
  it('would still take over, and explain says what it waits for', () => {
    const { candidate, ranking, rows } = judgeFailover(locked(NOW))
    expect(candidate).to.equal('db2')
    expect(ranking[0]?.waits).to.equal(TEXT)
    expect(rows.find(({ rule }) => rule === 'candidate')).to.deep.include({
      state: 'clear',
      sentence: `db2 would take over, but only once it has applied what it received: ${TEXT}.`,
    })
  })

  it('refuses a switchover before anything is frozen', () => {
    const judged = judgeSwitchover(locked(NOW))
    expect(!judged.ok && judged.failure).to.deep.equal({
      code: 'no-candidate',
      message: `db2 cannot apply what it receives: ${TEXT}.`,
    })
    expect(judgeSwitchover(situation([primary(), replica(2)])).ok).to.equal(true)
  })

  it('is the reason that is named, also when the delay that follows from it is above the limits', () => {
    const behind = channel({ source: 1, received: '0-1-120', applied: '0-1-100', lagSeconds: 45 })
    const late = situation(
      [primary(), replica(2, { server: { lockWait: { ...wait, since: NOW } }, state: { channels: [behind] } })],
      { settings: { 'failover-max-slave-delay': 30 } },
    )
    const judged = judgeSwitchover(late)
    expect(!judged.ok && judged.failure.message).to.equal(`db2 cannot apply what it receives: ${TEXT}.`)
    const delay = judgeFailover(late).rows.find(({ rule }) => rule === 'failover-max-slave-delay')
    expect(delay).to.deep.include({ state: 'waiting' })
    expect(delay?.sentence).to.contain(TEXT)
  })

  it('is a finding when it lasts', () => {
    const found = (since: number) => locked(since).snapshot.findings.filter(({ code }) => code === 'WARN0257')
    expect(found(NOW)).to.deep.equal([])
    expect(found(NOW - LOCKED_MS).map(({ detail }) => detail)).to.deep.equal([`db2: ${TEXT}.`])
  })

  it('waits since its lock was first seen, and for another lock from then on', () => {
    const first = withLockWait(server(2), wait, 1_000)
    expect(withLockWait(first, wait, 5_000).lockWait?.since).to.equal(1_000)
    expect(withLockWait(first, { ...wait, lock: 'table metadata lock' }, 5_000).lockWait?.since).to.equal(5_000)
    expect(withLockWait(first, undefined, 5_000)).to.not.have.property('lockWait')
  })
})

describe('A lock of a backup that nothing waits for', () => {
  const held: HeldLock = { kind: 'instance', holders: wait.holders, more: 0 }
  const SAYS = 'session 12 of backup@10.0.0.9 (idle for 34 s) holds LOCK INSTANCE FOR BACKUP: until that ends'
  const on = (server: Parameters<typeof replica>[1], others: readonly ServerSnapshot[] = []) =>
    situation([primary(), replica(2, server), ...others])
  const since = (at: number) => ({ server: { heldLock: { ...held, since: at } } })

  it('refuses a switchover to that server, and is a risk of one that repoints it', () => {
    const judged = judgeSwitchover(on(since(NOW)))
    expect(!judged.ok && judged.failure.message).to.include(`db2 cannot take over: ${SAYS}`)
    const past = on(since(NOW), [replica(3)])
    const plan = planSwitchover(past, { user: 'admin', candidate: 'db3' })
    expect(plan.ok && previewPlan(plan.value, past).risks.join()).to.include(`db2: ${SAYS}`)
  })

  it('does not refuse a failover, and ranks the server behind an equal one', () => {
    const { candidate, rows } = judgeFailover(on(since(NOW)))
    expect(candidate).to.equal('db2')
    expect(rows.find(({ rule }) => rule === 'candidate')?.sentence).to.include(`db2 would take over. But ${SAYS}`)
    const two = judgeFailover(on(since(NOW), [replica(3)]))
    expect(two.candidate).to.equal('db3')
    expect(two.ranking[1]?.reason).to.include(`db2 received as much as db3, but ${SAYS}`)
  })

  it('is waited for by a failover that it made fail, and that follows at once when it is gone or another server is equal', () => {
    const judge = (one: Parameters<typeof replica>[1], others: readonly ServerSnapshot[] = []) => {
      const given = situation([primary(1, {}, refused), replica(2, { ...cutOff, ...one }), ...others], {
        lockedOut: 'db2',
      })
      return { ...judgeFailover(given), given }
    }
    const waiting = judge(since(NOW))
    const row = waiting.rows.find(({ rule }) => rule === 'candidate')
    expect([waiting.primaryDead, waiting.wouldFailOver, row?.state]).to.deep.equal([true, false, 'waiting'])
    expect(row?.sentence).to.include(`db2 takes over as soon as a lock of a backup is gone`).and.to.include(SAYS)
    for (const forced of [false, true]) {
      const plan = planFailover(waiting.given, { user: 'admin', forced })
      expect(!plan.ok && plan.failure.message).to.include(SAYS)
    }
    expect(judge({}).wouldFailOver).to.equal(true)
    expect(judge(since(NOW), [replica(3, cutOff)])).to.include({ wouldFailOver: true, candidate: 'db3' })
    // One that was not refused for it may be let through: older versions let an applier be stopped.
    expect(
      judgeFailover(situation([primary(1, {}, refused), replica(2, { ...cutOff, ...since(NOW) })])).wouldFailOver,
    ).to.equal(true)
  })

  it('is read every second while the primary fails', () => {
    const state = stateOf(2, { channels: [channel({ source: 1 })] })
    const due = (isListed: boolean, at: number, probesMs = 2_500) =>
      isHeldReadDue({ at: 0, isListed }, state, { at, probesMs, urgent: true })
    expect([due(true, 999), due(true, 1_000), due(false, 1_000)]).to.deep.equal([false, true, false])
  })

  it('is not known any more when it could not be read for 30 s, and where locks are not listed', () => {
    const forgotten = (read: { isListed: boolean; knownAt: number }) => isHeldForgotten({ at: 40_000, ...read })
    expect(forgotten({ isListed: true, knownAt: 10_001 })).to.equal(false)
    expect(forgotten({ isListed: true, knownAt: 10_000 })).to.equal(true)
    expect(forgotten({ isListed: false, knownAt: 40_000 })).to.equal(true)
  })

  it('is a finding when it lasts, until it is gone', () => {
    const found = (given: ReturnType<typeof situation>) =>
      given.snapshot.findings.filter(({ code }) => code === 'WARN0268').map(({ detail }) => detail ?? '')
    expect(found(on(since(NOW)))).to.deep.equal([])
    expect(found(on(since(NOW - LOCKED_MS))).join()).to.include(`db2: ${SAYS}`)
    expect(found(on({ server: { ...since(NOW - LOCKED_MS).server, observation: 'silent' } }))).to.deep.equal([])
    // It took over with the lock: what is held there is not read of a primary.
    expect(found(situation([primary(1, {}, since(NOW - LOCKED_MS).server), replica(2)]))).to.deep.equal([])
  })

  it('is held since it was first seen by one of the same sessions', () => {
    const first = withHeldLock(server(2), held, 1_000)
    expect(withHeldLock(first, held, 5_000).heldLock?.since).to.equal(1_000)
    const another = { ...held, holders: [{ ...wait.holders[0], id: 13 } as LockHolder] }
    expect(withHeldLock(first, another, 5_000).heldLock?.since).to.equal(5_000)
    expect(withHeldLock(first, { ...held, kind: 'commit' }, 5_000).heldLock?.since).to.equal(5_000)
    expect(withHeldLock(first, undefined, 5_000)).to.not.have.property('heldLock')
  })

  it('is read of replicas every five seconds, and every five minutes where the server does not list its locks', () => {
    const state = stateOf(2, { channels: [channel({ source: 1 })] })
    const [fast, slow] = [500, 2_500]
    expect(isHeldReadDue(undefined, stateOf(1, { channels: [] }), { at: 0, probesMs: fast })).to.equal(false)
    expect(isHeldReadDue(undefined, state, { at: 0, probesMs: fast })).to.equal(true)
    const due = (isListed: boolean, at: number, probesMs = fast) =>
      isHeldReadDue({ at: 0, isListed }, state, { at, probesMs })
    expect([due(true, 4_999), due(true, 5_000), due(false, 299_999), due(false, 300_000)]).to.deep.equal([
      false,
      true,
      false,
      true,
    ])
    // In a large fleet.
    expect([due(true, 24_999, slow), due(true, 25_000, slow)]).to.deep.equal([false, true])
  })
})

describe('followApplier', () => {
  const state = (draft: Parameters<typeof channel>[0]) => stateOf(2, { channels: [channel(draft)] })
  const behind = { source: 1, received: '0-1-120', applied: '0-1-100' }

  it('counts from when an applier with something to apply was first seen where it is', () => {
    const first = followApplier(undefined, state(behind), { at: 1_000 })
    expect(first?.since).to.equal(1_000)
    expect(followApplier(first, state(behind), { at: 3_000 })).to.equal(first)
    expect(followApplier(first, state({ ...behind, applied: '0-1-101' }), { at: 3_000 })?.since).to.equal(3_000)
  })

  it('says that a wait for a lock is over when the applier has moved, though it has more to apply', () => {
    const locked = { ...followApplier(undefined, state(behind), { at: 1_000 }), isLocked: true } as StandingApplier
    const over = (draft: Parameters<typeof channel>[0]) =>
      isWaitOver(locked, followApplier(locked, state(draft), { at: 3_000 }))
    expect(over(behind)).to.equal(false)
    expect(over({ ...behind, applied: '0-1-101' })).to.equal(true)
    expect(over({ source: 1 })).to.equal(true)
    expect(isWaitOver(undefined, undefined)).to.equal(false)
  })

  it('asks none that has nothing to apply, is delayed on purpose, stopped, or did not answer', () => {
    for (const draft of [{ source: 1 }, { ...behind, delaySeconds: 60 }, { ...behind, sql: 'stopped' as const }])
      expect(followApplier(undefined, state(draft), { at: 1_000 })).to.equal(undefined)
    expect(followApplier(undefined, undefined, { at: 1_000 })).to.equal(undefined)
    expect(
      followApplier(undefined, state({ source: 1, sqlThreadState: 'Waiting for backup lock' }), { at: 1_000 })?.since,
    ).to.equal(1_000)
  })

  it('reads a second later, then every two seconds while it is locked, every five while it works', () => {
    const standing = { mark: '', since: 1_000 }
    expect([1_999, 2_000].map((now) => isLockReadDue(standing, now))).to.deep.equal([false, true])
    const read = { ...standing, readAt: 2_000 }
    expect([3_999, 4_000].map((now) => isLockReadDue({ ...read, isLocked: true }, now))).to.deep.equal([false, true])
    expect([4_000, 7_000].map((now) => isLockReadDue(read, now))).to.deep.equal([false, true])
  })
})

describe('Commits that take seconds', () => {
  const found = (at: number) =>
    situation([primary(1, {}, { commitWaits: { sessions: 3, seconds: 7, at } }), replica(2)])
      .snapshot.findings.filter(({ code }) => code === 'WARN0258')
      .map(({ detail }) => detail)

  it('are a finding until two slow probes have seen none', () => {
    expect(found(NOW - 25_000)).to.deep.equal([
      'db1: 3 sessions waited more than 2 s in a commit, the longest for 7 s.',
    ])
    expect(found(NOW - 25_001)).to.deep.equal([])
  })
})

describe('A full disk with the binary log on it', () => {
  it('refuses a switchover away from it before anything is frozen', () => {
    const slow = slowReading('db1', { diskFull: true, logFull: true })
    const judged = judgeSwitchover(situation([primary(1, {}, { slow }), replica(2)]))
    expect(!judged.ok && judged.failure.code).to.equal('wrong-state')
    expect(!judged.ok && judged.failure.message).to.match(
      /^db1 has a full disk with its binary log on it: a commit waits/,
    )
    const elsewhere = slowReading('db1', { diskFull: true })
    expect(judgeSwitchover(situation([primary(1, {}, { slow: elsewhere }), replica(2)])).ok).to.equal(true)
  })
})
