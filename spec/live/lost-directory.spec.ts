// The working directory of the manager is lost: binary logs that were copied elsewhere while they were written are read back from there.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { logsDirectory, pathOf, readTerms, type Term } from '../../lib/backup/binlog/term.js'
import type { PlaceConfig } from '../../lib/backup/place/place.js'
import { openPlace } from '../../lib/backup/place/places.js'
import { readBack } from '../../lib/backup/storing/read-back.js'
import { unwrap } from '../../lib/base/result.js'
import { secret } from '../../lib/base/secret.js'
import { MINUTE } from '../../lib/base/time.js'
import { purgeLogs } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ObjectStorage, startObjectStorage } from '../support/machine/object-storage.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { jobLog, listJobs, makeBackup } from '../support/stories/backups.js'
import { durable, end, load, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'
const { signal } = new AbortController()

/** What a new directory has after everything was read back from the place. */
async function fromPlace(place: PlaceConfig, cluster: string, keyFile: string) {
  const directory = newDirectory('read-back')
  const { terms } = unwrap(await readBack({ place, cluster, directory, keyFile, present: [], signal }))
  return { directory, terms }
}

const _bytesOf = (directory: string, term: Term, name: string): Buffer => {
  const file = term.files.find((each) => each.name === name)
  if (!file) throw new Error(`${name} is not in the index of ${term.id}`)
  const bytes = readFileSync(pathOf(directory, term, file))
  return file.stored.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

describe('a lost working directory', () => {
  const keyFile = path.join(newDirectory('keys'), 'keys.txt')
  let storage: ObjectStorage
  let cluster: ProtectedCluster
  let acknowledged: number

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
        ...{ 'backup-encryption': true, 'backup-encryption-key-file': keyFile, 'compress-backups': true },
        'backup-recovery-point': 10,
      },
    })
  })
  after(async () => {
    await end(cluster)
    await storage?.close()
  })

  const place = (): PlaceConfig => ({
    ...{ kind: 's3', endpoint: storage.endpoint, bucket: storage.bucket, accessKeyId: storage.accessKeyId },
    secretAccessKey: secret(storage.secretAccessKey),
    ...{ region: 'us-east-1', prefix: 'deep', lockDays: 0, timeoutMs: MINUTE },
  })

  const objects = async () => unwrap(await openPlace(place()).list('story')).map((file) => file.path)

  it('has its backup and its binary logs in object storage, encrypted', async () => {
    await makeBackup(cluster, 'actions/backup-physical?wait=true')
    const primary = await cluster.primary()
    const writers = load(cluster, { count: 2, pauseMs: 5 })
    await progress(writers, 100)
    await primary.sql('FLUSH BINARY LOGS')
    await progress(writers, 100)
    await writers.stop()
    const last = await primary.value('SELECT @@gtid_binlog_pos')
    acknowledged = Number(await primary.value('SELECT COUNT(*) FROM spec.acknowledged'))
    await eventually(
      async () => {
        // Parts that were listed may be merged and removed by the copying before they are read.
        const found = await fromPlace(place(), 'story', keyFile).catch(() => undefined)
        if (found) rmSync(found.directory, { recursive: true })
        const domain = Object.values(found?.terms.at(-1)?.files.at(-1)?.transactions ?? {}).flat(2)
        return String(domain.at(-1)) === last.split('-')[2]
      },
      () => `${last} is elsewhere\n${cluster.manager.log().slice(-3_000)}`,
    )
    const logs = (await objects()).filter((name) => name.includes('/binlogs/') && !/index-\d+\.json$/.test(name))
    expect(logs.length).to.be.greaterThan(1)
    expect(logs.filter((name) => !/\.(zst|gz)\.age$/.test(name))).to.deep.equal([])
    await cluster.closes('WARN0403')
  })

  it('recovers everything acknowledged from the object storage alone', async () => {
    await cluster.manager.end('SIGKILL')
    // The process that stores logs ends after the manager, and writes until then.
    await eventually(() => {
      try {
        rmSync(cluster.manager.dataDirectory, { recursive: true, force: true })
      } catch {
        return false
      }
      return !existsSync(cluster.manager.dataDirectory)
    }, 'the directory is removed')
    for (const node of cluster.nodes) await purgeLogs(node)
    cluster.manager.start()
    await cluster.manager.alive()
    await cluster.ready()
    await eventually(
      () => cluster.manager.log().includes('read back from s3'),
      () => `read back\n${cluster.manager.log().slice(-4_000)}`,
    )
    const reply = await cluster.manager.post(`${C}/actions/recover-tables/spec?tables=acknowledged&wait=true`)
    const job = (await listJobs(cluster)).at(-1)
    const log = job ? await jobLog(cluster, job.id) : ''
    const stored = unwrap(await readTerms(logsDirectory(cluster.manager.dataDirectory, 'story')))
    const seen = [reply.body, log.slice(-2_000), JSON.stringify(stored), cluster.manager.log().slice(-4_000)]
    expect(reply.status, seen.join('\n')).to.equal(202)
    const dump = /(\S+\.sql\.gz)/.exec(job?.result ?? '')?.[1] ?? ''
    const rows =
      gunzipSync(readFileSync(dump))
        .toString()
        .match(/\(\d+,\d+/g) ?? []
    expect(rows.length).to.equal(acknowledged)
  })
})
