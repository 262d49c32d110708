// MySQL: a table is dropped, and comes back from a dump and stored binary logs; then all servers do.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { SECOND } from '../../lib/base/time.js'
import type { ClusterRecoveryPlan, FoundTransactions } from '../../lib/model/operation/cluster-recovery.js'
import { clientOfMysql9, findVersion, needSoftware, programOf, toolOfMysql9 } from '../support/databases/versions.js'
import type { Writers } from '../support/databases/writers.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { jobLog, listJobs, makeBackup } from '../support/stories/backups.js'
import { end, load, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('recovery of MySQL', () => {
  let cluster: ProtectedCluster
  let writers: Writers
  let drop = ''
  let droppedAt: number

  before(async function () {
    await needSoftware(this, 'mysql-9')
    const mysql = await findVersion('mysql-9')
    if (!mysql.available) return
    const programs = path.join(newDirectory('mysql-programs'), 'bin')
    mkdirSync(programs)
    writeFileSync(path.join(programs, 'mysqld'), programOf(mysql.engine), { mode: 0o755 })
    for (const name of ['mysqldump', 'mysql']) await clientOfMysql9(name, programs)
    await toolOfMysql9('mysqlbinlog', programs)
    cluster = await startProtectedCluster({
      count: 2,
      software: 'mysql-9',
      programs,
      settings: { 'backup-binlogs': true, 'failover-limit': 0 },
    })
    writers = load(cluster, { count: 2, pauseMs: 10 })
    await progress(writers, 20)
    await makeBackup(cluster, 'actions/backup-logical?wait=true')
    await progress(writers, 20)
    await writers.stop()
    const primary = await cluster.primary()
    droppedAt = Math.floor(Date.now() / SECOND)
    await primary.sql('DROP TABLE spec.acknowledged')
  })
  after(() => end(cluster))

  const last = async (task: string) => {
    const job = (await listJobs(cluster)).findLast((each) => each.task === task)
    return `${job?.phase} ${job?.result}\n${job ? await jobLog(cluster, job.id) : ''}`
  }

  it('finds the drop in the stored logs', async () => {
    await eventually(
      async () => {
        // The list begins with the oldest: how much was written before must not matter.
        const query = `schema=spec&table=acknowledged&limit=10000&from=${droppedAt}`
        const { transactions } = await cluster.manager.get<FoundTransactions>(`${C}/stored-transactions?${query}`)
        drop = transactions.find(({ statements }) => statements.some((text) => /^DROP TABLE/.test(text)))?.gtid ?? ''
        return drop !== ''
      },
      () => `the drop is stored\n${cluster.manager.log().slice(-2_000)}`,
    )
  })

  it('writes the table as it was just before to a file', async () => {
    const query = `tables=acknowledged&gtid=${drop}&before=true&wait=true`
    const reply = await cluster.manager.post(`${C}/actions/recover-tables/spec?${query}`)
    expect(reply.status, `${reply.body}\n${(await last('restore')).slice(-3_000)}`).to.equal(202)
    expect(await last('restore')).to.match(/^done backup \d+ restored in .*replayed to .*spec-.*\.sql\.gz/)
  })

  it('brings all servers back to just before it', async () => {
    const plan = await cluster.manager.get<ClusterRecoveryPlan>(`${C}/recovery?gtid=${drop}&before=true`)
    expect(plan.undone).to.include({ first: drop })
    expect(plan.risks.join()).to.match(/MySQL gives GTIDs of undone transactions again/)
    const query = new URLSearchParams({ gtid: drop, before: 'true', confirm: plan.id, wait: 'true' })
    const reply = await cluster.manager.post(`${C}/actions/pitr?${query}`)
    expect(reply.status, `${reply.body}\n${(await last('pitr')).slice(-3_000)}`).to.equal(202)
    await cluster.convergesOn(await cluster.primary())
    for (const node of cluster.nodes) expect(await writers.missingOn(node), node.name).to.deep.equal([])
  })
})
