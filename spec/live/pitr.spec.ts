// A table is dropped at a known moment: a replica is brought back to just before it, and so is a new server, by API and client.
import { existsSync, renameSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { SECOND, sleep } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { FoundTransactions } from '../../lib/model/operation/cluster-recovery.js'
import { DATA_MARK } from '../../lib/orchestrator/index.js'
import { accounts, type Node } from '../support/databases/node.js'
import type { Writers } from '../support/databases/writers.js'
import { Client } from '../support/http/client.js'
import { freePorts } from '../support/machine/ports.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { RotationDesk } from '../support/manager/rotation.js'
import { jobEnds, jobLog, listJobs, makeBackup } from '../support/stories/backups.js'
import { HeldQueue } from '../support/stories/held-queue.js'
import { durable, end, load, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('point-in-time recovery', () => {
  let cluster: ProtectedCluster
  let writers: Writers
  let acknowledged: readonly string[]
  let droppedAt: number
  let replica: Node
  let client: Client
  let ports: readonly number[]
  let desk: RotationDesk
  let password: string = accounts.monitor.password

  before(async () => {
    cluster = await startProtectedCluster({
      options: durable,
      settings: { 'backup-binlogs': true, 'failover-limit': 0, 'prov-orchestrator': 'local', 'prov-db-memory': 128 },
    })
    client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
    ports = await freePorts(3)
    desk = await RotationDesk.open(cluster.manager)
  })
  after(async () => {
    for (const { server } of await recovered().catch(() => []))
      await cluster.manager.post(`${C}/servers/${server}/actions/remove-recovered`).catch(() => undefined)
    // The one that follows the primary is a server that the manager made: nobody else ends it.
    await ask(0, 'SHUTDOWN').catch(() => undefined)
    await end(cluster)
  })

  const at = (index: number) => `127.0.0.1:${ports[index]}`

  const recovered = () => cluster.manager.get<readonly Recovered[]>(`${C}/recovered-servers`)

  const loginAt = (index: number) => ({
    ...{ host: '127.0.0.1', port: ports[index] ?? 0, connectTimeoutMs: 20 * SECOND },
    ...{ user: accounts.monitor.user, password },
  })

  const opensAt = async (index: number, word: string) => {
    const session = await openSession({ ...loginAt(index), password: word })
    if (session.ok) session.value.close()
    return session.ok
  }

  const ask = async (index: number, sql: string) => {
    const session = unwrap(await openSession(loginAt(index)))
    const [rows = []] = unwrap(await session.run(sql, [], 60 * SECOND))
    session.close()
    return rows
  }

  const isAt = async (index: number, stage: string) => {
    const found = (await recovered()).find(({ port }) => port === ports[index])
    return found?.stage === stage
  }

  /** One that holds the backup alone. */
  const wish = async (index: number) => {
    const query = new URLSearchParams({ address: at(index), useBinlog: 'false' })
    const { id } = await cluster.manager.get<{ id: string }>(`${C}/recovery/new-server?${query}`)
    query.set('confirm', id)
    return query
  }

  const begin = async (index: number) => {
    const query = await wish(index)
    const reply = await cluster.manager.post(`${C}/actions/pitr-new-server?${query}`)
    expect(reply.status, reply.body).to.equal(202)
    return (JSON.parse(reply.body) as { job: number }).job
  }

  const folderOf = (index: number) => path.join(cluster.manager.dataDirectory, 'story', `127.0.0.1_${ports[index]}`)

  const idOf = async (node: Node): Promise<string> =>
    (await cluster.servers()).find(({ port }) => port === String(node.port))?.id ?? ''

  const last = async () => {
    const job = (await listJobs(cluster)).at(-1)
    return `${job?.task} ${job?.phase} ${job?.result}\n${job ? await jobLog(cluster, job.id) : ''}`
  }

  it('proves a backup against a server of the cluster', async () => {
    writers = load(cluster, { count: 4, pauseMs: 5 })
    await progress(writers, 100)
    await makeBackup(cluster, 'actions/backup-physical?wait=true')
    await progress(writers, 100)
    const reply = await cluster.manager.post(`${C}/actions/prove-backup?wait=true`)
    expect(reply.status, `${reply.body}\n${(await last()).slice(-2_000)}`).to.equal(202)
    expect(await last()).to.match(/passed comparison: \d+ tables with \d+ rows equal the source at 0-1-/)
    const [{ backup } = {}] = await cluster.manager.get<readonly { backup: { proof?: unknown } }[]>(`${C}/backups`)
    expect(JSON.stringify(backup)).to.match(/proven/)
  })

  it('refuses the primary, and a point before every backup', async () => {
    const primary = await cluster.primary()
    const path = `${C}/servers/${await idOf(primary)}/actions/pitr`
    const refused = await cluster.manager.post(path, { useBinlog: true, backup: 0, restoreTime: 0 })
    expect(refused.status).to.equal(500)
    expect(refused.body).to.match(/is the primary: switch over first/)
    const wrong = await cluster.manager.post(path, { restoreTime: 'yesterday' })
    expect(wrong.status).to.equal(500)
    expect(wrong.body).to.match(/restoreTime/)
  })

  it('refuses a point that what is stored does not come to, and says so in the plan', async () => {
    const toCome = `${C}/actions/recover-tables/spec?time=4000000000`
    const refused = await cluster.manager.post(toCome)
    expect(refused.body).to.match(/is not reached yet/)
    expect(refused.status).to.be.at.least(400)
    const plan = await cluster.manager.get<{ possible: boolean; refusal: string }>(`${toCome}&plan=true`)
    expect(plan).to.deep.include({ possible: false })
    expect(plan.refusal).to.match(/is not reached yet/)
    const jobs = await listJobs(cluster)
    expect(jobs.filter(({ task }) => task === 'restore')).to.deep.equal([])
  })

  it('brings a replica back to just before a table was dropped, with everything acknowledged until then', async () => {
    const primary = await cluster.primary()
    replica = cluster.nodes.find((node) => node !== primary) as Node
    await progress(writers, 100)
    await writers.stop()
    acknowledged = writers.acknowledged.map(({ writer, row }) => `${writer}/${row}`)
    await sleep(1_100)
    droppedAt = Math.floor(Date.now() / 1_000)
    await sleep(1_100)
    await primary.sql('DROP TABLE spec.acknowledged')
    await eventually(
      async () => (await replica.value(`SHOW TABLES IN spec LIKE 'acknowledged'`)) === '',
      'the drop is replicated',
    )
    // Where the stored logs end before the point, a recovery ends there, too.
    await eventually(async () => {
      const query = `schema=spec&table=acknowledged&from=${droppedAt + 1}`
      const { transactions } = await cluster.manager.get<FoundTransactions>(`${C}/stored-transactions?${query}`)
      return transactions.some(({ statements }) => statements.some((text) => text.startsWith('DROP TABLE')))
    }, 'everything until the drop is stored')
    const body = { useBinlog: true, backup: 0, restoreTime: droppedAt }
    const reply = await cluster.manager.post(`${C}/servers/${await idOf(replica)}/actions/pitr?wait=true`, body)
    expect(reply.status, `${reply.body}\n${(await last()).slice(-2_000)}`).to.equal(200)
    expect(JSON.parse(reply.body)).to.include({ success: true })
    expect(await writers.missingOn(replica)).to.deep.equal([])
    expect(Number(await replica.value('SELECT COUNT(*) FROM spec.acknowledged'))).to.be.at.least(acknowledged.length)
  })

  it('leaves the server detached and in maintenance', async () => {
    expect(await replica.sql('SHOW SLAVE STATUS')).to.deep.equal([])
    await sleep(3_000)
    expect(await replica.sql('SHOW SLAVE STATUS')).to.deep.equal([])
    expect(await replica.value('SELECT COUNT(*) FROM spec.acknowledged')).to.not.equal('0')
  })

  it('writes the tables as they were to a file, without a change in the cluster', async () => {
    const reply = await cluster.manager.post(
      `${C}/actions/recover-tables/spec?tables=acknowledged&time=${droppedAt}&wait=true`,
    )
    expect(reply.status, `${reply.body}\n${(await last()).slice(-2_000)}`).to.equal(202)
    expect(await last()).to.match(/restore done backup \d+ restored in .*spec-.*\.sql\.gz/)
  })

  it('refuses a new server where there is a server, and points that nothing stored leads to', async () => {
    const [member] = await cluster.servers()
    const plan = (query: string) =>
      cluster.manager.get(`${C}/recovery/new-server?${query}`).then(JSON.stringify, ({ message }: Error) => message)
    expect(await plan(`address=${member?.host}:${member?.port}`)).to.match(/is a server of a cluster already/)
    expect(await plan(`address=${at(0)}&time=1000000000`)).to.match(/no valid backup from before 2001-/)
    expect(await plan(`address=${at(0)}&time=4000000000`)).to.match(/is not reached yet/)
    const without = await cluster.manager.post(`${C}/actions/pitr-new-server?address=${at(0)}&time=${droppedAt}`)
    expect(without.status, without.body).to.equal(409)
    expect(without.body).to.include(`confirm=new-server/story/${at(0)}/`)
  })

  it('creates a new server that holds the table, by the client, and changes nothing of the cluster', async () => {
    const primary = await cluster.primary()
    const before = await primary.value('SELECT @@gtid_binlog_pos')
    const { status, stdout, stderr } = await client.run(
      'pitr',
      '--new-server',
      at(0),
      '--time',
      `${droppedAt}`,
      '--yes',
    )
    expect(status, `${stderr}\n${(await last()).slice(-3_000)}`).to.equal(0)
    expect(stdout).to.match(/replayed to .*; GTID 0-1-\d+; it is apart and closed for writes/)
    const rows = await ask(0, 'SELECT writer, entry FROM spec.acknowledged')
    const held = new Set(rows.map(({ writer, entry }) => `${writer}/${entry}`))
    expect(acknowledged.filter((each) => !held.has(each))).to.deep.equal([])
    expect(await primary.value('SELECT @@gtid_binlog_pos')).to.equal(before)
    expect(await primary.value(`SHOW TABLES IN spec LIKE 'acknowledged'`)).to.equal('')
  })

  it('keeps it apart: no source, closed, not eligible, and its maintenance cannot be ended', async () => {
    const [one] = await recovered()
    expect(one).to.include({ stage: 'ready', port: ports[0] })
    expect(await ask(0, 'SHOW ALL SLAVES STATUS')).to.deep.equal([])
    expect((await ask(0, 'SELECT @@read_only AS r, @@gtid_slave_pos AS g'))[0]).to.deep.equal({
      r: 1,
      g: one?.position,
    })
    const { ranking } = await cluster.explain()
    expect(ranking.find(({ server }) => server === one?.server)?.eligible).to.not.equal(true)
    const ended = await cluster.manager.post(`${C}/servers/${one?.server}/actions/del-maintenance`)
    expect(ended.status, ended.body).to.equal(409)
    expect(ended.body).to.match(/is kept apart/)
  })

  it('completes a new server when the manager is killed while it is filled', async () => {
    await begin(1)
    await eventually(
      async () => (await last()).includes('extracting backup'),
      () => `it restores\n${cluster.manager.log().slice(-3_000)}`,
    )
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
    await eventually(
      () => isAt(1, 'ready'),
      () => `it is ready\n${cluster.manager.log().slice(-5_000)}`,
    )
    expect(await ask(1, `SHOW TABLES IN spec LIKE 'acknowledged'`)).to.have.length(1)
    expect(await isAt(0, 'ready')).to.equal(true)
  })

  it('removes what a cancelled one created', async () => {
    let cancelled = { status: 0, body: '' }
    // One that was complete before it was cancelled is removed, and asked for again.
    await eventually(
      async () => {
        const job = await begin(2)
        await eventually(() => existsSync(folderOf(2)), 'its folder is made')
        cancelled = await cluster.manager.post(`${C}/jobs/${job}/actions/cancel`)
        if (cancelled.status === 200) return true
        await client.run('recovered', 'remove', at(2), '--yes')
        return false
      },
      () => `it is cancelled: ${cancelled.body}`,
    )
    await eventually(
      async () => (await recovered()).every(({ port }) => port !== ports[2]),
      () => `it is gone\n${cluster.manager.log().slice(-5_000)}`,
    )
    expect(existsSync(folderOf(2))).to.equal(false)
    expect((await cluster.servers()).map(({ port }) => port)).to.not.include(`${ports[2]}`)
  })

  it('creates none when the API token that asked for it is revoked while it waits, and a finding says so', async () => {
    const admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    const { id, token } = await admin.json<{ readonly id: string; readonly token: string }>('/api/tokens', {
      body: { label: 'story', grants: '', clusters: [], expireDays: 1 },
    })
    await (await cluster.primary()).sql('CREATE TABLE spec.held (id INT PRIMARY KEY)')
    const members = cluster.nodes.filter((node) => node !== replica)
    for (const node of members)
      await eventually(
        async () => (await node.value(`SHOW TABLES IN spec LIKE 'held'`)) !== '',
        `${node.name} has the table`,
      )
    const queue = await HeldQueue.begin(cluster, members, 'spec.held')
    const asked = new ApiUser(cluster.manager, token)
    const answer = await asked.ask(`${C}/actions/pitr-new-server?${await wish(2)}`, { method: 'POST' })
    expect(answer.status, answer.text).to.equal(202)
    const job = await queue.isBehind('new-server')
    expect((await admin.ask(`/api/tokens/${id}`, { method: 'DELETE' })).status).to.equal(200)
    await queue.end()
    const ended = await jobEnds(cluster, job)
    expect(ended).to.include({ phase: 'cancelled', user: 'admin' })
    expect(ended.result).to.contain(`the API token ${id} of admin that asked for it is not valid any more`)
    await cluster.opens('WARN0392')
    await eventually(
      async () => (await recovered()).every(({ port }) => port !== ports[2]),
      () => `it is gone\n${cluster.manager.log().slice(-5_000)}`,
    )
    expect(existsSync(folderOf(2))).to.equal(false)
  })

  it('reports one that cannot be removed, with the reason, until it is gone', async () => {
    const found = async () => {
      const open = await cluster.manager.get(`${C}/topology/alerts`)
      return JSON.stringify(open)
    }
    const mark = path.join(folderOf(1), 'data', DATA_MARK)
    renameSync(mark, `${mark}.aside`)
    const refused = await client.run('recovered', 'remove', at(1), '--yes')
    expect(refused.status, refused.stdout).to.not.equal(0)
    await eventually(
      async () => /WARN0405.*holds data that the manager did not create/.test(await found()),
      () => `it is a finding\n${cluster.manager.log().slice(-3_000)}`,
    )
    expect(await found()).to.include(`${at(1)}: `)
    const rotated = await cluster.manager.post(`${C}/actions/rotate-passwords`)
    expect(rotated.status, rotated.body).to.equal(409)
    expect(rotated.body).to.include(`manager-cli recovered remove ${at(1)}`)
    renameSync(`${mark}.aside`, mark)
    const { status, stderr } = await client.run('recovered', 'remove', at(1), '--yes')
    expect(status, stderr).to.equal(0)
    await eventually(async () => !(await found()).includes('WARN0405'), 'the finding is closed')
    expect((await recovered()).map(({ port }) => port)).to.deep.equal([ports[0]])
    expect(existsSync(folderOf(1))).to.equal(false)
  })

  it('rotates the passwords on one that holds its data, as on the members', async () => {
    const { phase } = await desk.begin(true)
    expect(phase, desk.log()).to.equal('succeeded')
    const old = accounts.monitor.password
    const { monitor } = desk.saved()
    expect(monitor).to.not.equal(old)
    const opened = await Promise.all([monitor, old].map((word) => opensAt(0, word)))
    expect(opened).to.deep.equal([true, false])
    password = monitor
  })

  it('lets one follow the primary on request, which drops the table there, too', async () => {
    const { status, stderr } = await client.run('recovered', 'attach', at(0))
    expect(status, stderr).to.equal(0)
    await eventually(
      async () => (await ask(0, `SHOW TABLES IN spec LIKE 'acknowledged'`)).length === 0,
      () => `it follows the primary\n${cluster.manager.log().slice(-3_000)}`,
    )
    expect(await recovered()).to.deep.equal([])
  })
})

interface Recovered {
  readonly server: string
  readonly port: number
  readonly stage: string
  readonly position: string
}
