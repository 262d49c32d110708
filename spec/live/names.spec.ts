// The story of a name that stops resolving while the primary lives: no death, and the reason is reported.
import { expect } from 'chai'
import { replicate } from '../support/databases/database.js'
import { accounts, type Node } from '../support/databases/node.js'
import { prepareWrites } from '../support/databases/writers.js'
import { Namespace } from '../support/machine/namespace.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { moreProbes } from '../support/manager/probes.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { durable, end, load, logLines, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

/** So many probes of the three servers, which are 100 ms apart at least, take longer than a failover waits. */
const MANY = 180

const names = ['db-one', 'db-two', 'db-three'] as const

const refusal = await Namespace.refusal()
if (refusal !== undefined) absent('a manager that cannot resolve the name of the primary', refusal)
else
  describe('a manager that cannot resolve the name of the primary', () => {
    let namespace: Namespace
    let way: TcpGate
    let cluster: ProtectedCluster

    const resolve = (known: readonly string[]) =>
      namespace.names(
        Object.fromEntries(
          names.flatMap((name, index) => (known.includes(name) ? [[name, namespace.address(index)]] : [])),
        ),
      )

    /** Replicas reach the primary through a way that can be cut: then they testify to its silence. */
    const arrange = async ([primary, ...replicas]: readonly Node[]): Promise<void> => {
      if (!primary) throw new Error('there are three nodes')
      await prepareWrites(primary)
      await replicate(primary, replicas, { heartbeatSeconds: 1 })
      const at = namespace.accounts
      for (const { user, password } of [accounts.monitor, accounts.replication])
        await primary.sql(`CREATE USER ${user}@'${at}' IDENTIFIED BY '${password}'`)
      await primary.sql(`GRANT ALL ON *.* TO monitor@'${at}' WITH GRANT OPTION`)
      await primary.sql(`GRANT REPLICATION SLAVE ON *.* TO repl@'${at}'`)
      await way.lead(primary.port)
      for (const replica of replicas)
        await replica.sql(
          `STOP SLAVE; CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${way.port}, MASTER_HEARTBEAT_PERIOD=1; START SLAVE`,
        )
    }

    before(async () => {
      namespace = await Namespace.create(3)
      way = await TcpGate.create()
      resolve(names)
      cluster = await startProtectedCluster({
        options: ['--bind-address=0.0.0.0', ...durable],
        managerIn: namespace,
        addresses: (nodes) => nodes.map(({ port }, index) => `${names[index]}:${port}`),
        arrange,
      })
      await cluster.ready()
    })
    after(async () => {
      await end(cluster)
      await way?.close()
      await namespace?.close()
    })

    /** What the rule shows by which replicas testify: clear when none receives any more. */
    const witnesses = async () =>
      (await cluster.explain()).rows.find(({ rule }) => rule === 'failover-falsepositive-heartbeat')?.state

    it('leaves it alone although its connections are cut and its replicas receive nothing', async () => {
      const primary = await cluster.primary()
      const writers = load(cluster, { count: 4 })
      await progress(writers, 50)
      resolve(names.filter((_, index) => cluster.nodes[index] !== primary))
      await namespace.cut(namespace.address(cluster.nodes.indexOf(primary)), 'drop')
      await way.set('hang')
      await cluster.opens('ERR00062')
      await eventually(async () => (await cluster.stateOf(primary)) === 'Failed', 'the primary counts as failed')
      await eventually(async () => (await witnesses()) === 'clear', 'its replicas confirm the silence')
      await moreProbes(cluster.manager, MANY)
      const { wouldFailOver, primaryDead } = await cluster.explain()
      expect({ wouldFailOver, primaryDead }).to.deep.equal({ wouldFailOver: false, primaryDead: false })
      await progress(writers, 50)
      resolve(names)
      await namespace.heal()
      await way.set('open')
      await eventually(async () => (await cluster.stateOf(primary)) === 'Master', 'the primary is seen again')
      await cluster.closes('ERR00062')
      await writers.stop()
      expect(await cluster.primary()).to.equal(primary)
      expect(logLines(cluster, ' replaced ')).to.deep.equal([])
      expect(await writers.missingOn(primary)).to.deep.equal([])
    })
  })
