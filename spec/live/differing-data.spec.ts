// A story of a replica whose data differ from those of the primary, and of a failover that may not choose it.
import { expect } from 'chai'
import { caughtUp, type Node } from '../support/databases/database.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { setSetting } from '../support/stories/backups.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

describe('a replica that passed over an event which contradicted its data', () => {
  let cluster: ProtectedCluster
  let primary: Node
  let replica: Node
  before(async () => {
    cluster = await startProtectedCluster({
      count: 2,
      settings: { 'failover-divergent-data': false, 'failover-limit': 0 },
    })
    primary = await cluster.primary()
    replica = cluster.nodes.find((node) => node !== primary) ?? primary
    await primary.sql('CREATE TABLE spec.rows (id INT PRIMARY KEY)')
    await primary.sql('INSERT INTO spec.rows VALUES (1), (2)')
    await caughtUp(primary, replica)
  })
  after(() => end(cluster))

  const why = async (): Promise<string> =>
    JSON.stringify(await cluster.manager.get('/api/clusters/story/failover/explain'))

  it('is no candidate any more with failover-divergent-data off, after a restart of the manager neither', async () => {
    await replica.sql('SET SESSION sql_log_bin = 0; DELETE FROM spec.rows WHERE id = 1')
    await primary.sql('DELETE FROM spec.rows WHERE id = 1')
    await eventually(
      async () => (await cluster.stateOf(replica)) === 'SlaveErr',
      () => `the manager sees it\n${cluster.manager.log().slice(-3_000)}`,
    )
    await replica.sql('SET GLOBAL sql_slave_skip_counter = 1; START SLAVE')
    await eventually(async () => (await cluster.stateOf(replica)) === 'Slave', 'it replicates again')
    expect(await why()).to.include('failover-divergent-data is off')
    await cluster.manager.end('SIGTERM')
    cluster.manager.start()
    await cluster.manager.alive()
    await eventually(async () => (await cluster.stateOf(replica)) === 'Slave', 'the next manager sees it')
    expect(await why()).to.include('failover-divergent-data is off')
  })

  it('takes over where the setting permits it', async () => {
    await primary.kill()
    // The finding alone was open before it died.
    await eventually(
      async () => {
        const { primaryDead, wouldFailOver } = await cluster.explain()
        return primaryDead && !wouldFailOver && (await cluster.alerts()).includes('ERR00042')
      },
      () => `the failover is refused\n${cluster.manager.log().slice(-3_000)}`,
    )
    expect(await replica.value('SELECT @@read_only')).to.equal('1')
    await setSetting(cluster, 'failover-divergent-data', 'true')
    expect(await cluster.movedFrom(primary)).to.equal(replica)
  })
})
