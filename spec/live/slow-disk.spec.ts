// The story of a disk that syncs slowly: commits take seconds while the server answers, and a finding says so; a busy server has none.
import { expect } from 'chai'
import { slowDisks } from '../support/databases/slow-disk.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { durable, end, load, logLines, progress } from '../support/stories/story.js'

const [disk] = slowDisks(1) ?? []
if (!disk) absent('a primary whose disk syncs slowly', 'there is no C compiler')
else
  describe('a primary whose disk syncs slowly', () => {
    let cluster: ProtectedCluster
    before(async () => {
      const slow = { host: '127.0.0.1', prefix: disk.prefix }
      cluster = await startProtectedCluster({ count: 2, options: durable, networks: [slow] })
      await cluster.ready()
    })
    after(async () => {
      disk.set(0)
      await end(cluster)
    })

    it('is reported while commits take seconds, and not while it is only busy', async () => {
      const writers = load(cluster, { count: 6 })
      await progress(writers, 300)
      expect(logLines(cluster, 'OPENED WARN0258')).to.deep.equal([])
      disk.set(6_000)
      await cluster.opens('WARN0258')
      expect(logLines(cluster, 'OPENED WARN0258').join()).to.match(/\d+ sessions? waited more than 2 s in a commit/)
      disk.set(0)
      await writers.stop()
    })
  })
