// Stories of primaries that seem dead and are not: they keep their role.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { now, SECOND } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import type { Node } from '../support/databases/database.js'
import type { Writers } from '../support/databases/writers.js'
import { standStill } from '../support/machine/pause.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { cases } from '../support/run/soak.js'
import { begunIn, expectIntact } from '../support/stories/intact.js'
import { progress } from '../support/stories/story.js'
import { startWriters, switchOver } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const WRITERS = 8
const PAUSES = cases({ commit: 40, soak: 100 })
/** More than those that count as death when they are silent (5), a second apart. */
const PROBES = 6
/** So long after it was paused every replica still hears the primary: its heartbeat comes each second, and is missed after 3 s. */
const HEARD_MS = 2 * SECOND

describe('A primary that only seems dead', () => {
  let cluster: ProtectedCluster
  let primary: Node
  let writers: Writers
  /** Operations up to a pause that lasted too long. */
  let discounted = 0

  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true })
    primary = await cluster.primary()
  })

  beforeEach(() => {
    writers = startWriters(cluster, { count: WRITERS })
  })

  afterEach(() => writers.stop())

  after(() => cluster?.destroy())

  const staysPrimary = async () => {
    await eventually(async () => (await cluster.stateOf(primary)) === 'Master', `${primary.name} is well again`)
    await writers.stop()
    expect(await cluster.primary()).to.equal(primary)
    expect((await begunIn(cluster)).slice(discounted), cluster.manager.log()).to.not.include('failover')
    await expectIntact(cluster, { primary, writers })
  }

  /** Resumes the primary as soon as the manager shows a failed probe of it; answers how long it hung. */
  const pauseUntilNoticed = async (): Promise<number> => {
    const since = now()
    primary.pause()
    await eventually(
      async () => ((await cluster.viewOf(primary))?.failCount ?? 0) > 0,
      () => `a probe of ${primary.name} has failed\n${cluster.manager.log().slice(-2_000)}`,
    ).finally(() => primary.resume())
    return now() - since
  }

  /** After a pause of a busy runner that was long enough for a failover: the primary has its role again. */
  const discount = async () => {
    await cluster.ready()
    if ((await cluster.primary()) !== primary) await switchOver(cluster, primary)
    discounted = (await begunIn(cluster)).length
  }

  it(`keeps its role through ${PAUSES} pauses, every third noticed by the manager`, async () => {
    for (let pause = 0; pause < PAUSES; pause += 1) {
      if (pause % 3 !== 0) {
        primary.pause()
        // No timer, which would be late behind the clients of this process: the pause would be longer than is meant.
        standStill(20 + ((pause * 37) % 200))
        primary.resume()
        await progress(writers, 1 + (pause % 5))
      } else if ((await pauseUntilNoticed()) > HEARD_MS) {
        await discount()
        pause -= 1
      } else
        await eventually(async () => (await cluster.stateOf(primary)) === 'Master', `${primary.name} is well again`)
    }
    await staysPrimary()
  })

  it('keeps its role while all its connections are taken, and a finding says so', async () => {
    const hogs: SqlSession[] = []
    for (let count = 0; count < 30; count += 1) hogs.push(unwrap(await openSession(primary.target())))
    await primary.sql('SET GLOBAL max_connections=10')
    await endSessionsOf(primary, 'monitor')
    await cluster.opens('ERR00076')
    await cluster.probed(primary, PROBES)
    const { wouldFailOver, primaryDead } = await cluster.explain()
    expect({ wouldFailOver, primaryDead }).to.deep.equal({ wouldFailOver: false, primaryDead: false })
    await primary.sql('SET GLOBAL max_connections=50')
    for (const hog of hogs) hog.close()
    await cluster.closes('ERR00076')
    await staysPrimary()
  })

  it('keeps its role while it refuses the password of the manager, and shows ErrorAuth', async () => {
    await setPassword(primary, 'changed')
    await eventually(async () => (await cluster.stateOf(primary)) === 'ErrorAuth', 'the state is ErrorAuth')
    await cluster.probed(primary, PROBES)
    expect(await cluster.stateOf(primary)).to.equal('ErrorAuth')
    expect(await cluster.alerts()).to.include('ERR00004')
    const { wouldFailOver, primaryDead } = await cluster.explain()
    expect({ wouldFailOver, primaryDead }).to.deep.equal({ wouldFailOver: false, primaryDead: false })
    await setPassword(primary, 'monitor')
    await staysPrimary()
  })

  it('leaves a replica that refuses the password alone, and takes it back', async () => {
    const [, replica = primary] = cluster.nodes
    await setPassword(replica, 'changed')
    await eventually(async () => (await cluster.stateOf(replica)) === 'ErrorAuth', 'the state is ErrorAuth')
    await eventually(
      async () => (await cluster.explain()).ranking.filter(({ eligible }) => eligible).length === 1,
      'the other replica alone may take over',
    )
    await setPassword(replica, 'monitor')
    await eventually(async () => (await cluster.stateOf(replica)) === 'Slave', 'it is a replica again')
    await staysPrimary()
  })
})

/** On this server only; what the account has open is ended. */
async function setPassword(node: Node, password: string): Promise<void> {
  await node.sql('SET SESSION sql_log_bin=0')
  await node.sql(`ALTER USER monitor@'127.0.0.1' IDENTIFIED BY '${password}'`)
  await node.sql('SET SESSION sql_log_bin=1')
  await endSessionsOf(node, 'monitor')
}

async function endSessionsOf(node: Node, user: string): Promise<void> {
  const rows = await node.sql('SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER=?', user)
  for (const { id } of rows)
    await node.sql('KILL ?', Number(id)).catch((error: Error) => {
      // One that was closed since they were listed.
      if (!/unknown thread id/i.test(error.message)) throw error
    })
}
