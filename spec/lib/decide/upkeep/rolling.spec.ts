// Rolling work decided step by step, and cut at every step: it ends with every server restarted, one writer, all together.
import { expect } from 'chai'
import { planRoll, stepRoll } from '../../../../lib/decide/upkeep/rolling.js'
import type { Roll } from '../../../../lib/model/operation/roll.js'
import { sample } from '../../../support/run/soak.js'
import { World } from '../../../support/simulator/cluster.js'
import { Killed, Manager } from '../../../support/simulator/manager.js'
import { Cutoff, type Moment, Roller, type RollOptions } from '../../../support/simulator/roll.js'
import { holdings } from '../../../support/simulator/server.js'

interface Given {
  readonly servers?: number
  /** The former primary comes back open for writes. */
  readonly opensItself?: boolean
  readonly members?: ConstructorParameters<typeof Manager>[1]
}

function start({ servers = 3, opensItself = false, members }: Given = {}): Manager {
  const world = new World({ servers })
  world.server(1).readOnlyByFile = !opensItself
  const manager = new Manager(world, members)
  for (let write = 0; write < 5; write += 1) world.write(1)
  manager.ticks(3)
  return manager
}

const begin = (given: Given = {}, options: RollOptions = {}): Roller => Roller.begin(start(given), options)

/** Every server started after `since`, one takes writes, the others follow it and hold the same. */
function expectRolled({ manager }: Roller, since: number, home = 1): void {
  const { world } = manager
  manager.ticks(10, 300)
  for (const server of world.servers) expect(server.startedAt, `start of db${server.number}`).to.be.above(since)
  expect(world.writable()).to.deep.equal([home])
  expect(world.lost(home)).to.deep.equal([])
  world.write(home)
  world.pass(100)
  for (const server of world.servers) expect(holdings(server)).to.deep.equal(holdings(world.server(home)))
  expect(maintained({ manager })).to.deep.equal([])
}

const maintained = ({ manager }: Pick<Roller, 'manager'>) =>
  manager.servers.flatMap(({ id, maintenance }) => (maintenance ? id : []))

const states = (roll: Roll) => Object.fromEntries(roll.servers.map(({ server, state }) => [server, state]))

/** At most one server is down, and one is writable. */
const serving = ({ manager: { world } }: Roller): void => {
  expect(world.servers.filter(({ up }) => !up).length).to.be.at.most(1)
  expect(world.writable().length).to.be.at.least(1)
}

describe('stepRoll', () => {
  for (const servers of [2, 3, 4])
    for (const opensItself of [false, true])
      it(`takes replicas first, then moves the role, and moves it home: ${servers} servers, ${opensItself ? 'opening themselves' : 'closed by file'}`, () => {
        const roller = begin({ servers, opensItself }, { onTick: serving })
        const since = roller.manager.world.now
        const roll = roller.run()
        const replicas = Array.from({ length: servers - 1 }, (_, index) => `restart db${index + 2}`)
        expect(roller.trace).to.deep.equal([...replicas, 'move', 'restart db1', 'move'])
        expect(roll.phase).to.equal('succeeded')
        expect(new Set(Object.values(states(roll)))).to.deep.equal(new Set(['done']))
        expectRolled(roller, since)
      })

  for (const servers of [2, 3])
    for (const opensItself of [false, true])
      for (const moment of ['written', 'midway', 'performed'] as const)
        it(`goes on from every command when it is cut ${moment}: ${servers} servers, ${opensItself ? 'opening themselves' : 'closed by file'}`, () => {
          const cuts = cutEverywhere(moment, (command) => {
            const roller = begin({ servers, opensItself }, { cut: { command, moment } })
            const since = roller.manager.world.now
            const cut = interrupted(() => roller.run())
            if (!cut) return false
            const next = roller.resume({ onTick: serving })
            expect(next.run().phase, `cut at ${roller.trace.join(', ')}`).to.equal('succeeded')
            expectRolled(next, since)
            return true
          })
          expect(cuts).to.equal(servers + 2)
        })

  it('goes on when the next manager is cut as well', () => {
    const at = ['written', 'midway', 'performed'] as const
    const kills = at.flatMap((first) =>
      at.flatMap((second) => [0, 1, 2, 3, 4].map((command) => ({ first, second, command }))),
    )
    for (const { first, second, command } of sample(kills, 12)) {
      const roller = begin({}, { cut: { command, moment: first } })
      const since = roller.manager.world.now
      expect(interrupted(() => roller.run())).to.equal(true)
      const again = roller.resume({ cut: { command: 0, moment: second } })
      interrupted(() => again.run())
      const last = again.resume()
      expect(last.run().phase).to.equal('succeeded')
      expectRolled(last, since)
    }
  })

  it('does not start the next server before the last one has caught up', () => {
    let slow = 30
    const roller = begin(
      {},
      {
        onTick: ({ manager: { world }, trace }) => {
          world.write(1)
          // Its applier is stopped for a while.
          world.server(2).applyRate = slow > 0 ? 0 : Number.POSITIVE_INFINITY
          slow -= 1
          if (slow > 0) expect(trace).to.not.include('restart db3')
        },
      },
    )
    expect(roller.run().phase).to.equal('succeeded')
    expect(slow).to.be.below(1)
  })

  it('stops when a server does not come back, with the others as they were and nothing left in maintenance', () => {
    const roller = begin({}, { broken: 2 })
    const roll = roller.run()
    expect(roll).to.include({ phase: 'stopped', message: 'db2 did not come back' })
    expect(states(roll)).to.deep.equal({ db2: 'failed', db3: 'skipped', db1: 'skipped' })
    expect(roller.trace).to.deep.equal(['restart db2'])
    expect(roller.manager.world.writable()).to.deep.equal([1])
    expect(maintained(roller)).to.deep.equal([])
  })

  it('stops when another replica is gone for too long', () => {
    const roller = begin(
      {},
      { patience: 2_000, onTick: ({ manager, trace }) => trace.length === 1 && manager.world.kill(3) },
    )
    const roll = roller.run()
    expect(roll.phase).to.equal('stopped')
    expect(roll.message).to.match(/^db3 does not answer \(timed out after 120 s\)$/)
    expect(roller.trace).to.deep.equal(['restart db2'])
  })

  it('gives way to a failover', () => {
    const roller = begin({}, { onTick: ({ manager, trace }) => trace.length === 1 && manager.world.kill(1) })
    const roll = roller.run()
    expect(roll).to.include({ phase: 'stopped', message: 'a failover took precedence' })
    expect(roller.manager.history).to.include('failover')
    expect(roller.manager.world.writable()).to.have.length(1)
  })

  it('brings back what a killed manager left down, even after a failover', () => {
    const roller = begin({}, { cut: { command: 0, moment: 'midway' } })
    expect(interrupted(() => roller.run())).to.equal(true)
    roller.manager.world.kill(1)
    const next = roller.resume()
    expect(next.run()).to.include({ phase: 'stopped' })
    expect(next.manager.world.server(2).up).to.equal(true)
  })

  it('ends on request, but not before the server that has its turn is back', () => {
    for (const command of [0, 1, 2, 3]) {
      const roller = begin({}, { onTick: (one) => one.trace.length > command && one.cancel() })
      const roll = roller.run()
      expect(roll).to.include({ phase: 'cancelled', message: 'cancelled by ann' })
      expect(roller.trace).to.have.length(command + 1)
      expect(roller.manager.world.servers.filter(({ up }) => !up)).to.deep.equal([])
      expect(maintained(roller)).to.deep.equal([])
    }
  })

  it('passes by what is in maintenance', () => {
    const manager = start({ members: { members: { db3: { maintenance: true } } } })
    const plan = planRoll(manager.probe(), { id: 'r', user: 'ann', kind: 'restart' })
    expect(plan.ok && states(plan.value)).to.deep.equal({ db2: 'waiting', db3: 'skipped', db1: 'waiting' })
  })

  it('ends with the preferred server as the primary', () => {
    const roller = begin({ members: { members: { db3: { rating: 'preferred' } } } })
    const since = roller.manager.world.now
    expect(roller.run().phase).to.equal('succeeded')
    expect(roller.trace).to.deep.equal(['restart db2', 'restart db3', 'move', 'restart db1'])
    expectRolled(roller, since, 3)
  })

  it('retries a refused switchover three times, then stops with the reason', () => {
    const roller = begin({}, { onTick: ({ manager, trace }) => refuseMoves(manager, trace.length >= 2) })
    const roll = roller.run()
    expect(roller.trace).to.deep.equal(['restart db2', 'restart db3', 'move', 'move', 'move'])
    expect(roll.message).to.match(/^db1 could not hand over its role: no more of this/)
  })

  it('leaves an ended run alone', () => {
    const roller = begin()
    const ended = roller.run()
    expect(stepRoll(ended, roller.manager.probe())).to.deep.equal({ roll: ended })
  })
})

describe('planRoll', () => {
  const refusal = (given: Given, prepare: (manager: Manager) => void = () => {}): string | undefined => {
    const manager = start(given)
    prepare(manager)
    manager.world.pass(200)
    const plan = planRoll(manager.probe(), { id: 'r', user: 'ann', kind: 'restart' })
    return plan.ok ? undefined : plan.failure.code
  }

  it('refuses a single server, which has no switchover target', () => {
    expect(refusal({ servers: 1 })).to.equal('unsupported')
  })

  it('refuses while a replica does not answer or does not replicate', () => {
    expect(refusal({}, ({ world }) => world.kill(3))).to.equal('wrong-state')
    expect(refusal({}, ({ world }) => Object.assign(world.server(3).link ?? {}, { io: 'stopped' }))).to.equal(
      'wrong-state',
    )
  })

  it('refuses while the primary is down', () => {
    expect(refusal({}, ({ world }) => world.kill(1))).to.equal('primary-failed')
  })

  it('accepts a server that does not replicate only for a forced reprovision by name', () => {
    const manager = start()
    Object.assign(manager.world.server(3).link ?? {}, { io: 'stopped' })
    manager.world.pass(200)
    const plan = (more: object) => planRoll(manager.probe(), { id: 'r', user: 'ann', kind: 'reprov', ...more })
    expect(plan({ force: true }).ok).to.equal(false)
    expect(plan({ only: 'db3' }).ok).to.equal(false)
    expect(plan({ only: 'db3', kind: 'restart', force: true }).ok).to.equal(false)
    const taken = plan({ only: 'db3', force: true })
    if (!taken.ok) throw new Error(taken.failure.message)
    expect(stepRoll(taken.value, manager.probe()).command).to.deep.equal({ type: 'act', server: 'db3', kind: 'reprov' })
  })

  it('optimizes replicas alone', () => {
    const plan = planRoll(start().probe(), { id: 'r', user: 'ann', kind: 'optimize' })
    expect(plan.ok && states(plan.value)).to.deep.equal({ db2: 'waiting', db3: 'waiting', db1: 'skipped' })
  })
})

function interrupted(run: () => unknown): boolean {
  try {
    run()
    return false
  } catch (error) {
    if (error instanceof Cutoff || error instanceof Killed) return true
    throw error
  }
}

function cutEverywhere(_: Moment, run: (command: number) => boolean): number {
  for (let command = 0; ; command += 1) if (!run(command)) return command
}

function refuseMoves(manager: Manager, on: boolean): void {
  if (!on) return
  manager.switchOver = () => ({ ok: false, failure: { code: 'long-writes', message: 'no more of this' } })
}
