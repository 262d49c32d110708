// The core stories on the newest MariaDB and MySQL: handing over on request, death of the primary, its return.
import { expect } from 'chai'
import { caughtUp } from '../support/database.js'
import { type ProtectedCluster, SEMI_SYNC_MS, startProtectedCluster } from '../support/protected-cluster.js'
import { comesBack, durable, end, expectWhole, load, lossless, onlyOn, progress } from '../support/story.js'
import { findVersion, type VersionName } from '../support/versions.js'

/** MySQL waits before commit by default, and knows these options only when the plugins are loaded. */
const losslessMysql = [
  ...durable,
  '--loose-rpl-semi-sync-replica-enabled=ON',
  `--loose-rpl-semi-sync-source-timeout=${SEMI_SYNC_MS}`,
]

const wanted: readonly VersionName[] = ['mariadb-11.8', 'mysql-9']
const versions = await Promise.all(wanted.map(async (software) => ({ software, ...(await findVersion(software)) })))

for (const version of versions) if (!version.available) console.warn(`not available here: ${version.reason}`)

for (const { software } of versions.filter(({ available }) => available))
  describe(`a cluster of ${software}`, () => {
    let cluster: ProtectedCluster
    before(async () => {
      const options = software === 'mysql-9' ? losslessMysql : lossless
      cluster = await startProtectedCluster({ software, semiSync: true, options })
    })
    after(() => end(cluster))

    it('hands over on request under writers and loses nothing', async () => {
      const old = await cluster.primary()
      const writers = load(cluster, { count: 8 })
      await progress(writers, 100)
      expect(await cluster.manager.post('/api/clusters/story/actions/switchover')).to.have.property('status', 200)
      const next = await cluster.movedFrom(old)
      await progress(writers, 100)
      await writers.stop()
      expect(await writers.missingOn(next)).to.deep.equal([])
      await expectWhole(cluster, next)
    })

    it('takes a killed primary back by itself when it wrote nothing alone', async () => {
      const old = await cluster.primary()
      for (const node of cluster.nodes) if (node !== old) await caughtUp(old, node)
      await old.kill()
      const next = await cluster.movedFrom(old)
      expect((await comesBack(cluster, old)).Outcome).to.equal('rejoined')
      await expectWhole(cluster, next)
    })

    it('loses no acknowledged write when its primary is killed under writers', async () => {
      const old = await cluster.primary()
      const writers = load(cluster, { count: 8, first: 8 })
      await progress(writers, 100)
      await old.kill()
      const next = await cluster.movedFrom(old)
      await progress(writers, 50)
      await writers.stop()
      expect(await writers.missingOn(next)).to.deep.equal([])
      const { Outcome } = await comesBack(cluster, old)
      expect(Outcome).to.equal((await onlyOn(old, next)).length === 0 ? 'rejoined' : 'diverged')
      expect(await old.value('SELECT @@read_only')).to.equal('1')
    })
  })
