// Stories of a manager in a network namespace of its own, cut off from the primary, or from everything, by the network.
import { expect } from 'chai'
import { replicate } from '../support/databases/database.js'
import { accounts, type Node } from '../support/databases/node.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type Cut, Namespace } from '../support/machine/namespace.js'
import { moreProbes } from '../support/manager/probes.js'
import { type ProtectedCluster, SEMI_SYNC_MS, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { begunIn, expectIntact } from '../support/stories/intact.js'
import { allWriteTo, asReplica, progress } from '../support/stories/story.js'
import { startWriters } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

/**
 * So many probes of the three servers, which are 100 ms apart at least, take longer than every limit after which silence or
 * refusal could count as death.
 */
const MANY = 180
/** The same where all are gone: a replica is probed once a second then. */
const MANY_OF_GONE = 72

const refusal = await Namespace.refusal()
if (refusal !== undefined) absent('A manager in a network of its own', refusal)
else
  describe('A manager in a network of its own', () => {
    let namespace: Namespace
    let cluster: ProtectedCluster
    let writers: ReturnType<typeof startWriters> | undefined

    /** Clients that come through the wire may log in, too. */
    const arrange = async ([primary, ...replicas]: readonly Node[]): Promise<void> => {
      if (!primary) throw new Error('there are three nodes')
      await prepareWrites(primary)
      await replicate(primary, replicas, { semiSync: true, heartbeatSeconds: 1, semiSyncTimeoutMs: SEMI_SYNC_MS })
      const at = namespace.accounts
      for (const { user, password } of [accounts.monitor, accounts.replication])
        await primary.sql(`CREATE USER ${user}@'${at}' IDENTIFIED BY '${password}'`)
      await primary.sql(`GRANT ALL ON *.* TO monitor@'${at}' WITH GRANT OPTION`)
      await primary.sql(`GRANT REPLICATION SLAVE ON *.* TO repl@'${at}'`)
    }

    before(async () => {
      namespace = await Namespace.create(3)
      cluster = await startProtectedCluster({
        options: ['--bind-address=0.0.0.0', '--sync-binlog=1', '--innodb-flush-log-at-trx-commit=1'],
        managerIn: namespace,
        addresses: (nodes) => nodes.map(({ port }, index) => `${namespace.address(index)}:${port}`),
        arrange,
      })
      await cluster.ready()
    })
    afterEach(async () => {
      await namespace.heal()
      await writers?.stop()
    })
    after(async () => {
      await cluster?.destroy()
      await namespace?.close()
    })

    const indexOf = (node: Node): number => cluster.nodes.indexOf(node)

    for (const [how, claim] of [
      ['drop', 'packets vanish'],
      ['refuse', 'the network knows no way'],
      ['forbid', 'its own system lets none out'],
    ] as const satisfies readonly (readonly [Cut, string])[])
      it(`leaves a primary alone that only it cannot reach: ${claim}`, async () => {
        const primary = await cluster.primary()
        writers = startWriters(cluster, { count: 8 })
        await progress(writers, 50)
        await namespace.cut(namespace.address(indexOf(primary)), how)
        await eventually(async () => (await cluster.stateOf(primary)) === 'Failed', 'the primary counts as failed')
        await progress(writers, 50)
        await moreProbes(cluster.manager, MANY)
        const { wouldFailOver, primaryDead } = await cluster.explain()
        expect({ wouldFailOver, primaryDead }).to.deep.equal({ wouldFailOver: false, primaryDead: false })
        await cluster.opens('ERR00016')
        await progress(writers, 50)
        await namespace.heal()
        await eventually(async () => (await cluster.stateOf(primary)) === 'Master', 'the primary is seen again')
        await writers.stop()
        expect(await begunIn(cluster), cluster.manager.log()).to.deep.equal([])
        await expectIntact(cluster, { primary, writers })
      })

    it('does nothing while it reaches no server at all, and goes on when it does again', async () => {
      const primary = await cluster.primary()
      writers = startWriters(cluster, { count: 8 })
      for (const index of cluster.nodes.keys()) await namespace.cut(namespace.address(index), 'refuse')
      await progress(writers, 50)
      await cluster.opens('ERR00077')
      await moreProbes(cluster.manager, MANY_OF_GONE)
      await namespace.heal()
      await cluster.ready()
      await writers.stop()
      expect(await begunIn(cluster), cluster.manager.log()).to.deep.equal([])
      await expectIntact(cluster, { primary, writers })
    })

    it('fails over when the primary dies behind the cut', async () => {
      const primary = await cluster.primary()
      writers = startWriters(cluster, { count: 8 })
      await progress(writers, 50)
      await namespace.cut(namespace.address(indexOf(primary)), 'drop')
      await eventually(async () => (await cluster.stateOf(primary)) === 'Failed', 'the primary counts as failed')
      await primary.kill()
      const survivor = await cluster.movedFrom(primary)
      await allWriteTo(writers, survivor)
      await namespace.heal()
      primary.start(...asReplica)
      await primary.waitUp()
      await eventually(async () => (await cluster.stateOf(primary)) === 'Slave', 'the old primary is a replica')
      await writers.stop()
      await expectIntact(cluster, { primary: survivor, writers })
    })
  })
