// A benchmark: refused where it is not permitted, measured on the primary, and nothing of it is left, however it ends.
import { expect } from 'chai'
import { caughtUp, type Node } from '../support/databases/database.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { jobEnds, jobLog, listJobs, setSetting } from '../support/stories/backups.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const ACTION = '/api/clusters/story/actions/sysbench'
const KEPT =
  "SELECT GROUP_CONCAT(TABLE_NAME ORDER BY 1) FROM information_schema.TABLES WHERE TABLE_SCHEMA='manager_bench'"
const schemas = "SELECT COUNT(*) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'manager_bench'"
const accounts = "SELECT COUNT(*) FROM mysql.user WHERE User = 'manager_bench'"

describe('a benchmark of a cluster', () => {
  let cluster: ProtectedCluster
  let primary: Node
  let replica: Node
  before(async () => {
    cluster = await startProtectedCluster({ count: 2, settings: { 'sysbench-time': 2, 'sysbench-threads': 2 } })
    primary = await cluster.primary()
    replica = cluster.nodes.find((node) => node !== primary) ?? primary
  })
  after(() => end(cluster))

  const begin = async (): Promise<number> => {
    const { status, body } = await cluster.manager.post(ACTION)
    expect(status, body).to.equal(200)
    return (JSON.parse(body) as { job: number }).job
  }
  const isGone = async () => {
    for (const node of cluster.nodes)
      await eventually(
        async () => (await node.value(schemas)) === '0' && (await node.value(accounts)) === '0',
        () => `nothing is left on ${node.name}\n${cluster.manager.log().slice(-3_000)}`,
      )
  }
  /** Begins one that would last for minutes, and waits until it measures. */
  const measuring = async (): Promise<number> => {
    await setSetting(cluster, 'sysbench-time', '600')
    const job = await begin()
    await eventually(async () => /thds: 2 tps/.test(await jobLog(cluster, job)), 'it measures')
    return job
  }

  it('is refused where the settings do not permit it, in its plan too', async () => {
    const { status, body } = await cluster.manager.post(ACTION)
    expect(status, body).to.equal(409)
    expect(body).to.match(/permits no benchmark: set test to true/)
    const plan = await cluster.manager.get<{ possible: boolean }>(`${ACTION}?plan=true`)
    expect(plan).to.include({ possible: false })
    expect(await primary.value(schemas)).to.equal('0')
  })

  it('measures the primary, and leaves equal servers without its schema and account', async () => {
    await setSetting(cluster, 'test', 'true')
    const { status, body } = await cluster.manager.post(`${ACTION}?threads=3&wait=true`)
    expect(status, body).to.equal(200)
    const { job, result } = JSON.parse(body) as { job: number; result: string }
    expect(result).to.match(/^[\d.]+ transactions\/s, [\d.]+ statements\/s, 95 % within [\d.]+ ms, \d+ errors/)
    expect(result).to.match(/oltp_read_write, 3 threads, 2 s, 1 tables of 10000 rows$/)
    expect((await listJobs(cluster)).find(({ id }) => id === job)).to.include({ task: 'benchmark', result })
    expect(await jobLog(cluster, job)).not.to.match(/password/i)
    await caughtUp(primary, replica)
    await isGone()
  })

  it('touches no schema of the same name in which someone keeps something', async () => {
    await primary.sql('CREATE DATABASE manager_bench; CREATE TABLE manager_bench.orders (id INT PRIMARY KEY)')
    const refused = await jobEnds(cluster, await begin())
    expect(refused).to.include({ phase: 'failed' })
    expect(refused.result).to.match(/holds orders, which no benchmark created/)
    expect(await primary.value(KEPT)).to.equal('orders')
    expect(await primary.value(accounts)).to.equal('0')
    await primary.sql('DROP DATABASE manager_bench')
  })

  it('ends when it is cancelled, and removes what it made', async () => {
    const job = await measuring()
    const reply = await cluster.manager.post(`/api/clusters/story/jobs/${job}/actions/cancel`)
    expect(reply.status, reply.body).to.equal(200)
    expect(await jobEnds(cluster, job)).to.include({ phase: 'cancelled' })
    await isGone()
  })

  it('ends with a manager that is killed; the next one removes what it made', async () => {
    await measuring()
    await cluster.manager.end('SIGKILL')
    expect(await primary.value(accounts)).to.equal('1')
    cluster.manager.start()
    await cluster.manager.alive()
    await isGone()
    const clients = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'manager_bench'"
    await eventually(async () => (await primary.value(clients)) === '0', 'no client of it is left')
  })
})
