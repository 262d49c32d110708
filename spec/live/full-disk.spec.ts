// The story of a primary whose disk is full: its writes wait for space, it is reported, and the role moves away.
import { expect } from 'chai'
import { replicate } from '../support/databases/database.js'
import { mountDisk } from '../support/databases/small-disk.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { end, load, lossless, progress } from '../support/stories/story.js'
import { SWITCHOVER, switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const DISK_MIB = 8

const disk = mountDisk({ megabytes: DISK_MIB })
if (!disk) absent('a primary whose disk is full', 'no file system can be mounted')
else
  describe('a primary whose disk is full', () => {
    let cluster: ProtectedCluster

    before(async () => {
      cluster = await startProtectedCluster({
        semiSync: true,
        options: lossless,
        arrange: async ([primary, ...replicas]) => {
          if (!primary) throw new Error('there are three nodes')
          await primary.stop()
          primary.start(`--log-bin=${disk.directory}/bin`, `--tmpdir=${disk.directory}`)
          await primary.waitUp()
          await prepareWrites(primary)
          await primary.sql('CREATE TABLE spec.large (id INT AUTO_INCREMENT PRIMARY KEY, body LONGBLOB)')
          await replicate(primary, replicas, { semiSync: true, heartbeatSeconds: 1, semiSyncTimeoutMs: 60_000 })
        },
      })
      await cluster.ready()
    })
    after(async () => {
      disk.clear()
      await end(cluster)
      disk.unmount()
    })

    it('is reported, and gives its role away without waiting for space', async () => {
      const primary = await cluster.primary()
      const kept = await primary.sql("INSERT INTO spec.large (body) VALUES ('kept')")
      expect(kept).to.deep.equal([])
      disk.fill(0)
      const hanging = Promise.allSettled(
        [1, 2, 3].map(() => primary.sql('INSERT INTO spec.large (body) VALUES (REPEAT(UUID(), 5000))')),
      )
      await cluster.opens('WARN0100')
      await switchable(cluster)
      const { status, body } = await cluster.manager.post(SWITCHOVER)
      expect(status, `${body}\n${cluster.manager.log().slice(-5_000)}`).to.equal(200)
      const next = await cluster.primary()
      expect(next).to.not.equal(primary)
      const outcomes = await hanging
      expect(outcomes.map((outcome) => outcome.status)).to.deep.equal(['rejected', 'rejected', 'rejected'])
      await next.sql("INSERT INTO spec.large (body) VALUES ('goes on')")
      const rows = await next.sql('SELECT body FROM spec.large ORDER BY id')
      expect(rows.map((row) => String(row.body))).to.deep.equal(['kept', 'goes on'])
    })
  })

const logDisk = mountDisk({ megabytes: DISK_MIB })
if (!logDisk) absent('a primary whose binary log has no space', 'no file system can be mounted')
else
  describe('a primary whose binary log has no space', () => {
    let cluster: ProtectedCluster

    before(async () => {
      cluster = await startProtectedCluster({
        count: 2,
        options: lossless,
        arrange: async ([primary, ...replicas]) => {
          if (!primary) throw new Error('there are two nodes')
          await primary.stop()
          primary.start(`--log-bin=${logDisk.directory}/bin`)
          await primary.waitUp()
          await prepareWrites(primary)
          await replicate(primary, replicas, { semiSync: false, heartbeatSeconds: 1 })
        },
      })
      await cluster.ready()
      await switchable(cluster)
    })
    after(async () => {
      logDisk.clear()
      await end(cluster)
      logDisk.unmount()
    })

    it('keeps its role while commits wait: the plan and the switchover are refused, and no commit is ended', async () => {
      const primary = await cluster.primary()
      const writers = load(cluster, { count: 4 })
      await progress(writers, 50)
      logDisk.fill(0)
      const waiting = async () =>
        (await primary.sql('SHOW PROCESSLIST')).filter(({ State }) =>
          /^(Commit|Waiting for .*space)$/.test(String(State)),
        )
      await eventually(async () => (await waiting()).length === 4, 'every commit waits')
      const ids = (await waiting()).map(({ Id }) => Id)
      const refused = /a commit waits for space to write it[^"]*no replica can get/
      const plan = async () => (await cluster.manager.post(`${SWITCHOVER}?plan=true`)).body
      await eventually(async () => refused.test(await plan()), 'the plan says so')
      const { status, body } = await cluster.manager.post(SWITCHOVER)
      expect(status, body).to.equal(409)
      expect(body).to.match(refused)
      expect((await waiting()).map(({ Id }) => Id)).to.deep.equal(ids)
      expect(await primary.value('SELECT @@read_only')).to.equal('0')
    })
  })
