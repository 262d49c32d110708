// Stories of a manager that lost its way to the primary, while the primary and its replicas are well.
import { rm } from 'node:fs/promises'
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import type { Writers } from '../support/databases/writers.js'
import { type GateMode, TcpGate } from '../support/machine/tcp-gate.js'
import { moreProbes } from '../support/manager/probes.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { isSoak } from '../support/run/soak.js'
import { begunIn, expectIntact, hasSavedPrimary } from '../support/stories/intact.js'
import { allWriteTo, asReplica, durable, progress } from '../support/stories/story.js'
import { startWriters } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

/**
 * So many probes of the three servers, which are 100 ms apart at least, take longer than every limit after which silence or
 * refusal could count as death.
 */
const MANY = 180
/** The same where all are gone: a replica is probed once a second then. */
const MANY_OF_GONE = 72
/** Those of two seconds, while one server answers again or two. */
const SOME = 40

/** Clients write on while nothing may happen: in a soak as fast as they can. */
const pauseMs = isSoak ? 0 : 200

interface Gated {
  readonly cluster: ProtectedCluster
  /** On the manager's way to each of the nodes. Replicas and clients do not need them. */
  readonly gates: readonly [TcpGate, TcpGate, TcpGate]
}

async function startGated(): Promise<Gated> {
  const gates = [await TcpGate.create(), await TcpGate.create(), await TcpGate.create()] as const
  const cluster = await startProtectedCluster({
    semiSync: true,
    options: durable,
    addresses: (nodes) => {
      for (const [index, gate] of gates.entries()) void gate.lead(nodes[index]?.port ?? 0)
      return gates.map(({ address }) => address)
    },
  })
  return { cluster, gates }
}

async function endGated(gated: Gated | undefined): Promise<void> {
  await gated?.cluster.destroy()
  for (const gate of gated?.gates ?? []) await gate.close()
}

describe('A manager cut off', () => {
  let gated: Gated
  let gate: TcpGate
  let cluster: ProtectedCluster
  let primary: Node
  let writers: Writers

  before(async () => {
    gated = await startGated()
    cluster = gated.cluster
    gate = gated.gates[0]
    primary = cluster.databases.node(0)
  })

  afterEach(() => writers?.stop())

  after(() => endGated(gated))

  const write = (count: number) => {
    writers = startWriters(cluster, { count, pauseMs })
  }

  /** It counts the primary as gone, and does nothing about it. */
  const holdsStill = async () => {
    await eventually(async () => (await cluster.stateOf(primary)) === 'Failed', 'the primary counts as failed')
    await moreProbes(cluster.manager, MANY)
    const { wouldFailOver, primaryDead } = await cluster.explain()
    expect({ wouldFailOver, primaryDead }).to.deep.equal({ wouldFailOver: false, primaryDead: false })
  }

  const heals = async () => {
    await gate.set('open')
    await eventually(async () => (await cluster.stateOf(primary)) === 'Master', 'the primary is seen again')
    await cluster.ready()
    await writers.stop()
    expect(await begunIn(cluster), cluster.manager.log()).to.deep.equal([])
    await expectIntact(cluster, { primary, writers })
  }

  const ways = [
    ['refuse', 8],
    ['reset', 8],
    ['hang', 8],
    ['hang', 0],
    ...(isSoak ? [['refuse', 0] as const] : []),
  ] as const satisfies readonly (readonly [GateMode, number])[]
  for (const [mode, count] of ways)
    it(`from the primary leaves it alone: ${mode}, ${count} writers`, async () => {
      write(count)
      await gate.set(mode)
      await holdsStill()
      await cluster.opens('ERR00016')
      await heals()
    })

  for (const [claim, forget] of [
    ['was started cut off', false],
    ['was started cut off and remembers nothing', true],
  ] as const)
    it(`from the primary leaves it alone when it ${claim}`, async () => {
      write(8)
      await gate.set('refuse')
      await cluster.manager.end('SIGKILL')
      if (forget) await rm(cluster.manager.dataDirectory, { recursive: true })
      cluster.manager.start()
      await cluster.manager.alive()
      await holdsStill()
      await heals()
    })

  it('from every server does nothing, and goes on when it sees them again', async () => {
    write(4)
    for (const each of gated.gates) await each.set('refuse')
    await cluster.opens('ERR00077')
    await moreProbes(cluster.manager, MANY_OF_GONE)
    expect((await cluster.explain()).wouldFailOver).to.equal(false)
    // the primary last: until then its replicas are all that the manager sees
    for (const [index, each] of [...gated.gates.entries()].toReversed()) {
      await each.set('open')
      await eventually(async () => (await cluster.stateOf(cluster.databases.node(index))) !== 'Failed', 'it is seen')
      await moreProbes(cluster.manager, SOME)
    }
    await heals()
  })

  it('from the primary fails over when that dies, and takes the old one back', async () => {
    write(8)
    await gate.set('hang')
    await eventually(async () => (await cluster.stateOf(primary)) === 'Failed', 'the primary counts as failed')
    await primary.kill('SIGKILL')
    const survivor = await cluster.movedFrom(primary)
    await allWriteTo(writers, survivor)
    primary.start(...asReplica)
    await primary.waitUp()
    await gate.set('open')
    await eventually(async () => (await cluster.stateOf(primary)) === 'Slave', 'the old primary is a replica')
    await writers.stop()
    await expectIntact(cluster, { primary: survivor, writers })
  })
})

describe('A manager that was started after the primary died', () => {
  it('fails over, by what it remembers of a primary whose replicas know it by another address', async () => {
    const gated = await startGated()
    const { cluster, gates } = gated
    try {
      const primary = cluster.databases.node(0)
      const writers = startWriters(cluster, { count: 8, pauseMs })
      await progress(writers, 50)
      await eventually(() => hasSavedPrimary(cluster), 'the manager has saved who the primary is')
      await cluster.manager.end('SIGKILL')
      await primary.kill('SIGKILL')
      await gates[0].set('hang')
      cluster.manager.start()
      await cluster.manager.alive()
      const survivor = await cluster.movedFrom(primary)
      await progress(writers, 50)
      await writers.stop()
      const living = cluster.nodes.filter((node) => node !== primary)
      await expectIntact(cluster, { primary: survivor, writers, living })
    } finally {
      await endGated(gated)
    }
  })
})
