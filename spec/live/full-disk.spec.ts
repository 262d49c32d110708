// The story of a primary whose disk is full: its writes wait for space, it is reported, and the role moves away.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { replicate } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end, lossless } from '../support/stories/story.js'
import { SWITCHOVER } from '../support/stories/switching.js'

const DISK_MIB = 8

/** A small disk of its own; undefined where none can be mounted. */
function mountDisk(): string | undefined {
  const directory = newDirectory('disk')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', directory], { stdio: 'ignore' })
    return directory
  } catch {
    return undefined
  }
}

const disk = mountDisk()
if (disk === undefined) console.warn('no disk can be mounted here')
else
  describe('a primary whose disk is full', () => {
    let cluster: ProtectedCluster
    const filler = path.join(disk, 'filler')

    before(async () => {
      cluster = await startProtectedCluster({
        semiSync: true,
        options: lossless,
        arrange: async ([primary, ...replicas]) => {
          if (!primary) throw new Error('there are three nodes')
          await primary.stop()
          primary.start(`--log-bin=${disk}/bin`, `--tmpdir=${disk}`)
          await primary.waitUp()
          await prepareWrites(primary)
          await primary.sql('CREATE TABLE spec.large (id INT AUTO_INCREMENT PRIMARY KEY, body LONGBLOB)')
          await replicate(primary, replicas, { semiSync: true, heartbeatSeconds: 1, semiSyncTimeoutMs: 60_000 })
        },
      })
      await cluster.ready()
    })
    after(async () => {
      rmSync(filler, { force: true })
      await end(cluster)
      execFileSync('umount', ['-l', disk])
    })

    it('is reported, and gives its role away without waiting for space', async () => {
      const primary = await cluster.primary()
      const kept = await primary.sql("INSERT INTO spec.large (body) VALUES ('kept')")
      expect(kept).to.deep.equal([])
      expect(() => writeFileSync(filler, Buffer.alloc(2 * DISK_MIB * 1_048_576))).to.throw('ENOSPC')
      const hanging = Promise.allSettled(
        [1, 2, 3].map(() => primary.sql('INSERT INTO spec.large (body) VALUES (REPEAT(UUID(), 5000))')),
      )
      await cluster.opens('WARN0100')
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
