// Logical backups of a real cluster: their source, their position, their jobs, and what a failover makes of them.
import { expect } from 'chai'
import { caughtUp } from '../support/databases/database.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { jobEnds, jobLog, listBackups, listJobs, setSetting } from '../support/stories/backups.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('logical backups', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ settings: { 'backup-max-age': 1, 'failover-limit': 0 } })
  })
  after(() => end(cluster))

  const jobs = () => listJobs(cluster)
  const set = (name: string, value: string) => setSetting(cluster, name, value)

  it('reports a cluster without one from the first day', async () => {
    await cluster.opens('WARN0101')
    expect(await cluster.manager.get<object>(C)).to.include({ isValidBackup: false, inLogicalBackup: false })
  })

  it('plans to copy a replica, and says why the others come after it', async () => {
    const reply = await cluster.manager.post(`${C}/actions/backup-logical?plan=true`)
    const plan = JSON.parse(reply.body) as { possible: boolean; steps: { text: string }[]; risks: string[] }
    expect(plan.possible, reply.body).to.equal(true)
    const primary = await cluster.primary()
    expect(plan.risks.some((risk) => risk.includes(`${primary.port} comes after it: it is the primary`))).to.equal(true)
    expect(await jobs()).to.deep.equal([])
  })

  it('makes one of a replica, with the position of its data, and closes the finding', async () => {
    const primary = await cluster.primary()
    const reply = await cluster.manager.post(`${C}/actions/backup-logical?wait=true`)
    expect(reply, cluster.manager.log().slice(-3_000)).to.deep.include({
      status: 200,
      body: 'Backup initiated successfully',
    })
    const [backup] = await listBackups(cluster)
    expect(backup).to.include({ backupTool: 'mysqldump' })
    expect(backup?.source).to.not.equal(`127.0.0.1:${primary.port}`)
    const source = cluster.nodes.find(({ port }) => backup?.source.endsWith(`:${port}`))
    expect(await source?.value('SELECT BINLOG_GTID_POS(?, ?)', backup?.binLogFileName, backup?.binLogFilePos)).to.equal(
      backup?.binLogUuid,
    )
    expect(await primary.value('SELECT @@gtid_binlog_pos')).to.equal(backup?.binLogUuid)
    expect(backup?.size).to.be.greaterThan(0)
    await cluster.closes('WARN0101')
    const view = await cluster.manager.get<{ isValidBackup: boolean; backupList: object }>(C)
    expect(view.isValidBackup).to.equal(true)
    expect(Object.keys(view.backupList)).to.deep.equal([String(backup?.id)])
    const [job] = await jobs()
    expect(job).to.include({ task: 'backup-logical', phase: 'done' })
    expect(await jobLog(cluster, job?.id ?? 0)).to.contain(
      'changes of tables wait (BACKUP STAGE START, BACKUP STAGE BLOCK_DDL)',
    )
  })

  it('takes the server that is named for backups, and holds no lock afterwards', async () => {
    const primary = await cluster.primary()
    await set('db-servers-backup-hosts', `127.0.0.1:${primary.port}`)
    const reply = await cluster.manager.post(`${C}/actions/backup-logical?wait=true`)
    expect(reply.status, reply.body).to.equal(200)
    expect((await listBackups(cluster)).at(-1)?.source).to.equal(`127.0.0.1:${primary.port}`)
    await primary.sql('CREATE TABLE spec.after_backup (entry INT PRIMARY KEY)')
    await set('db-servers-backup-hosts', '')
  })

  it('refuses a server in maintenance, with the reason', async () => {
    const primary = await cluster.primary()
    const replica = (await cluster.servers()).find(({ port }) => port !== String(primary.port))
    await cluster.manager.post(`${C}/servers/${replica?.id}/actions/set-maintenance`)
    const reply = await cluster.manager.post(`${C}/servers/${replica?.id}/actions/backup-logical`)
    expect(reply.body).to.contain('is in maintenance')
    expect(reply.status).to.be.greaterThan(399)
    await cluster.manager.post(`${C}/servers/${replica?.id}/actions/del-maintenance`)
    await cluster.ready()
  })

  it('leaves nothing behind when it is cancelled, and says who did it', async () => {
    const before = await listBackups(cluster)
    await set('backup-bandwidth', '1')
    const primary = await cluster.primary()
    await primary.sql('CREATE TABLE spec.bulk (entry INT PRIMARY KEY AUTO_INCREMENT, filling LONGBLOB)')
    for (let turn = 0; turn < 3; turn += 1)
      await primary.sql('INSERT INTO spec.bulk (filling) VALUES (RANDOM_BYTES(1000)), (REPEAT(MD5(RAND()), 150000))')
    // A replica without all of it yet would be copied within a moment.
    for (const replica of cluster.nodes.filter((node) => node !== primary)) await caughtUp(primary, replica)
    await cluster.manager.post(`${C}/actions/backup-logical`)
    const running = async () => (await jobs()).find(({ phase }) => phase === 'running')
    await eventually(async () => (await running()) !== undefined, 'it runs')
    const job = (await running()) ?? expect.fail('it ran')
    const list = await cluster.manager.get<{ servers: Record<string, { tasks: { progress?: object }[] }> }>(`${C}/jobs`)
    expect(list.servers).to.not.deep.equal({})
    const cancelled = await cluster.manager.post(`${C}/jobs/${job.id}/actions/cancel`)
    expect(cancelled.status, cancelled.body).to.equal(200)
    expect(await jobEnds(cluster, job.id)).to.include({ phase: 'cancelled', result: 'cancelled by admin' })
    expect(await listBackups(cluster)).to.deep.equal(before)
  })

  it('gives way to a failover of its source, which is not delayed, and is made again of another server', async () => {
    const old = await cluster.primary()
    await set('db-servers-backup-hosts', `127.0.0.1:${old.port}`)
    await cluster.manager.post(`${C}/actions/backup-logical`)
    const ofPrimary = async () =>
      (await jobs()).findLast(({ server, task }) => task === 'backup-logical' && server.endsWith(`:${old.port}`))
    await eventually(async () => (await ofPrimary())?.phase === 'running', 'a backup of the primary runs')
    await old.kill()
    await cluster.movedFrom(old)
    const job = await jobEnds(cluster, (await ofPrimary())?.id ?? 0)
    expect(job?.phase).to.equal('failed')
    expect(job?.result).to.match(/takes part in it|does not answer/)
    await set('backup-bandwidth', '0')
    await eventually(
      async () => (await jobs()).some(({ id }) => id > (job?.id ?? 0)),
      () => `it is begun again\n${cluster.manager.log().slice(-3_000)}`,
    )
    const again = (await jobs()).find(({ id }) => id > (job?.id ?? 0))
    expect(again?.server.endsWith(`:${old.port}`)).to.equal(false)
    await jobEnds(cluster, again?.id ?? 0)
  })
})
