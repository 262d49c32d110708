// An event of root writes on a read-only server, too. Whatever moves the role, it goes on on the primary alone; what the next start
// of a former primary would run is either disabled there, or a finding of before that start.
import { expect } from 'chai'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { World } from '../../../support/simulator/cluster.js'
import { Manager } from '../../../support/simulator/manager.js'
import { claimAlways } from '../../../support/simulator/mixes.js'

const moves = ['switchover', 'death', 'death, closed by its file', 'switchover there and back', 'two deaths'] as const

interface Course {
  readonly title: string
  readonly move: (typeof moves)[number]
  readonly semiSync: boolean
  /** When within a second the first move begins: the event is due each full second. */
  readonly atMs: number
  readonly restarts: 'before the move' | 'no'
}

const courses: readonly Course[] = moves.flatMap((move) =>
  [false, true].flatMap((semiSync) =>
    (semiSync ? (['no'] as const) : (['no', 'before the move'] as const)).flatMap((restarts) =>
      [0, 600].map((atMs) => ({
        ...{ move, semiSync, restarts, atMs },
        title: `${move}, ${semiSync ? 'semi-sync' : 'async'}, at ${atMs} ms, manager restarts: ${restarts}`,
      })),
    ),
  ),
)

/** And comes back, by its own file. */
const dies = (manager: Manager, number: number): void => {
  manager.world.kill(number)
  manager.ticks(25)
  manager.world.start(number)
  manager.ticks(15)
}

function run({ move, semiSync, atMs, restarts }: Course, status: boolean): Manager {
  const world = new World({ servers: 3, semiSync, events: true })
  let manager = new Manager(world, { settings: { 'failover-event-status': status } })
  manager.ticks(3)
  world.pass(atMs)
  if (restarts === 'before the move') {
    manager = manager.restart()
    manager.settle()
    manager.ticks(3)
  }
  if (move === 'death, closed by its file') world.server(1).readOnlyByFile = true
  if (move.startsWith('switchover')) manager.switchOver('db2')
  else dies(manager, 1)
  manager.ticks(8)
  if (move === 'switchover there and back') manager.switchOver('db1')
  if (move === 'two deaths') dies(manager, world.writable()[0] ?? 0)
  manager.ticks(12)
  return manager
}

/** Closed and following: a server that is kept out has errant transactions already. */
const followers = ({ snapshot }: Manager): readonly ServerSnapshot[] =>
  (snapshot?.servers ?? []).filter(({ id, sourceId }) => id !== snapshot?.primary && sourceId !== undefined)

const named = (manager: Manager): readonly (string | undefined)[] =>
  (manager.snapshot?.findings ?? []).flatMap(({ code, server }) => (code === 'WARN0270' ? [server] : []))

describe('an event of root', () => {
  it('writes on no read-only server any more once the role has moved', () => {
    claimAlways(courses, (course) => {
      for (const status of [false, true]) {
        const manager = run(course, status)
        const { world } = manager
        expect(world.writable(), 'writable').to.have.length(1)
        const before = world.strayEvents.length
        manager.ticks(10, 300)
        expect(world.strayEvents.slice(before), `failover-event-status ${status}`).to.deep.equal([])
      }
    })
  })

  it('writes on no follower that starts with its scheduler on, where the events move with the role', () => {
    let starts = 0
    claimAlways(courses, (course) => {
      const manager = run(course, true)
      const { world } = manager
      expect(named(manager), 'findings').to.deep.equal([])
      for (const { id } of followers(manager)) {
        starts += 1
        const before = world.strayEvents.length
        dies(manager, world.server(id).number)
        expect(world.strayEvents.slice(before), `after the start of ${id}`).to.deep.equal([])
      }
    })
    expect(starts).to.be.greaterThan(courses.length)
  })

  it('is a finding before it writes on a follower that starts with its scheduler on, where events keep their status', () => {
    let wrote = 0
    claimAlways(courses, (course) => {
      const manager = run(course, false)
      const { world } = manager
      const known = named(manager)
      for (const { id } of followers(manager)) {
        const before = world.strayEvents.length
        const { event } = world.server(id)
        world.kill(world.server(id).number)
        manager.ticks(5)
        world.start(world.server(id).number)
        world.pass(1_000)
        manager.ticks(10)
        const after = world.strayEvents.slice(before)
        wrote += after.length
        expect(known.includes(id), `${id} has an ${event} event`).to.equal(event === 'enabled')
        if (!known.includes(id)) expect(after, `after the start of ${id}`).to.deep.equal([])
      }
    })
    expect(wrote).to.be.greaterThan(0)
  })
})
