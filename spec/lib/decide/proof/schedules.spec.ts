// Random schedules: one fault after the other, writers all the while; the cluster is always whole again afterwards.
import { expect } from 'chai'
import fc from 'fast-check'
import { cases } from '../../../support/run/soak.js'
import { World } from '../../../support/simulator/cluster.js'
import { Manager } from '../../../support/simulator/manager.js'

const SERVERS = 3

/** What happens to one server for a while, and how it ends. */
interface Fault {
  readonly begin: (world: World, number: number) => void
  readonly end: (world: World, number: number) => void
}

const faults: Readonly<Record<string, Fault>> = {
  'is killed': { begin: (world, number) => world.kill(number), end: (world, number) => world.start(number) },
  hangs: { begin: (world, number) => world.hang(number), end: (world, number) => world.wake(number) },
  'is cut off from the manager': { begin: (world, number) => world.cut(0, number), end: (world) => world.heal() },
  'is cut off from its neighbour': {
    begin: (world, number) => world.cut(number, (number % SERVERS) + 1),
    end: (world) => world.heal(),
  },
  'restarts at once': {
    begin: (world, number) => {
      world.kill(number)
      world.start(number)
    },
    end: () => undefined,
  },
  'is left alone': { begin: () => undefined, end: () => undefined },
}

const event = fc.record({
  fault: fc.constantFrom(...Object.keys(faults)),
  server: fc.integer({ min: 1, max: SERVERS }),
  /** Ticks of 100 ms. */
  lasts: fc.integer({ min: 1, max: 60 }),
  writes: fc.integer({ min: 0, max: 6 }),
  switchover: fc.boolean(),
  managerRestarts: fc.boolean(),
})

function write(world: World, count: number): void {
  for (let write = 0; write < count; write += 1) for (const number of world.writable()) world.write(number)
}

const soleWriter = (world: World): number => {
  expect(world.writable(), 'writable servers').to.have.length(1)
  return world.writable()[0] ?? 0
}

describe('any schedule of single faults under semi-sync', () => {
  it('loses nothing acknowledged, has one writer after every tick, and ends healthy', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), (events) => {
        const world = new World({ servers: SERVERS, semiSync: true })
        let manager = new Manager(world)
        manager.ticks(3)
        for (const { fault, server, lasts, writes, switchover, managerRestarts } of events) {
          const { begin, end } = faults[fault] ?? { begin: () => undefined, end: () => undefined }
          write(world, writes)
          begin(world, server)
          for (let tick = 0; tick < lasts; tick += 1) {
            write(world, tick % 10 === 0 ? writes : 0)
            manager.tick()
            expect(world.writable().length, 'writable servers').to.be.at.most(1)
          }
          end(world, server)
          if (managerRestarts) {
            manager = manager.restart()
            manager.settle()
          }
          manager.ticks(20)
          if (switchover) manager.switchOver()
          manager.ticks(40)
          expect(world.lost(soleWriter(world)), 'acknowledged and lost').to.deep.equal([])
        }
      }),
      { numRuns: cases({ commit: 5, soak: 300 }) },
    )
  })
})

describe('any pauses shorter than the heartbeat timeout', () => {
  it('never cause a failover', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 5, maxLength: 20 }), (pauses) => {
        const world = new World({ servers: SERVERS })
        const manager = new Manager(world)
        manager.ticks(3)
        for (const pause of pauses) {
          world.hang(1)
          manager.ticks(pause)
          world.wake(1)
          world.write(1)
          manager.ticks(2)
        }
        expect(manager.history.filter((kind) => kind.startsWith('failover'))).to.deep.equal([])
        expect(world.writable()).to.deep.equal([1])
      }),
      { numRuns: cases({ commit: 3, soak: 200 }) },
    )
  })
})

describe('a manager that is cut off', () => {
  it('from the primary alone never fails over', () => {
    const world = new World({ servers: SERVERS })
    const manager = new Manager(world)
    manager.ticks(3)
    world.cut(0, 1)
    manager.ticks(200)
    expect(manager.history).to.deep.equal([])
  })

  it('from everyone never does anything', () => {
    const world = new World({ servers: SERVERS })
    const manager = new Manager(world)
    manager.ticks(3)
    for (const number of [1, 2, 3]) world.cut(0, number)
    manager.ticks(200)
    world.heal()
    manager.ticks(20)
    expect(manager.history).to.deep.equal([])
    expect(world.writable()).to.deep.equal([1])
  })
})

describe('two deaths in a row', () => {
  it('lose nothing acknowledged when the cluster had time to recover in between', () => {
    const world = new World({ servers: 4, semiSync: true })
    const manager = new Manager(world)
    manager.ticks(3)
    for (let death = 0; death < 2; death += 1) {
      write(world, 5)
      world.kill(world.writable()[0] ?? 0)
      manager.ticks(40)
      write(world, 5)
    }
    expect(world.lost(soleWriter(world))).to.deep.equal([])
    expect(manager.memory.failoverCount).to.equal(2)
  })
})

describe('an old primary that returns with more than the new one', () => {
  it('is closed, saved once, and stays out', () => {
    const world = new World({ servers: 3 })
    const manager = new Manager(world)
    manager.ticks(3)
    for (const number of [2, 3]) world.cut(1, number)
    world.write(1)
    world.kill(1)
    world.heal()
    manager.ticks(20)
    world.start(1)
    manager.ticks(50)
    expect(world.writable()).to.have.length(1)
    expect(world.server(1).link).to.equal(undefined)
    expect(world.tails).to.deep.equal(['db1'])
    expect(manager.snapshot?.findings.map(({ code }) => code)).to.include('WARN0186')
  })
})

describe('appliers that lag at the moment of death', () => {
  it('are waited for: nothing received is thrown away', () => {
    const world = new World({ servers: 3 })
    const manager = new Manager(world)
    manager.ticks(3)
    for (const number of [2, 3]) world.server(number).applyRate = 1
    write(world, 30)
    world.pass(1)
    world.kill(1)
    manager.ticks(120)
    expect(world.lost(soleWriter(world))).to.deep.equal([])
  })
})
