// Stories of replicas: one dies and returns, one cannot apply, and one primary dies after the other.
import { expect } from 'chai'
import { caughtUp, eventually } from '../support/database.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/protected-cluster.js'
import { asReplica, comesBack, durable, end, expectWhole, load, lossless, progress, told } from '../support/story.js'

describe('a cluster whose replicas fail', () => {
  let cluster: ProtectedCluster
  afterEach(() => end(cluster))

  it('goes on when one dies, and takes it back when it returns', async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless })
    const primary = await cluster.primary()
    const [replica] = cluster.nodes.filter((node) => node !== primary)
    if (!replica) throw new Error('there are replicas')
    const writers = load(cluster, { count: 8 })
    await progress(writers, 50)
    await replica.kill()
    await eventually(async () => (await cluster.stateOf(replica)) === 'Failed', 'the manager sees it')
    expect(await cluster.alerts()).to.include('WARN0171')
    await progress(writers, 100)
    replica.start('--rpl-semi-sync-slave-enabled=ON')
    await replica.waitUp()
    await progress(writers, 50)
    await writers.stop()
    await expectWhole(cluster, primary)
    expect(await writers.missingOn(replica)).to.deep.equal([])
    expect(told(cluster, 'Failover begins')).to.deep.equal([])
  })

  it('never promotes one that cannot apply, and names it', async () => {
    cluster = await startProtectedCluster({ options: durable })
    const old = await cluster.primary()
    const [broken, sound] = cluster.nodes.filter((node) => node !== old)
    if (!broken || !sound) throw new Error('there are two replicas')
    const row = 'INSERT INTO spec.acknowledged VALUES (1000, 1)'
    await broken.sql(`SET SESSION sql_log_bin=0; ${row}`)
    await old.sql(row)
    await eventually(async () => (await cluster.alerts()).includes('ERR00042'), 'the finding is open')
    const rank = (await cluster.explain()).ranking.find(({ reason }) => reason.includes(`${broken.port}`))
    expect(rank).to.include({ eligible: false, code: 'ERR00042' })
    const writers = load(cluster, { count: 4 })
    await progress(writers, 50)
    await writers.stop()
    await caughtUp(old, sound)
    await old.kill()
    expect(await cluster.movedFrom(old)).to.equal(sound)
    expect(await writers.missingOn(sound)).to.deep.equal([])
    expect((await comesBack(cluster, old)).Outcome).to.equal('rejoined')
    await broken.sql('SET SESSION sql_log_bin=0; DELETE FROM spec.acknowledged WHERE writer = 1000; START SLAVE')
    await expectWhole(cluster, sound)
  })

  it('survives the death of the second primary before the first is back', async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless })
    const first = await cluster.primary()
    const writers = load(cluster, { count: 8 })
    await progress(writers, 100)
    await first.kill()
    const second = await cluster.movedFrom(first)
    await progress(writers, 100)
    await second.kill()
    const third = await cluster.movedFrom(second)
    await progress(writers, 100)
    expect(await writers.missingOn(third)).to.deep.equal([])
    const crashes = await Promise.all([first, second].map((node) => comesBack(cluster, node, ...asReplica)))
    expect(crashes.map(({ Outcome }) => Outcome)).to.deep.equal(['rejoined', 'rejoined'])
    await writers.stop()
    await expectWhole(cluster, third)
    expect(await writers.missingOn(third)).to.deep.equal([])
  })
})
