// Every kind of backup is restored and compared with a server: files of mydumper, a full copy with its increment.
import { expect } from 'chai'
import type { Writers } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { jobLog, listJobs, makeBackup, setSetting } from '../support/stories/backups.js'
import { durable, end, load, progress } from '../support/stories/story.js'

const C = '/api/clusters/story'

describe('restore of every kind of backup', () => {
  let cluster: ProtectedCluster
  let writers: Writers

  before(async () => {
    cluster = await startProtectedCluster({
      count: 2,
      options: durable,
      settings: { 'backup-binlogs': true, 'backup-physical-incremental': 1, 'backup-logical-type': 'mydumper' },
    })
    writers = load(cluster, { count: 2, pauseMs: 10 })
    await progress(writers, 20)
  })
  after(() => end(cluster))

  const prove = async (backup: number) => {
    const reply = await cluster.manager.post(`${C}/actions/prove-backup?wait=true&backup=${backup}`)
    const job = (await listJobs(cluster)).findLast(({ task }) => task === 'proof')
    const log = job ? await jobLog(cluster, job.id) : ''
    expect(reply.status, `${reply.body}\n${job?.result}\n${log.slice(-3_000)}`).to.equal(202)
    return log
  }

  it('loads files of mydumper by myloader, replays the stored logs, and the tables equal the source', async () => {
    const { id, backupTool } = await makeBackup(cluster, 'actions/backup-logical?wait=true')
    expect(backupTool).to.equal('mydumper')
    await progress(writers, 20)
    const log = await prove(id)
    expect(log).to.match(/replaying .*\n/)
    expect(log).to.match(/passed comparison: \d+ tables with \d+ rows equal the source/)
  })

  it('prepares a full copy with its increment, replays the stored logs, and the tables equal the source', async () => {
    await setSetting(cluster, 'backup-logical-type', 'mysqldump')
    const server = (await cluster.servers()).find(({ state }) => state === 'Slave')
    const physical = () => makeBackup(cluster, `servers/${server?.id}/actions/backup-physical?wait=true`)
    const full = await physical()
    await progress(writers, 20)
    const second = await physical()
    expect(second).to.include({ backupStrategy: 2, previous: full.id })
    await progress(writers, 20)
    const log = await prove(second.id)
    expect(log).to.include(`preparing backup ${full.id}`)
    expect(log).to.include(`preparing backup ${second.id}`)
    expect(log).to.match(/passed comparison: \d+ tables with \d+ rows equal the source/)
  })
})
