// Method × place × flavour × encryption: each backup is restored from its place into a scratch server and compared with its source.
// With every commit the main diagonal, so that each method, place and form is proven once; in a soak all of them.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { clientOfMysql9, findVersion, needSoftware, programOf, toolOfMysql9 } from '../support/databases/versions.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ObjectStorage, startObjectStorage } from '../support/machine/object-storage.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { isSoak } from '../support/run/soak.js'
import { jobLog, listBackups, listJobs, makeBackup, setSetting } from '../support/stories/backups.js'
import { durable, end, load, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

interface Combination {
  readonly method: 'mysqldump' | 'mydumper' | 'mariabackup'
  readonly place: 'directory' | 's3' | 'restic'
  readonly encrypted: boolean
}

const methods = ['mysqldump', 'mydumper', 'mariabackup'] as const
const places = ['directory', 's3', 'restic'] as const

/** Of MariaDB; MySQL has the first method only, without the programs of another vendor. */
const combinations: readonly Combination[] = methods.flatMap((method, row) =>
  places.flatMap((place, column) =>
    [false, true].flatMap((encrypted) =>
      isSoak || (row === column && encrypted === row > 0) ? [{ method, place, encrypted }] : [],
    ),
  ),
)

for (const software of ['mariadb', 'mysql-9'] as const)
  describe(`backups of ${software} in every place`, () => {
    let cluster: ProtectedCluster
    let storage: ObjectStorage
    let groups = 0
    before(async function () {
      await needSoftware(this, software)
      storage = await startObjectStorage()
      const repository = path.join(newDirectory('matrix'), 'restic')
      cluster = await startProtectedCluster({
        count: 2,
        ...(software === 'mariadb' ? { options: durable } : { software, programs: await programsOfMysql() }),
        settings: {
          'backup-binlogs': true,
          'compress-backups': true,
          'backup-streaming-endpoint': storage.endpoint,
          'backup-streaming-bucket': storage.bucket,
          'backup-streaming-aws-access-key-id': storage.accessKeyId,
          'backup-streaming-aws-access-secret': storage.secretAccessKey,
          'backup-restic-binary-path': 'restic',
          'backup-restic-password': 'only here',
          'backup-restic-repository': repository,
        },
      })
    })
    after(async () => {
      await end(cluster)
      await storage?.close()
    })

    const last = async () => {
      const job = (await listJobs(cluster)).at(-1)
      return `${job?.task} ${job?.phase} ${job?.result}\n${job ? (await jobLog(cluster, job.id)).slice(-3_000) : ''}`
    }

    for (const { method, place, encrypted } of combinations.filter(
      (each) => software === 'mariadb' || each.method === 'mysqldump',
    ))
      it(`by ${method}, in ${place}, ${encrypted ? 'encrypted' : 'plain'}`, async () => {
        await setSetting(cluster, 'backup-streaming', String(place === 's3'))
        await setSetting(cluster, 'backup-restic', String(place === 'restic'))
        await setSetting(cluster, 'backup-encryption', String(encrypted))
        const kind = method === 'mariabackup' ? 'physical' : 'logical'
        groups += 1
        const writers = load(cluster, { count: 2, first: groups * 10, pauseMs: 10 })
        await progress(writers, 20)
        if (kind === 'logical') await setSetting(cluster, 'backup-logical-type', method)
        const made = await makeBackup(cluster, `actions/backup-${kind}?wait=true`)
        expect(made).to.include({ backupTool: method, encrypted })
        await progress(writers, 20)
        await writers.stop()
        if (place === 'restic') await loseWorkingDirectory(made.id)
        const listed = (await listBackups(cluster)).find(({ id }) => id === made.id)
        expect(listed?.places).to.deep.equal([place])
        const reply = await cluster.manager.post(`${C}/actions/prove-backup?backup=${made.id}&wait=true`)
        expect(reply.status, `${reply.body}\n${await last()}`).to.equal(202)
        // Only snapshots of MariaDB name their transaction.
        expect(await last()).to.match(software === 'mariadb' ? /passed comparison: \d+ tables/ : /proof done/)
      })

    /** What is read then comes from the archive, which a manager reads when it starts. */
    const loseWorkingDirectory = async (id: number): Promise<void> => {
      await cluster.manager.end('SIGTERM')
      const folder = path.join(cluster.manager.dataDirectory, 'backups/story')
      for (const name of readdirSync(folder).filter((each) => each !== 'binlogs'))
        rmSync(path.join(folder, name), { recursive: true })
      cluster.manager.start()
      await cluster.manager.alive()
      await cluster.ready()
      await eventually(
        async () => (await listBackups(cluster)).find((each) => each.id === id)?.places?.join() === 'restic',
        () => `the list has it from the archive\n${cluster.manager.log().slice(-3_000)}`,
      )
    }
  })

async function programsOfMysql(): Promise<string> {
  const mysql = await findVersion('mysql-9')
  if (!mysql.available) throw new Error(mysql.reason)
  const programs = path.join(newDirectory('mysql-programs'), 'bin')
  mkdirSync(programs)
  writeFileSync(path.join(programs, 'mysqld'), programOf(mysql.engine), { mode: 0o755 })
  for (const name of ['mysqldump', 'mysql']) await clientOfMysql9(name, programs)
  await toolOfMysql9('mysqlbinlog', programs)
  return programs
}
