// The other ways to copy a server: mydumper, a script, mariabackup in full and by increments; and what schedules and scripts add.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { jobEnds, jobLog, listBackups, listJobs, makeBackup, setSetting } from '../support/stories/backups.js'
import { end } from '../support/stories/story.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

const C = '/api/clusters/story'

describe('kinds of backups', () => {
  const folder = newDirectory('scripts')
  const script = path.join(folder, 'save.sh')
  const post = path.join(folder, 'post.sh')
  let cluster: ProtectedCluster
  before(async () => {
    const save = `#!/bin/sh\nexec mariadb-dump --host="$1" --port="$3" --user="$5" --databases spec --result-file="$8/spec.sql"\n`
    writeFileSync(script, save)
    writeFileSync(post, `#!/bin/sh\necho "$@" >>${folder}/posted\n`)
    for (const file of [script, post]) chmodSync(file, 0o700)
    cluster = await startProtectedCluster({
      count: 2,
      settings: {
        'backup-max-age': 24,
        'backup-save-script': script,
        'backup-logical-post-script': post,
        'backup-physical-incremental': 1,
      },
    })
  })
  after(() => end(cluster))

  it('copies by mydumper, with the position of its file metadata', async () => {
    await setSetting(cluster, 'backup-logical-type', 'mydumper')
    const backup = await makeBackup(cluster, 'actions/backup-logical?wait=true')
    expect(backup.backupTool).to.equal('mydumper')
    const primary = await cluster.primary()
    expect(backup.binLogUuid).to.equal(await primary.value('SELECT @@gtid_binlog_pos'))
    const posted = path.join(folder, 'posted')
    await eventually(
      () => existsSync(posted) && readFileSync(posted, 'utf8').includes('story 127.0.0.1'),
      'the script is called',
    )
  })

  it('copies by a script, which is given no password to show', async () => {
    await setSetting(cluster, 'backup-logical-type', 'script')
    const backup = await makeBackup(cluster, 'actions/backup-logical?wait=true')
    expect(backup).to.include({ backupTool: 'script', binLogUuid: '' })
    expect(backup.rawSize).to.be.greaterThan(0)
  })

  it('copies the files of a server, then what has changed since, then all of it again', async () => {
    const server = (await cluster.servers()).find(({ state }) => state === 'Slave')
    const physical = () => makeBackup(cluster, `servers/${server?.id}/actions/backup-physical?wait=true`)
    const full = await physical()
    expect(full).to.include({ backupTool: 'mariabackup', backupStrategy: 1, previous: 0 })
    const primary = await cluster.primary()
    expect(full.binLogUuid).to.equal(await primary.value('SELECT @@gtid_binlog_pos'))
    const second = await physical()
    expect(second).to.include({ backupStrategy: 2, previous: full.id })
    expect(second.rawSize).to.be.lessThan(full.rawSize)
    expect(await physical()).to.include({ backupStrategy: 1 })
  })

  it('lets changes of tables wait for the end of a copy of files with backup-lockddl, and not without it', async () => {
    const primary = await cluster.primary()
    const server = (await cluster.servers()).find(({ port }) => port === String(primary.port))
    await primary.sql('CREATE TABLE spec.changed (entry INT PRIMARY KEY)')
    // The tool reads from the files which tables there are.
    await primary.sql('FLUSH TABLES spec.changed FOR EXPORT')
    await primary.sql('UNLOCK TABLES')
    // So slow that it ends only when the limit is taken away.
    await setSetting(cluster, 'backup-bandwidth', '1')
    const copying = async (held: 'wait until' | 'do not wait') => {
      await cluster.manager.post(`${C}/servers/${server?.id}/actions/backup-physical?full=true`)
      const job = (await listJobs(cluster)).at(-1)
      await eventually(
        async () => {
          const log = await jobLog(cluster, job?.id ?? 0)
          return log.includes(`changes of its tables ${held}`) && log.includes('BACKUP STAGE START')
        },
        () => `the copy has begun\n${cluster.manager.log().slice(-4_000)}`,
      )
      return job?.id ?? 0
    }
    const running = async (id: number) => (await listJobs(cluster)).find((job) => job.id === id)?.phase === 'running'

    const held = await copying('wait until')
    const admin = unwrap(await openSession(primary.target()))
    let isChanged = false
    const change = admin.run('ALTER TABLE spec.changed ADD COLUMN later INT', [], PATIENCE_MS).then((done) => {
      isChanged = done.ok
      return done
    })
    await eventually(
      async () =>
        (await primary.value(
          "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting%lock' AND INFO LIKE 'ALTER TABLE spec.changed%'",
        )) === '1',
      () => `the change waits\n${cluster.manager.log().slice(-3_000)}`,
    )
    expect([await running(held), isChanged]).to.deep.equal([true, false])
    await setSetting(cluster, 'backup-bandwidth', '0')
    expect(await jobEnds(cluster, held)).to.include({ phase: 'done' })
    expect((await change).ok).to.equal(true)
    admin.close()

    await setSetting(cluster, 'backup-lockddl', 'false')
    await setSetting(cluster, 'backup-bandwidth', '1')
    const free = await copying('do not wait')
    await primary.sql('ALTER TABLE spec.changed DROP COLUMN later')
    expect(await running(free)).to.equal(true)
    await setSetting(cluster, 'backup-bandwidth', '0')
    expect(await jobEnds(cluster, free)).to.include({ phase: 'done' })
    await setSetting(cluster, 'backup-lockddl', 'true')
  })

  it('copies the primary where that is asked for, by the address of its port, too', async () => {
    const primary = await cluster.primary()
    const backup = await makeBackup(cluster, 'actions/master-physical-backup?wait=true&full=true')
    expect(backup.source).to.equal(`127.0.0.1:${primary.port}`)
    const before = (await listJobs(cluster)).length
    const reply = await cluster.manager.session.call('GET', `${C}/servers/127.0.0.1/${primary.port}/backup?wait=true`)
    expect(reply.ok && reply.value.body).to.equal('Backup initiated successfully')
    expect((await listJobs(cluster)).length).to.equal(before + 1)
    const unknown = await cluster.manager.post('/api/clusters/other/actions/master-physical-backup')
    expect(unknown.status).to.equal(400)
  })

  it('makes one by schedule, in the name of the scheduler', async () => {
    await setSetting(cluster, 'backup-logical-type', 'mysqldump')
    await setSetting(cluster, 'scheduler-db-servers-logical-backup-cron', '* * * * * *')
    await setSetting(cluster, 'monitoring-scheduler', 'true')
    const scheduled = async () =>
      (await listJobs(cluster)).find(({ user, phase }) => user === 'scheduler' && phase === 'done')
    await eventually(
      async () => (await scheduled()) !== undefined,
      () => `it ends\n${cluster.manager.log().slice(-3_000)}`,
    )
    await setSetting(cluster, 'monitoring-scheduler', 'false')
    const open = async () => (await listJobs(cluster)).filter(({ phase }) => phase === 'queued' || phase === 'running')
    await eventually(async () => (await open()).length === 0, 'the last one that was begun has ended')
    expect(await scheduled()).to.include({ task: 'backup-logical' })
  })

  it('refuses to fill the disk, and says by how much', async () => {
    await setSetting(cluster, 'backup-disk-threshold-crit', '1')
    await setSetting(cluster, 'backup-restic-purge-oldest-on-disk-space', 'false')
    const before = await listBackups(cluster)
    const reply = await cluster.manager.post(`${C}/actions/backup-logical?wait=true`)
    expect(reply.body).to.match(/% full, backup-disk-threshold-crit is 1 %/)
    expect((await listBackups(cluster)).length).to.be.most(before.length)
    const job = (await listJobs(cluster)).at(-1)
    expect(job?.phase).to.equal('failed')
    expect(await jobLog(cluster, job?.id ?? 0)).to.contain('will be stored')
  })
})
