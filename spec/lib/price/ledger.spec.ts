// What is accrued over random courses of ticks, restarts, clock changes, owners and prices, against an integration by the second.
import { expect } from 'chai'
import fc from 'fast-check'
import { overOf, perFamily, underOf } from '../../../lib/price/family.js'
import {
  addTick,
  closeMonth,
  type Ledgers,
  LONGEST_GAP_MS,
  type MonthLedger,
  mayClose,
  type Reading,
  type Sample,
} from '../../../lib/price/ledger.js'
import { lengthOf, monthOf, spanOfMonth } from '../../../lib/price/month.js'
import { costOf } from '../../../lib/price/tariff.js'

const SECOND = 1000
const START = Date.parse('2026-11-30T23:45:00Z')
const tariff = { price: 437_500, overPct: 150, underPct: 80 }
const nothing: Reading = { plan: 0, billable: 0, tariff }

/** One step of a course: something happens, time passes, every manager that runs reads what it owns. */
type Step =
  | { readonly type: 'use'; readonly cluster: number; readonly plan: number; readonly billable: number }
  | { readonly type: 'price'; readonly price: number }
  | { readonly type: 'set-clock'; readonly manager: number; readonly seconds: number }
  | { readonly type: 'kill' | 'stop' | 'reboot' | 'start'; readonly manager: number }
  | { readonly type: 'own'; readonly cluster: number; readonly manager: number }
  | { readonly type: 'drop' | 'add'; readonly cluster: number }
  | { readonly type: 'write' | 'pass' }

const CLUSTERS = ['shop', 'crm'] as const
const small = fc.nat(1)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('use' as const), cluster: small, plan: fc.nat(6), billable: fc.nat(6) }),
  fc.record({ type: fc.constant('price' as const), price: fc.nat(900_000) }),
  fc.record({ type: fc.constant('set-clock' as const), manager: small, seconds: fc.integer({ min: -900, max: 900 }) }),
  fc.record({
    type: fc.constantFrom('kill' as const, 'stop' as const, 'reboot' as const, 'start' as const),
    manager: small,
  }),
  fc.record({ type: fc.constant('own' as const), cluster: small, manager: small }),
  fc.record({ type: fc.constantFrom('drop' as const, 'add' as const), cluster: small }),
  fc.record({ type: fc.constantFrom('write' as const, 'pass' as const) }),
)
const course = fc.array(fc.tuple(step, fc.oneof(fc.constant(10), fc.integer({ min: 1, max: 400 }))), { maxLength: 60 })

interface Stretch {
  readonly cluster: string
  /** Real seconds since the start of the course, and what the wall clock showed at the end. */
  readonly from: number
  readonly to: number
  readonly wallEnd: number
  readonly reading: Reading
}

interface Last {
  readonly at: number
  readonly term: number
}

/** A manager, and what an integration that knows the real time expects of it. */
class World {
  readonly managers = [0, 1].map((index) => ({
    runs: true,
    offset: 0,
    boot: `boot${index}`,
    bootedAt: -1000 * (index + 1),
    ledgers: {} as Ledgers,
    onDisk: {} as Ledgers,
    stretches: [] as readonly Stretch[],
    stretchesOnDisk: [] as readonly Stretch[],
    last: new Map<string, Last>(),
    lastOnDisk: new Map<string, Last>(),
  }))
  readonly clusters = CLUSTERS.map((name) => ({
    name,
    exists: true,
    owner: 0,
    term: 1,
    reading: { ...nothing, plan: 1 } as Reading,
  }))
  price = tariff.price
  real = 0
  boots = 0

  run(one: Step, seconds: number): void {
    this.#happen(one)
    this.real += seconds
    for (const manager of this.managers) if (manager.runs) this.#tick(manager)
  }

  #happen(one: Step): void {
    const manager = 'manager' in one ? this.managers[one.manager] : undefined
    const cluster = 'cluster' in one ? this.clusters[one.cluster] : undefined
    if (one.type === 'price') this.price = one.price
    if (one.type === 'use' && cluster)
      cluster.reading = { ...cluster.reading, plan: one.plan || one.billable, billable: one.billable }
    if (one.type === 'set-clock' && manager?.runs) manager.offset += one.seconds
    if ((one.type === 'drop' || one.type === 'add') && cluster) cluster.exists = one.type === 'add'
    if (one.type === 'own' && cluster && 'manager' in one && cluster.owner !== one.manager) {
      cluster.owner = one.manager
      cluster.term += 1
    }
    if (one.type === 'write') for (const each of this.managers) if (each.runs) this.#write(each)
    if (!manager) return
    if (one.type === 'stop' && manager.runs) this.#write(manager)
    if (one.type === 'kill' || one.type === 'stop' || one.type === 'reboot') this.#forget(manager)
    manager.runs = one.type === 'start' || (manager.runs && one.type !== 'stop')
    if (one.type !== 'reboot') return
    this.boots += 1
    Object.assign(manager, { boot: `again${this.boots}`, bootedAt: this.real })
  }

  #write(manager: World['managers'][number]): void {
    manager.onDisk = JSON.parse(JSON.stringify(manager.ledgers))
    manager.stretchesOnDisk = manager.stretches
    manager.lastOnDisk = new Map(manager.last)
  }

  #forget(manager: World['managers'][number]): void {
    if (!manager.runs) return
    manager.ledgers = manager.onDisk
    manager.stretches = manager.stretchesOnDisk
    manager.last = new Map(manager.lastOnDisk)
  }

  #tick(manager: World['managers'][number]): void {
    const wall = START + (this.real + manager.offset) * SECOND
    const owned = this.clusters.filter(({ exists, owner }) => exists && this.managers[owner] === manager)
    const samples = owned.map(
      ({ name, term, reading }): Sample => ({
        ...{ cluster: name, term, partners: [], sponsors: [] },
        readings: { ...perFamily(() => nothing), dbu: { ...reading, tariff: { ...tariff, price: this.price } } },
      }),
    )
    const known = new Set(this.clusters.flatMap(({ name, exists }) => (exists ? [name] : [])))
    const instant = { wall, steady: (this.real - manager.bootedAt) * SECOND, boot: manager.boot }
    manager.ledgers = addTick(manager.ledgers, { instant, currency: 'EUR', samples, known })
    for (const { name, exists } of this.clusters) if (!exists) manager.last.delete(name)
    for (const { cluster, term, readings } of samples) {
      const last = manager.last.get(cluster)
      if (last?.term === term && this.real - last.at <= LONGEST_GAP_MS / SECOND)
        manager.stretches = [
          ...manager.stretches,
          { cluster, from: last.at, to: this.real, wallEnd: wall, reading: readings.dbu },
        ]
      manager.last.set(cluster, { at: this.real, term })
    }
  }
}

/** Second by second: what each month has, units × milliseconds, and the cost by the formula in its other form. */
function integrate(stretches: readonly Stretch[]) {
  const months = new Map<string, { planMs: number; overMs: number; underMs: number; cost: number; ms: number }>()
  for (const { cluster, from, to, wallEnd, reading } of stretches)
    for (let second = from; second < to; second += 1) {
      const month = monthOf(wallEnd - (to - second) * SECOND)
      const key = `${cluster} ${month}`
      const sum = months.get(key) ?? { planMs: 0, overMs: 0, underMs: 0, cost: 0, ms: 0 }
      const { plan, billable, tariff: own } = reading
      const rate =
        billable > plan
          ? plan + (billable - plan) * (1 + own.overPct / 100)
          : billable + (plan - billable) * (1 - own.underPct / 100)
      months.set(key, {
        planMs: sum.planMs + plan * SECOND,
        overMs: sum.overMs + overOf(reading) * SECOND,
        underMs: sum.underMs + underOf(reading) * SECOND,
        cost: sum.cost + (rate * own.price * SECOND) / lengthOf(spanOfMonth(month)) / 100,
        ms: sum.ms + SECOND,
      })
    }
  return months
}

const entriesOf = (ledgers: Ledgers) =>
  Object.values(ledgers).flatMap(({ month, clusters }) =>
    Object.entries(clusters).map(([cluster, ledger]) => ({ key: `${cluster} ${month}`, month, ledger })),
  )

describe('addTick', () => {
  it('integrates as by the second, over restarts, changes of the clock, prices, owners and clusters', () => {
    fc.assert(
      fc.property(course, (steps) => {
        const world = new World()
        for (const [one, seconds] of steps) world.run(one, seconds)
        for (const { ledgers, stretches } of world.managers) {
          const expected = integrate(stretches)
          for (const { key, month, ledger } of entriesOf(ledgers)) {
            const sum = expected.get(key) ?? { planMs: 0, overMs: 0, underMs: 0, cost: 0, ms: 0 }
            const lines = ledger.accrued.dbu
            const of = (field: 'planMs' | 'overMs' | 'underMs') => lines.reduce((total, line) => total + line[field], 0)
            expect([of('planMs'), of('overMs'), of('underMs')]).to.deep.equal([sum.planMs, sum.overMs, sum.underMs])
            expect(ledger.accountedMs).to.equal(sum.ms)
            expect(costOf(lines, lengthOf(spanOfMonth(month))).total).to.be.closeTo(sum.cost, 1.51)
            expected.delete(key)
          }
          expect([...expected.keys()]).to.deep.equal([])
        }
      }),
      { numRuns: 300 },
    )
  })

  it('counts no second twice, whatever managers owned the cluster and were restarted', () => {
    fc.assert(
      fc.property(course, (steps) => {
        const world = new World()
        for (const [one, seconds] of steps) world.run(one, seconds)
        for (const name of CLUSTERS) {
          const own = world.managers.flatMap(({ stretches }) => stretches.filter(({ cluster }) => cluster === name))
          const sorted = own.toSorted((one, other) => one.from - other.from)
          for (const [index, { to }] of sorted.entries()) expect(sorted[index + 1]?.from ?? to).to.be.at.least(to)
          const accounted = world.managers
            .flatMap(({ ledgers }) => entriesOf(ledgers))
            .filter(({ key }) => key.startsWith(name))
            .reduce((sum, { ledger }) => sum + ledger.accountedMs, 0)
          expect(accounted).to.be.at.most(world.real * SECOND)
        }
      }),
      { numRuns: 300 },
    )
  })

  const sample = (readings: Reading): Sample => ({
    ...{ cluster: 'shop', term: 0, partners: ['ops'], sponsors: ['ann'] },
    readings: { ...perFamily(() => nothing), dbu: readings },
  })
  const tick = (wall: number, samples: readonly Sample[], known = ['shop']) => ({
    ...{ instant: { wall, steady: wall, boot: 'b' }, currency: 'EUR', samples, known: new Set(known) },
  })
  const one = sample({ plan: 1, billable: 1, tariff })

  it('leaves a closed month unchanged, and counts nothing in it', () => {
    const open = addTick(addTick({}, tick(START, [one])), tick(START + 10_000, [one]))
    const closed = { '2026-11': closeMonth(open['2026-11'] as MonthLedger) }
    const later = addTick(closed, tick(START + 20_000, [one]))
    expect(later['2026-11']).to.equal(closed['2026-11'])
  })

  it('keeps the days of a dropped cluster, and does not bridge its absence', () => {
    const open = addTick(addTick({}, tick(START, [one])), tick(START + 10_000, [one]))
    const dropped = addTick(open, tick(START + 20_000, [], []))
    const again = addTick(dropped, tick(START + 30_000, [one]))
    expect(again['2026-11']?.clusters.shop?.accountedMs).to.equal(10_000)
    expect(again['2026-11']?.clusters.shop?.firstSeen).to.equal(START)
  })

  it('keeps everyone that was sponsor or partner in the month', () => {
    const two = { ...one, partners: [], sponsors: ['bob'] }
    const open = addTick(addTick({}, tick(START, [one])), tick(START + 10_000, [two]))
    const { partners, sponsors } = open['2026-11']?.clusters.shop ?? {}
    expect({ partners, sponsors }).to.deep.equal({ partners: ['ops'], sponsors: ['ann', 'bob'] })
  })

  it('keeps the currency in which the month began', () => {
    const open = addTick(addTick({}, tick(START, [one])), { ...tick(START + 10_000, [one]), currency: 'USD' })
    expect(open['2026-11']?.currency).to.equal('EUR')
  })
})

describe('mayClose', () => {
  it('closes a month when no stretch before its end can come any more', () => {
    const { to } = spanOfMonth('2026-11')
    expect([to - 1, to + LONGEST_GAP_MS, to + 2 * LONGEST_GAP_MS].map((at) => mayClose('2026-11', at))).to.deep.equal([
      false,
      false,
      true,
    ])
  })
})
