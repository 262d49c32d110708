// Stories of a host that dies with both the manager and the primary of a young cluster: the primary comes back open, with a copy of
// some seconds ago or with nothing, and a client writes. What the replicas hold is known before the manager reads anything else.
import { expect } from 'chai'
import { caughtUp, type Node } from '../support/databases/database.js'
import { copyData, emptyData, restoreData } from '../support/databases/disk-copy.js'
import { prepareWrites, Writers, writtenOn } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end, load, progress } from '../support/stories/story.js'
import { replicasOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const FIRST_FORKED = 500
/** Milliseconds between two writes of a client. */
const PAUSE = 1

/** The client's server is the primary that came back, whatever becomes of the role. */
async function writeFork(old: Node, writes: number): Promise<Writers> {
  const writers = new Writers([old], { count: 2, first: FIRST_FORKED, pauseMs: PAUSE })
  writers.start()
  await progress(writers, writes)
  await writers.stop()
  return writers
}

interface Loss {
  readonly semiSync: boolean
  /** Before the copy is made, and after it. */
  readonly writes: readonly [number, number]
  readonly lose: (node: Node) => Promise<void>
  /** Writes until the manager starts. */
  readonly forked: number
}

async function dieTogether(cluster: ProtectedCluster, { writes: [first, second], lose, forked }: Loss) {
  const old = await cluster.primary()
  // A manager that ended before it had compared all servers once knows of no start.
  await cluster.probed(old, 2)
  const writers = load(cluster, { count: 2, pauseMs: PAUSE })
  await progress(writers, first)
  // The copy is made of a server that hangs meanwhile.
  cluster.manager.signal('SIGSTOP')
  await copyData(old)
  cluster.manager.signal('SIGCONT')
  await progress(writers, second)
  await writers.stop()
  for (const node of await replicasOf(cluster)) await caughtUp(old, node)
  await Promise.all([cluster.manager.end('SIGKILL'), old.kill()])
  await lose(old)
  old.start('--read-only=OFF')
  await old.waitUp()
  await prepareWrites(old)
  await writeFork(old, forked)
  const logged = cluster.manager.log().length
  cluster.manager.start()
  await cluster.manager.alive()
  await eventually(
    async () => (await old.value('SELECT @@read_only')) === '1',
    () => `it is closed\n${cluster.manager.log().slice(-4_000)}`,
  )
  return { old, writers, said: () => cluster.manager.log().slice(logged) }
}

const isForked = (row: string): boolean => Number(row.split('/')[0]) >= FIRST_FORKED

const losses: Readonly<Record<string, Loss>> = {
  'with a copy of some seconds ago': { semiSync: false, writes: [100, 300], lose: restoreData, forked: 20 },
  'with a copy of some seconds ago, in semi-sync': {
    ...{ semiSync: true, writes: [100, 300], lose: restoreData, forked: 20 },
  },
  empty: { semiSync: false, writes: [100, 300], lose: emptyData, forked: 20 },
}

for (const [how, loss] of Object.entries(losses))
  describe(`a primary that comes back ${how}, after its host and the manager died`, () => {
    let cluster: ProtectedCluster
    before(async () => {
      cluster = await startProtectedCluster({ semiSync: loss.semiSync, options: durable })
    })
    after(() => end(cluster))

    it('is closed, replaced on request by a server that holds everything, and the replicas take nothing of its history', async () => {
      const { old, writers, said } = await dieTogether(cluster, loss)
      await cluster.opens('ERR00117')
      const { status, body } = await cluster.manager.post('/api/clusters/story/actions/failover')
      expect(status, body).to.equal(200)
      const next = await cluster.movedFrom(old)
      expect(await writers.missingOn(next)).to.deep.equal([])
      for (const node of cluster.nodes)
        if (node !== old) expect([...(await writtenOn(node))].filter(isForked)).to.deep.equal([])
      expect(said()).to.include('OPENED ERR00117')
      expect(said()).to.include('It started without them')
      expect(said()).to.not.include('Its process did not restart')
    })
  })
