import { expect } from 'chai'
import fc from 'fast-check'
import {
  isWhole,
  planPurge,
  planRetention,
  planRoom,
  type RetentionPolicy,
} from '../../../../lib/decide/backup/retention.js'
import type { Backup } from '../../../../lib/model/backup.js'
import { backupOf } from '../../../support/canned/backup.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const none: RetentionPolicy = { hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0 }
const at = (iso: string, more: Partial<Backup> = {}) =>
  backupOf({ id: Date.parse(iso) / 1_000, startedAt: Date.parse(iso), ...more })
const ids = (backups: readonly Backup[]) => backups.map(({ id }) => id)

const policies: fc.Arbitrary<RetentionPolicy> = fc.record({
  hourly: fc.nat(3),
  daily: fc.nat(3),
  weekly: fc.nat(3),
  monthly: fc.nat(3),
  yearly: fc.nat(3),
})

/** Backups of some months; incremental ones continue one before them, or one that is gone. */
const histories: fc.Arbitrary<readonly Backup[]> = fc
  .array(
    fc.record({
      hours: fc.nat(5_000),
      kind: fc.constantFrom('logical' as const, 'physical' as const),
      state: fc.constantFrom('valid' as const, 'valid' as const, 'failed' as const, 'running' as const),
      keptUntil: fc.nat(6_000 * HOUR),
      continues: fc.option(fc.nat(20)),
    }),
    { maxLength: 30 },
  )
  .map((drawn) =>
    drawn
      .toSorted((a, b) => a.hours - b.hours)
      .map(({ hours, continues, ...more }, index) =>
        backupOf({
          ...{ id: index + 1, startedAt: hours * HOUR, ...more },
          ...(continues !== null && continues < index
            ? { strategy: 'incremental' as const, previous: continues === 0 ? 999 : continues }
            : {}),
        }),
      ),
  )

describe('planRetention', () => {
  it('keeps one backup of each of the latest periods, by length', () => {
    const backups = [
      at('2024-06-01T01:00:00Z'),
      at('2025-12-31T01:00:00Z'),
      at('2026-10-31T01:00:00Z'),
      at('2026-11-15T01:00:00Z'),
      at('2026-11-16T01:00:00Z'),
      at('2026-11-22T01:00:00Z'),
      at('2026-11-23T01:00:00Z'),
      at('2026-11-23T02:10:00Z'),
      at('2026-11-23T02:50:00Z'),
    ]
    const { keep, remove } = planRetention(backups, { hourly: 2, daily: 2, weekly: 3, monthly: 2, yearly: 3 })
    const reasons = Object.fromEntries(
      backups.map(({ id }) => [new Date(id * 1_000).toISOString().slice(0, 16), keep.get(id)]),
    )
    expect(reasons).to.deep.equal({
      '2024-06-01T01:00': ['yearly'],
      '2025-12-31T01:00': ['yearly'],
      '2026-10-31T01:00': ['monthly'],
      '2026-11-15T01:00': ['weekly'],
      '2026-11-16T01:00': undefined,
      '2026-11-22T01:00': ['daily', 'weekly'],
      '2026-11-23T01:00': ['hourly'],
      '2026-11-23T02:10': undefined,
      '2026-11-23T02:50': ['newest', 'hourly', 'daily', 'weekly', 'monthly', 'yearly'],
    })
    expect(ids(remove)).to.deep.equal([at('2026-11-16T01:00:00Z').id, at('2026-11-23T02:10:00Z').id])
  })

  it('keeps what an incremental backup that stays continues', () => {
    const full = backupOf({ id: 1, startedAt: 0 })
    const first = backupOf({ id: 2, startedAt: DAY, strategy: 'incremental', previous: 1 })
    const second = backupOf({ id: 3, startedAt: 2 * DAY, strategy: 'incremental', previous: 2 })
    const { keep, remove } = planRetention([full, first, second], none)
    expect(remove).to.deep.equal([])
    expect(keep.get(1)).to.deep.equal(['continued by 3'])
  })

  it('does not take an incremental backup for the newest valid one when what it continues is missing', () => {
    const full = backupOf({ id: 1, startedAt: 0 })
    const torn = backupOf({ id: 3, startedAt: DAY, strategy: 'incremental', previous: 2 })
    expect(ids(planRetention([full, torn], none).remove)).to.deep.equal([3])
  })

  it('never removes the newest valid one of a kind, one that was recovered from, one that runs, nor what these continue', () => {
    fc.assert(
      fc.property(histories, policies, (backups, policy) => {
        const { keep, remove } = planRetention(backups, policy)
        const latest = Math.max(...backups.map(({ startedAt }) => startedAt))
        for (const kind of ['logical', 'physical'] as const) {
          const valid = backups.filter((each) => each.kind === kind && isWhole(each, backups))
          const newest = Math.max(...valid.map(({ startedAt }) => startedAt))
          if (valid.length > 0)
            expect(valid.some(({ id, startedAt }) => startedAt === newest && keep.has(id))).to.equal(true)
        }
        for (const gone of remove) {
          expect((gone.keptUntil ?? 0) > latest || gone.state === 'running').to.equal(false)
          expect(backups.some(({ id, previous }) => previous === gone.id && keep.has(id))).to.equal(false)
        }
        expect(keep.size + remove.length).to.equal(backups.length)
      }),
    )
  })

  it('leaves only chains that can be restored, wherever a removal is interrupted', () => {
    fc.assert(
      fc.property(histories, policies, (backups, policy) => {
        const whole = new Set(backups.filter((each) => isWhole(each, backups)).map(({ id }) => id))
        const { remove } = planRetention(backups, policy)
        for (const count of remove.keys()) {
          const gone = new Set(ids(remove.slice(0, count + 1)))
          const left = backups.filter(({ id }) => !gone.has(id))
          for (const each of left) if (whole.has(each.id)) expect(isWhole(each, left)).to.equal(true)
        }
      }),
    )
  })

  it('removes nothing more when it is asked again', () => {
    fc.assert(
      fc.property(histories, policies, (backups, policy) => {
        const { keep } = planRetention(backups, policy)
        expect(
          planRetention(
            backups.filter(({ id }) => keep.has(id)),
            policy,
          ).remove,
        ).to.deep.equal([])
      }),
    )
  })
})

describe('planRoom', () => {
  it('names what the next backup will replace, and never the newest valid one', () => {
    const [first, second] = [at('2026-11-21T01:00:00Z'), at('2026-11-22T01:00:00Z')]
    const next = { kind: 'logical', startedAt: Date.parse('2026-11-23T01:00:00Z') } as const
    expect(ids(planRoom([first, second], { ...none, daily: 2 }, next))).to.deep.equal([first.id])
    expect(ids(planRoom([second], { ...none, daily: 1 }, next))).to.deep.equal([])
  })
})

describe('planPurge', () => {
  it('names the oldest until enough is free', () => {
    const backups = [1, 2, 3, 4].map((id) => backupOf({ id, startedAt: id * DAY, size: 100 }))
    expect(ids(planPurge(backups, 150))).to.deep.equal([1, 2])
    expect(ids(planPurge(backups, 10_000))).to.deep.equal([1, 2, 3])
  })

  it('takes a chain as a whole, its newest first', () => {
    const backups = [
      backupOf({ id: 1, startedAt: DAY, size: 100 }),
      backupOf({ id: 2, startedAt: 2 * DAY, size: 1, strategy: 'incremental', previous: 1 }),
      backupOf({ id: 3, startedAt: 3 * DAY, size: 100 }),
      backupOf({ id: 4, startedAt: 4 * DAY, size: 100 }),
    ]
    expect(ids(planPurge(backups, 1))).to.deep.equal([2, 1])
  })
})
