// Commands that run together, cut short at once by the end of the manager or of its host: whichever of them the servers got,
// and whatever of it the disk holds, the next manager ends with one writable primary and loses nothing acknowledged.
import { expect } from 'chai'
import { groupsOf } from '../../../../lib/effect/plan/step.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { Plan } from '../../../../lib/model/operation/operation.js'
import { World } from '../../../support/simulator/cluster.js'
import { type Cut, Killed, Manager } from '../../../support/simulator/manager.js'

interface Story {
  readonly servers: number
  readonly semiSync: boolean
  readonly kind: 'failover' | 'switchover'
}

function begin({ servers, semiSync, kind }: Story): Manager {
  const world = new World({ servers, semiSync })
  const manager = new Manager(world)
  for (let write = 0; write < 5; write += 1) world.write(1)
  manager.ticks(3)
  if (kind === 'failover') world.kill(1)
  return manager
}

function act(manager: Manager, kind: Story['kind']): void {
  if (kind === 'switchover') manager.switchOver()
  else manager.ticks(60)
}

/** Whether the run got to the cut. */
function isCut(manager: Manager, cut: Cut, kind: Story['kind']): boolean {
  manager.cut = cut
  try {
    act(manager, kind)
    return false
  } catch (error) {
    if (error instanceof Killed) return true
    throw error
  }
}

/** The plan as it is made, by cutting it before its first command. */
function planOf(story: Story): Plan {
  const manager = begin(story)
  expect(isCut(manager, { group: 0, performed: () => false, journal: 'kept' }, story.kind)).to.equal(true)
  const plan = manager.journal?.plan
  if (!plan) throw new Error('there is no plan')
  return plan
}

/** Every set of commands of a group that servers may have got: none without those that it waits for. */
function* setsOf(commands: readonly Command[], group: readonly number[]): Generator<ReadonlySet<number>> {
  for (let bits = 0; bits < 2 ** group.length; bits += 1) {
    const got = new Set(group.filter((_, place) => bits & (1 << place)))
    const fits = group.every((index, place) => {
      if (!got.has(index)) return true
      const { after } = commands[index] ?? {}
      if (after === 'group') return group.slice(0, place).every((one) => got.has(one))
      return after !== 'neighbour' || got.has(index - 1)
    })
    if (fits) yield got
  }
}

describe('commands that run together and are cut short', () => {
  for (const kind of ['failover', 'switchover'] as const)
    for (const semiSync of [false, true])
      for (const journal of ['kept', 'lost'] as const)
        it(`converge: ${kind}, ${semiSync ? 'semi-sync' : 'asynchronous'}, last lines of the journal ${journal}`, () => {
          const story = { servers: 3, semiSync, kind }
          const { commands } = planOf(story)
          let cuts = 0
          for (const [group, indices] of groupsOf(commands).entries())
            for (const got of setsOf(commands, indices)) {
              const manager = begin(story)
              const title = `group ${group}: ${[...got].map((index) => commands[index]?.type).join(', ') || 'nothing'}`
              const performed = (_: Command, index: number) => got.has(index)
              expect(isCut(manager, { group, performed, journal }, kind), title).to.equal(true)
              // A writable server gets writes while there is no manager.
              for (const open of manager.world.writable()) manager.world.write(open)
              const restarted = manager.restart()
              restarted.settle()
              restarted.ticks(25, 500)
              expectSound(restarted, title)
              cuts += 1
            }
          expect(cuts).to.be.above(commands.length)
        })
})

function expectSound({ world, memory, history }: Manager, title: string): void {
  const writable = world.writable()
  const where = `${title}, then ${history.join(', ')}`
  expect(writable, where).to.have.length(1)
  const [primary = 0] = writable
  expect(memory.primary, where).to.equal(`db${primary}`)
  for (const server of world.servers)
    if (server.up && server.number !== primary) expect(server.link?.source, where).to.equal(primary)
  expect(world.lost(primary), where).to.deep.equal([])
}
