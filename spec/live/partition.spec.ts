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

/** The manager reaches the first node, the primary, through the gate; its replicas and clients do not need it. */
const startGated = (gate: TcpGate): Promise<ProtectedCluster> =>
  startProtectedCluster({
    semiSync: true,
    options: durable,
    addresses: ([first, ...others]) => {
      void gate.lead(first?.port ?? 0)
      return [gate.address, ...others.map(({ host, port }) => `${host}:${port}`)]
    },
  })

describe('A manager cut off from the primary only', () => {
  let gate: TcpGate
  let cluster: ProtectedCluster
  let primary: Node
  let writers: Writers

  before(async () => {
    gate = await TcpGate.create()
    cluster = await startGated(gate)
    primary = cluster.databases.node(0)
  })

  afterEach(() => writers?.stop())

  after(async () => {
    await cluster?.destroy()
    await gate?.close()
  })

  const write = (count: number) => {
    writers = startWriters(cluster, { count })
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
    it(`leaves the primary alone: ${mode}, ${count} writers`, async () => {
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
    it(`leaves the primary alone when it ${claim}`, async () => {
      write(8)
      await gate.set('refuse')
      await cluster.manager.end('SIGKILL')
      if (forget) await rm(cluster.manager.dataDirectory, { recursive: true })
      cluster.manager.start()
      await cluster.manager.alive()
      await holdsStill()
      await heals()
    })

  it('fails over when the primary dies while it is cut off, and takes the old one back', async () => {
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
    const gate = await TcpGate.create()
    const cluster = await startGated(gate)
    try {
      const primary = cluster.databases.node(0)
      const writers = startWriters(cluster, { count: 8 })
      await progress(writers, 50)
      await eventually(() => hasSavedPrimary(cluster), 'the manager has saved who the primary is')
      await cluster.manager.end('SIGKILL')
      await primary.kill('SIGKILL')
      await gate.set('hang')
      cluster.manager.start()
      await cluster.manager.alive()
      const survivor = await cluster.movedFrom(primary)
      await progress(writers, 50)
      await writers.stop()
      const living = cluster.nodes.filter((node) => node !== primary)
      await expectIntact(cluster, { primary: survivor, writers, living })
    } finally {
      await cluster.destroy()
      await gate.close()
    }
  })
})

describe('A manager cut off from every server', () => {
  it('does nothing, and goes on when it sees them again', async () => {
    const gates = await Promise.all([TcpGate.create(), TcpGate.create(), TcpGate.create()])
    const cluster = await startProtectedCluster({
      addresses: (nodes) => {
        for (const [index, gate] of gates.entries()) void gate.lead(nodes[index]?.port ?? 0)
        return gates.map(({ address }) => address)
      },
    })
    try {
      const writers = startWriters(cluster, { count: 4 })
      for (const gate of gates) await gate.set('refuse')
      await cluster.opens('ERR00077')
      await moreProbes(cluster.manager, MANY_OF_GONE)
      expect((await cluster.explain()).wouldFailOver).to.equal(false)
      // the primary last: until then its replicas are all that the manager sees
      for (const [index, gate] of [...gates.entries()].toReversed()) {
        await gate.set('open')
        await eventually(async () => (await cluster.stateOf(cluster.databases.node(index))) !== 'Failed', 'it is seen')
        await moreProbes(cluster.manager, SOME)
      }
      await cluster.ready()
      await writers.stop()
      expect(await begunIn(cluster), cluster.manager.log()).to.deep.equal([])
      await expectIntact(cluster, { primary: cluster.databases.node(0), writers })
    } finally {
      await cluster.destroy()
      for (const gate of gates) await gate.close()
    }
  })
})
