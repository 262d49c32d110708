// The core stories on other versions of MariaDB and MySQL: handing over on request, death of the primary, its return.
import { expect } from 'chai'
import { caughtUp } from '../support/databases/database.js'
import { findVersion, type VersionName } from '../support/databases/versions.js'
import { type ProtectedCluster, SEMI_SYNC_MS, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { sample } from '../support/run/soak.js'
import { comesBack, durable, end, expectWhole, load, lossless, onlyOn, progress } from '../support/stories/story.js'
import { switchOver } from '../support/stories/switching.js'

/** MySQL waits before commit by default, and knows these options only when the plugins are loaded. */
const losslessMysql = [
  ...durable,
  '--loose-rpl-semi-sync-replica-enabled=ON',
  `--loose-rpl-semi-sync-source-timeout=${SEMI_SYNC_MS}`,
]

const wanted = sample<VersionName>(['mariadb-11.8', 'mysql-8.0', 'mysql-9'], 2)

/** The build of this version that can be had has no plugins, so no semi-synchronous replication. */
const withoutSemiSync: readonly VersionName[] = ['mysql-8.0']

const optionsOf = (software: VersionName): readonly string[] =>
  software.startsWith('mariadb') ? lossless : withoutSemiSync.includes(software) ? durable : losslessMysql
const versions = await Promise.all(wanted.map(async (software) => ({ software, ...(await findVersion(software)) })))

for (const version of versions) if (!version.available) absent(`a cluster of ${version.software}`, version.reason)

for (const { software } of versions.filter(({ available }) => available))
  describe(`a cluster of ${software}`, () => {
    const semiSync = !withoutSemiSync.includes(software)
    let cluster: ProtectedCluster
    before(async () => {
      cluster = await startProtectedCluster({ software, semiSync, options: optionsOf(software) })
    })
    after(() => end(cluster))

    it('hands over on request under writers and loses nothing', async () => {
      const old = await cluster.primary()
      const writers = load(cluster, { count: 8 })
      await progress(writers, 100)
      await switchOver(cluster)
      const next = await cluster.movedFrom(old)
      await progress(writers, 100)
      await writers.stop()
      expect(await writers.missingOn(next)).to.deep.equal([])
      await expectWhole(cluster, next)
    })

    it('takes a killed primary back automatically when it wrote nothing alone', async () => {
      const old = await cluster.primary()
      for (const node of cluster.nodes) if (node !== old) await caughtUp(old, node)
      await old.kill()
      const next = await cluster.movedFrom(old)
      expect((await comesBack(cluster, old)).Outcome).to.equal('rejoined')
      await expectWhole(cluster, next)
    })

    it(`${semiSync ? 'loses no acknowledged write' : 'loses only what it saves'} when its primary is killed under writers`, async () => {
      const old = await cluster.primary()
      const writers = load(cluster, { count: 8, first: 8 })
      await progress(writers, 100)
      await old.kill()
      const next = await cluster.movedFrom(old)
      await progress(writers, 50)
      await writers.stop()
      const missing = await writers.missingOn(next)
      const { Outcome } = await comesBack(cluster, old)
      const own = await onlyOn(old, next)
      if (semiSync) expect(missing).to.deep.equal([])
      else expect(own).to.include.members([...missing])
      expect(Outcome).to.equal(own.length === 0 ? 'rejoined' : 'diverged')
      expect(await old.value('SELECT @@read_only')).to.equal('1')
    })
  })
