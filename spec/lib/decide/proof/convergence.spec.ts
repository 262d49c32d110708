// Plans against a simulated cluster: cut at every command and moment, a restarted manager always ends with one writable
// primary that every reachable replica follows, and nothing acknowledged under semi-sync is lost.
import { expect } from 'chai'
import { fail } from '../../../../lib/base/result.js'
import { sample } from '../../../support/run/soak.js'
import { World, type WorldOptions } from '../../../support/simulator/cluster.js'
import { type Kill, Killed, Manager } from '../../../support/simulator/manager.js'
import { holdings } from '../../../support/simulator/server.js'

/** A cluster that runs and was seen whole by its manager. */
function start(options: WorldOptions): Manager {
  const world = new World(options)
  const manager = new Manager(world)
  for (let write = 0; write < 5; write += 1) world.write(1)
  manager.ticks(3)
  return manager
}

const moments = ['before', 'begun', 'performed'] as const

/** Runs until the manager is killed at the moment given; answers whether it got there. */
function killedAt(manager: Manager, kill: Kill, act: (manager: Manager) => void): boolean {
  manager.kill = kill
  try {
    act(manager)
    return false
  } catch (error) {
    if (error instanceof Killed) return true
    throw error
  }
}

function failOver(manager: Manager): void {
  manager.ticks(60)
}

/** Everything quiet for a while: what must hold then. */
function expectSound(manager: Manager, { settled = 10 } = {}): void {
  const { world } = manager
  manager.ticks(settled, 300)
  const writable = world.writable()
  expect(writable, `writable servers after ${manager.history.join(', ')}`).to.have.length(1)
  const [primary = 0] = writable
  expect(manager.memory.primary).to.equal(`db${primary}`)
  for (const server of world.servers)
    if (server.up && !server.hung && server.number !== primary) {
      expect(server.link?.source, `source of db${server.number} after ${manager.history.join(', ')}`).to.equal(primary)
      expect(server.link?.io).to.equal('running')
    }
  world.write(primary)
  world.pass(100)
  for (const server of world.servers)
    if (server.up && !server.hung) expect(holdings(server)).to.deep.equal(holdings(world.server(primary)))
}

function cutsOf(run: (kill: Kill) => boolean): number {
  let cuts = 0
  for (let at = 0; ; at += 1)
    for (const moment of moments) {
      if (!run({ at, moment })) return cuts
      cuts += 1
    }
}

describe('an interrupted failover', () => {
  for (const servers of [2, 3, 4])
    for (const semiSync of [false, true])
      for (const death of ['killed', 'hung'] as const)
        it(`converges from every cut: ${servers} servers, ${semiSync ? 'semi-sync' : 'asynchronous'}, primary ${death}`, () => {
          const cuts = cutsOf((kill) => {
            const manager = start({ servers, semiSync })
            const { world } = manager
            if (death === 'killed') world.kill(1)
            else world.server(1).hung = true
            if (!killedAt(manager, kill, failOver)) return false
            const restarted = manager.restart()
            restarted.settle()
            restarted.ticks(15, 500)
            expectSound(restarted)
            expect(world.lost(world.writable()[0] ?? 0)).to.deep.equal([])
            return true
          })
          expect(cuts).to.be.above(20)
        })

  it('converges when the primary is back before the manager', () => {
    cutsOf((kill) => {
      const manager = start({ servers: 3 })
      const { world } = manager
      world.kill(1)
      if (!killedAt(manager, kill, failOver)) return false
      world.start(1)
      world.pass(200)
      const restarted = manager.restart()
      restarted.settle()
      expectSound(restarted)
      return true
    })
  })

  it('converges when the restarted manager is killed too', function () {
    this.timeout(300_000) // Thousands of runs: seconds on a machine that has time.
    const kills = moments.flatMap((moment) => Array.from({ length: 8 }, (_, at) => ({ moment, at })))
    for (const again of sample(kills, 2))
      cutsOf((kill) => {
        const manager = start({ servers: 3, semiSync: true })
        manager.world.kill(1)
        if (!killedAt(manager, kill, failOver)) return false
        const second = manager.restart()
        if (!killedAt(second, again, (one) => one.settle())) return true
        const third = second.restart()
        third.settle()
        third.ticks(15, 500)
        expectSound(third)
        return true
      })
  })
})

describe('an interrupted failover of which a server in maintenance alone holds the latest writes', () => {
  /** db2 missed what db3 acknowledged; then db3's source died. */
  function begin(): Manager {
    const world = new World({ servers: 3, semiSync: true })
    const manager = new Manager(world, { members: { db3: { maintenance: true } } })
    for (let write = 0; write < 5; write += 1) world.write(1)
    manager.ticks(3)
    world.hang(2)
    for (let write = 0; write < 4; write += 1) world.write(1)
    world.kill(1)
    world.wake(2)
    return manager
  }

  it('fetches them first, and loses none from any cut', () => {
    const cuts = cutsOf((kill) => {
      const manager = begin()
      const { world } = manager
      const killed = killedAt(manager, kill, (one) => one.ticks(20))
      const last = killed ? manager.restart() : manager
      if (killed) last.settle()
      last.ticks(20, 500)
      expect(world.writable(), last.history.join(', ')).to.deep.equal([2])
      expect(world.lost(2)).to.deep.equal([])
      return killed
    })
    expect(cuts).to.be.above(20)
  })
})

describe('an interrupted switchover', () => {
  for (const servers of [2, 3, 4])
    for (const semiSync of [false, true])
      it(`converges from every cut: ${servers} servers, ${semiSync ? 'semi-sync' : 'asynchronous'}`, () => {
        const cuts = cutsOf((kill) => {
          const manager = start({ servers, semiSync })
          const { world } = manager
          if (!killedAt(manager, kill, (one) => void one.switchOver())) return false
          const restarted = manager.restart()
          restarted.settle()
          expectSound(restarted)
          expect(world.lost(world.writable()[0] ?? 0)).to.deep.equal([])
          return true
        })
        expect(cuts).to.be.above(20)
      })

  it('converges when the old primary dies with the manager', () => {
    cutsOf((kill) => {
      const manager = start({ servers: 3, semiSync: true })
      const { world } = manager
      if (!killedAt(manager, kill, (one) => void one.switchOver())) return false
      world.kill(1)
      const restarted = manager.restart()
      restarted.settle()
      restarted.ticks(15, 500)
      expectSound(restarted)
      expect(world.lost(world.writable()[0] ?? 0)).to.deep.equal([])
      return true
    })
  })

  it('converges when the candidate dies with the manager', () => {
    cutsOf((kill) => {
      const manager = start({ servers: 3 })
      const { world } = manager
      if (!killedAt(manager, kill, (one) => void one.switchOver('db2'))) return false
      world.kill(2)
      const restarted = manager.restart()
      restarted.settle()
      restarted.ticks(15, 500)
      expectSound(restarted)
      return true
    })
  })
})

/** Every writable server gets a few writes. */
function writeOn(world: World): void {
  for (const number of world.writable()) for (let write = 0; write < 3; write += 1) world.write(number)
}

describe('a change of the primary of which two managers died', () => {
  for (const kind of ['failover', 'switchover'] as const)
    for (const saved of ['last', 'old'] as const)
      it(`loses nothing while the new primary hangs: ${kind}, ${saved} memory saved`, () => {
        const cuts = cutsOf((kill) => {
          const manager = start({ servers: 3, semiSync: true })
          const { world, memory } = manager
          const restart = (killed: Manager) => killed.restart(...(saved === 'old' ? [memory] : []))
          if (kind === 'failover') world.kill(1)
          const act = (one: Manager) => (kind === 'failover' ? one.ticks(12) : void one.switchOver('db2'))
          if (!killedAt(manager, kill, act)) return false
          writeOn(world)
          const second = restart(manager)
          killedAt(second, { at: 0, moment: 'begun' }, (one) => one.settle())
          writeOn(world)
          const third = restart(second)
          world.hang(2)
          third.settle()
          third.ticks(3, 1000)
          writeOn(world)
          world.wake(2)
          third.ticks(15, 500)
          expectSound(third)
          expect(world.lost(world.writable()[0] ?? 0)).to.deep.equal([])
          return true
        })
        expect(cuts).to.be.above(20)
      })
})

describe('an interrupted switchover whose order to take writes was executed, and not answered', () => {
  /** Clients write on the candidate before it is asked what it has, or do not. */
  function switchUnanswered(manager: Manager, writes: boolean): void {
    const { world } = manager
    const perform = world.perform.bind(world)
    let isLost = false
    world.perform = (command) => {
      const result = perform(command)
      if (isLost || command.type !== 'make-writable' || command.server !== 'db2') return result
      isLost = true
      if (writes) writeOn(world)
      return fail('sql-silent', 'db2 does not answer')
    }
    manager.switchOver('db2')
  }

  /** Nothing is lost that clients have an answer for. */
  function expectKept(manager: Manager, title: string): void {
    manager.ticks(10, 300)
    expect(manager.world.lost(manager.world.writable()[0] ?? 0), title).to.deep.equal([])
    expectSound(manager)
  }

  for (const servers of [2, 3])
    for (const semiSync of [false, true])
      for (const writes of [true, false])
        it(`converges from every cut: ${servers} servers, ${semiSync ? 'semi-sync' : 'asynchronous'}, ${writes ? 'written to' : 'not written to'}`, () => {
          const whole = start({ servers, semiSync })
          switchUnanswered(whole, writes)
          expectKept(whole, 'not cut')
          expect(whole.trace.join('\n')).to.include(writes ? 'keeps the role' : 'undoing')
          const cuts = cutsOf((kill) => {
            const manager = start({ servers, semiSync })
            if (!killedAt(manager, kill, (one) => switchUnanswered(one, writes))) return false
            const restarted = manager.restart()
            restarted.settle()
            expectKept(restarted, `cut: ${kill.moment} step ${kill.at}`)
            return true
          })
          expect(cuts).to.be.above(30)
        })

  it('converges when the restarted manager is killed too', function () {
    this.timeout(300_000) // Hundreds of runs: seconds on a machine that has time.
    const kills = moments.flatMap((moment) => Array.from({ length: 8 }, (_, at) => ({ moment, at })))
    for (const again of sample(kills, 4))
      cutsOf((kill) => {
        const manager = start({ servers: 3 })
        if (!killedAt(manager, kill, (one) => switchUnanswered(one, true))) return false
        const second = manager.restart()
        if (!killedAt(second, again, (one) => one.settle())) return true
        const third = second.restart()
        third.settle()
        expectKept(third, `cut: ${kill.moment} step ${kill.at}, then ${again.moment} step ${again.at}`)
        return true
      })
  })
})

describe('a switchover', () => {
  it('is undone when the candidate hangs, and the old primary takes writes again', () => {
    for (let after = 0; after < 12; after += 1) {
      const manager = start({ servers: 3 })
      const { world } = manager
      const perform = world.perform.bind(world)
      let count = 0
      world.perform = (command) => {
        count += 1
        if (count === after) world.server(2).hung = true
        return perform(command)
      }
      manager.switchOver('db2')
      manager.ticks(60)
      world.server(2).hung = false
      expectSound(manager)
    }
  })
})
