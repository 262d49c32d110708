// Every server of a cluster is lost, then the manager's working directory with them: new, empty servers get everything that was
// stored, and the accounts, by one command.
import { existsSync, rmSync } from 'node:fs'
import { expect } from 'chai'
import type { PlaceConfig } from '../../lib/backup/place/place.js'
import { readBack } from '../../lib/backup/storing/read-back.js'
import { unwrap } from '../../lib/base/result.js'
import { secret } from '../../lib/base/secret.js'
import { MINUTE } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { ClusterRecoveryPlan } from '../../lib/model/operation/cluster-recovery.js'
import { emptyData } from '../support/databases/disk-copy.js'
import type { Node } from '../support/databases/node.js'
import type { Writers } from '../support/databases/writers.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ObjectStorage, startObjectStorage } from '../support/machine/object-storage.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { jobLog, listBackups, listJobs, makeBackup } from '../support/stories/backups.js'
import { durable, end, load, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'
const { signal } = new AbortController()

describe('a cluster whose servers are all lost', () => {
  let cluster: ProtectedCluster
  let storage: ObjectStorage
  let writers: Writers

  before(async () => {
    storage = await startObjectStorage()
    cluster = await startProtectedCluster({
      count: 2,
      options: durable,
      settings: {
        ...{ 'backup-binlogs': true, 'backup-binlogs-copy-interval': 1, 'backup-streaming': true },
        ...{ 'backup-streaming-endpoint': storage.endpoint, 'backup-streaming-bucket': `${storage.bucket}/deep` },
        'backup-streaming-aws-access-key-id': storage.accessKeyId,
        'backup-streaming-aws-access-secret': storage.secretAccessKey,
      },
    })
    const primary = await cluster.primary()
    await primary.sql('CREATE ROLE orders')
    await primary.sql('GRANT SELECT ON spec.* TO orders')
    await primary.sql("CREATE USER app@'127.0.0.1' IDENTIFIED BY 'app of the shop'")
    await primary.sql("GRANT orders TO app@'127.0.0.1'")
    writers = load(cluster, { count: 1 })
    await progress(writers, 50)
    await makeBackup(cluster, 'actions/backup-logical?wait=true')
    await progress(writers, 50)
  })
  after(async () => {
    await end(cluster)
    await storage?.close()
  })

  const place = (): PlaceConfig => ({
    ...{ kind: 's3', endpoint: storage.endpoint, bucket: storage.bucket, accessKeyId: storage.accessKeyId },
    ...{ secretAccessKey: secret(storage.secretAccessKey), region: 'us-east-1', prefix: 'deep' },
    ...{ lockDays: 0, timeoutMs: MINUTE },
  })

  /** The last GTID in the object storage. */
  const lastElsewhere = async () => {
    const directory = newDirectory('read-back')
    const given = { place: place(), cluster: 'story', directory, keyFile: `${directory}/none`, present: [], signal }
    // Parts that were listed may be merged and removed by the copying before they are read.
    const found = await readBack(given).catch(() => undefined)
    const all = found?.ok ? Object.values(found.value.terms.at(-1)?.files.at(-1)?.transactions ?? {}) : []
    return String(all.flat(2).at(-1))
  }

  /** Clients end, and everything that they wrote is in the object storage. */
  const isStored = async () => {
    await writers.stop()
    const last = (await (await cluster.primary()).value('SELECT @@gtid_binlog_pos')).split('-')[2]
    await eventually(
      async () => (await lastElsewhere()) === last,
      () => `${last} is elsewhere\n${cluster.manager.log().slice(-3_000)}`,
    )
  }

  const replaceAll = async () => {
    for (const node of cluster.nodes) await node.kill()
    for (const node of cluster.nodes) {
      await emptyData(node)
      node.start('--read-only=ON')
      await node.waitUp()
    }
  }

  const plan = async (): Promise<ClusterRecoveryPlan> => {
    let found: ClusterRecoveryPlan | undefined
    await eventually(
      async () => {
        found = await cluster.manager.get<ClusterRecoveryPlan>(`${C}/recovery`)
        return found !== undefined
      },
      () => `a plan\n${cluster.manager.log().slice(-3_000)}`,
    )
    return found ?? expect.fail('there is a plan')
  }

  const bringBack = async () => {
    const { id, loss } = await plan()
    const reply = await cluster.manager.post(`${C}/actions/pitr?confirm=${encodeURIComponent(id)}&wait=true`)
    const job = (await listJobs(cluster)).findLast(({ task }) => task === 'pitr')
    const log = job ? await jobLog(cluster, job.id) : ''
    expect(reply.status, `${reply.body}\n${log}\n${cluster.manager.log().slice(-3_000)}`).to.equal(202)
    return { loss, log }
  }

  const reads = async (node: Node) => {
    const session = unwrap(await openSession({ ...node.target(), user: 'app', password: 'app of the shop' }))
    try {
      unwrap(await session.run('SET ROLE orders', [], MINUTE))
      const [[row] = []] = unwrap(await session.run('SELECT COUNT(*) AS n FROM spec.acknowledged', [], MINUTE))
      return Number(row?.n)
    } finally {
      session.close()
    }
  }

  const expectWhole = async () => {
    await cluster.convergesOn(await cluster.primary())
    for (const node of cluster.nodes) {
      expect(await writers.missingOn(node), node.name).to.deep.equal([])
      expect(await reads(node), node.name).to.be.at.least(writers.acknowledged.length)
    }
  }

  it('is whole again, with its accounts, when its servers are empty ones', async () => {
    await isStored()
    await replaceAll()
    const { loss, log } = await bringBack()
    expect(loss).to.match(/^Nothing later is stored/)
    expect(log).to.match(/3 accounts of the backup created: `orders`, .*`app`@`127\.0\.0\.1`/)
    expect(log).to.not.include('not as in the backup')
    expect(log).to.match(/restored to .* in \d+\.\d s; nothing was there$/m)
    await expectWhole()
    await cluster.ready()
  })

  it('is whole again when the working directory of the manager is lost, too', async () => {
    await eventually(async () => (await listBackups(cluster)).length === 2, 'it was copied again')
    writers = load(cluster, { count: 1, first: 1 })
    await progress(writers, 50)
    await isStored()
    await cluster.manager.end('SIGTERM')
    await eventually(() => {
      rmSync(cluster.manager.dataDirectory, { recursive: true, force: true })
      return !existsSync(cluster.manager.dataDirectory)
    }, 'the directory is removed')
    await replaceAll()
    cluster.manager.start()
    await cluster.manager.alive()
    await eventually(
      () => cluster.manager.log().includes('read back from s3'),
      () => `read back\n${cluster.manager.log().slice(-3_000)}`,
    )
    const formed = await cluster.manager.post(`${C}/actions/replication/bootstrap/master-slave`)
    expect(formed.status, formed.body).to.equal(200)
    await bringBack()
    await expectWhole()
  })
})
