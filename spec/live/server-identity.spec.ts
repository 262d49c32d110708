// Servers whose server_id was changed while they ran: the role moves twice, every server follows, none applies anything twice.
import { expect } from 'chai'
import type { Node } from '../support/databases/node.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end, expectWhole, load, logLines, progress } from '../support/stories/story.js'
import { switchOver } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

for (const strict of ['ON', 'OFF'])
  describe(`servers whose server_id was changed at run time, gtid_strict_mode ${strict}`, () => {
    let cluster: ProtectedCluster
    before(async () => {
      cluster = await startProtectedCluster({ options: [`--gtid-strict-mode=${strict}`] })
    })
    after(() => end(cluster))

    const renumber = async (from: number): Promise<void> => {
      for (const [index, node] of cluster.nodes.entries()) await node.sql(`SET GLOBAL server_id = ${from + index}`)
    }

    it('all follow after two switchovers, with the same rows', async () => {
      const before = load(cluster, { count: 2 })
      await progress(before, 20)
      await renumber(4001)
      await progress(before, 20)
      await before.stop()
      // Sessions keep the server_id that they began with.
      const writers = load(cluster, { count: 2, first: 2 })
      await progress(writers, 20)
      const second = await switchOver(cluster)
      await progress(writers, 20)
      const third = await switchOver(
        cluster,
        cluster.nodes.find((node) => node !== second),
      )
      await progress(writers, 20)
      await writers.stop()
      await expectWhole(cluster, third)
      expect(logLines(cluster, 'OPENED ERR00151')).to.deep.equal([])
    })

    if (strict === 'ON')
      it('are repaired where one stopped with error 1950, and the finding names it', async () => {
        const primary = await cluster.primary()
        const replica = cluster.nodes.find((node) => node !== primary) as Node
        // What was done to a server that another program made a replica, without a position.
        await replica.sql('STOP SLAVE; SET GLOBAL gtid_strict_mode = OFF')
        await replica.sql("SET GLOBAL gtid_slave_pos = ''; SET GLOBAL gtid_strict_mode = ON")
        await replica.sql('START SLAVE')
        await eventually(
          () => logLines(cluster, 'OPENED ERR00151').length > 0,
          () => `the finding is open\n${cluster.manager.log().slice(-3_000)}`,
        )
        await expectWhole(cluster, primary)
        await cluster.closes('ERR00151')
      })
  })
