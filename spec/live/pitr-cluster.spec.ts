// A table is dropped: all servers come back to just before it by one command, also when the manager is killed meanwhile.
import { expect } from 'chai'
import { SECOND } from '../../lib/base/time.js'
import type { ClusterRecoveryPlan, FoundTransactions } from '../../lib/model/operation/cluster-recovery.js'
import type { Writers } from '../support/databases/writers.js'
import { PassingUser } from '../support/manager/passing-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { jobEnds, jobLog, listBackups, listJobs, makeBackup, setSetting } from '../support/stories/backups.js'
import { HeldQueue } from '../support/stories/held-queue.js'
import { durable, end, load, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('point-in-time recovery of all servers', () => {
  let cluster: ProtectedCluster
  let writers: Writers
  let drop = ''
  let droppedAt: number
  let plan: ClusterRecoveryPlan

  before(async () => {
    cluster = await startProtectedCluster({
      options: durable,
      settings: { 'backup-binlogs': true, 'failover-limit': 0 },
    })
    writers = load(cluster, { count: 4, pauseMs: 5 })
    await progress(writers, 50)
    await makeBackup(cluster, 'actions/backup-logical?wait=true')
    await progress(writers, 50)
    await writers.stop()
    const primary = await cluster.primary()
    droppedAt = Math.floor(Date.now() / SECOND)
    await primary.sql('DROP TABLE spec.acknowledged')
    await primary.sql('CREATE TABLE spec.later (id INT PRIMARY KEY)')
    await primary.sql('INSERT INTO spec.later VALUES (1), (2), (3)')
  })
  after(() => end(cluster))

  const search = (query: string) => cluster.manager.get<FoundTransactions>(`${C}/stored-transactions?${query}`)

  const backups = async () => (await listBackups(cluster)).toSorted((a, b) => a.id - b.id)

  const last = async () => {
    const job = (await listJobs(cluster)).findLast(({ task }) => task === 'pitr')
    return `${job?.task} ${job?.phase} ${job?.result}\n${job ? await jobLog(cluster, job.id) : ''}`
  }

  const expectWhole = async () => {
    const primary = await cluster.primary()
    await cluster.convergesOn(primary)
    for (const node of cluster.nodes) {
      expect(await writers.missingOn(node), node.name).to.deep.equal([])
      expect(await node.value(`SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'later'`)).to.equal(
        '0',
      )
    }
    await primary.sql(`INSERT INTO spec.acknowledged (writer, row_id) VALUES (99, 1)`).catch(() => undefined)
  }

  it('finds the drop in the stored logs by its table', async () => {
    await eventually(
      async () => {
        // The list begins with the oldest: how much was written before must not matter.
        const { transactions } = await search(`schema=spec&table=acknowledged&limit=10000&from=${droppedAt}`)
        drop =
          transactions.find(({ statements }) => statements.some((text) => text.startsWith('DROP TABLE')))?.gtid ?? ''
        return drop !== ''
      },
      () => `the drop is stored\n${cluster.manager.log().slice(-2_000)}`,
    )
    // What was written behind the drop is stored behind it.
    let later: FoundTransactions['transactions'] = []
    await eventually(
      async () => {
        later = (await search('schema=spec&table=later')).transactions
        return later.some(({ tables }) => tables.some(({ inserted }) => inserted > 0))
      },
      () => `the rows are stored: ${JSON.stringify(later)}`,
    )
    expect(later.at(-1)?.tables).to.deep.equal([
      { schema: 'spec', table: 'later', inserted: 3, updated: 0, deleted: 0 },
    ])
    expect((await search('gtid=0-9-9')).transactions).to.deep.equal([])
  })

  it('plans: what each server gets, and what would be undone', async () => {
    plan = await cluster.manager.get<ClusterRecoveryPlan>(`${C}/recovery?gtid=${drop}&before=true`)
    expect(plan.undone).to.include({ first: drop })
    expect(plan.undone.transactions).to.be.at.least(3)
    expect(plan.undone.tables.find(({ table }) => table === 'later')).to.include({ inserted: 3 })
    expect(plan.undone.statements[0]).to.match(/^DROP TABLE/)
    expect(plan.servers.map(({ by }) => by)).to.deep.equal(['restore', 'refill', 'refill'])
  })

  it('refuses without the id of the plan, and with another one', async () => {
    const path = `${C}/actions/pitr?gtid=${drop}&before=true`
    const without = await cluster.manager.post(path)
    expect(without.status, without.body).to.equal(409)
    expect(without.body).to.include(plan.id)
    const wrong = await cluster.manager.post(`${path}&confirm=pitr/other`)
    expect(wrong.status).to.equal(409)
    expect(await (await cluster.primary()).value('SELECT COUNT(*) FROM spec.later')).to.equal('3')
  })

  it('removes nothing when the user that asked for it is dropped while it waits, and a finding says so', async () => {
    const ann = await PassingUser.add(cluster.manager, 'ann')
    const queue = await HeldQueue.begin(cluster, cluster.nodes, 'spec.later')
    const query = new URLSearchParams({ gtid: drop, before: 'true', confirm: plan.id })
    await ann.asks(`actions/pitr?${query}`)
    const job = await queue.isBehind('pitr')
    await ann.drop()
    await queue.end()
    const ended = await jobEnds(cluster, job)
    expect(ended).to.include({ phase: 'cancelled', user: 'ann' })
    expect(ended.result).to.contain('the user ann that asked for it does not exist any more')
    await ann.isNamed()
    await cluster.closes('ERR00170')
    for (const node of cluster.nodes)
      expect(await node.value('SELECT COUNT(*) FROM spec.later'), node.name).to.equal('3')
  })

  it('is completed by the next manager when the first one is killed half-way, with storing switched off', async () => {
    await setSetting(cluster, 'backup-binlogs', 'false')
    const query = new URLSearchParams({ gtid: drop, before: 'true', confirm: plan.id })
    const reply = await cluster.manager.post(`${C}/actions/pitr?${query}`)
    expect(reply.status, reply.body).to.equal(202)
    await eventually(
      async () => (await last()).includes('filling '),
      () => `it fills the replicas\n${cluster.manager.log().slice(-3_000)}`,
    )
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
    await eventually(
      async () =>
        /^pitr (done|failed|cancelled)/.test(await last()) &&
        (await cluster.alerts()).every((code) => code !== 'ERR00170'),
      () => `it ends\n${cluster.manager.log().slice(-5_000)}`,
    )
    expect(await last()).to.match(/^pitr done/)
    await expectWhole()
  })

  it('numbers what is written from then on behind everything that was undone', async () => {
    const primary = await cluster.primary()
    await primary.sql('CREATE TABLE spec.after_it (id INT PRIMARY KEY)')
    const sequence = Number((await primary.value('SELECT @@gtid_binlog_pos')).split('-')[2])
    expect(sequence).to.be.greaterThan(1_000_000)
  })

  it('is followed by a backup whose position is known, and keeps the one from which it began', async () => {
    await eventually(async () => (await backups()).length === 2, 'a new backup was made')
    const [former, later] = await backups()
    expect(former).to.have.property('keptUntil')
    expect(later?.binLogUuid).to.match(/^0-1-\d+$/)
  })

  it('leaves a failover possible', async () => {
    await cluster.ready()
    for (const code of ['ERR00117', 'ERR00171', 'WARN0186']) await cluster.closes(code)
  })
})
