// The story of a replication account that cannot log in: refused before, reported as losses after, and repaired when it can.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Operation } from '../../lib/model/operation/operation.js'
import type { Plan } from '../../lib/model/operation/preview.js'
import type { Node } from '../support/databases/database.js'
import { Client } from '../support/http/client.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable } from '../support/stories/story.js'
import { replicasOf, SWITCHOVER, switchable, wishFor } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('A replication account that cannot log in', () => {
  let cluster: ProtectedCluster
  let client: Client
  let old: Node
  let living: readonly Node[]

  before(async () => {
    cluster = await startProtectedCluster({ options: durable, settings: { 'failover-mode': 'manual' } })
    client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
    old = await cluster.primary()
  })
  after(() => cluster?.destroy())

  const useLogin = async (value: string) => {
    const { status, body } = await cluster.manager.post(`${C}/settings/actions/set/replication-credential`, { value })
    expect(status, body).to.equal(200)
  }
  const lastOperation = async () =>
    (await cluster.manager.get<{ lastOperation: Operation & { result: string } }>(`${C}/failover/explain`))
      .lastOperation

  const planFor = async (candidate: Node) => {
    const { status, body } = await cluster.manager.post(`${SWITCHOVER}?plan=true`, wishFor(cluster, candidate))
    expect(status, body).to.equal(200)
    return JSON.parse(body) as Plan
  }

  it('makes the plan of a switchover refused as soon as the candidate has another password for it', async () => {
    const [candidate] = await replicasOf(cluster)
    await switchable(cluster, candidate)
    const before = await planFor(candidate)
    expect(before).to.include({ possible: true, judgement: 'possible' })
    await usePassword(candidate, 'another')
    const refused = await planFor(candidate)
    expect(refused).to.include({ possible: false, judgement: 'refused' })
    expect(refused.refusal).to.include("ALTER USER 'repl'@'%' IDENTIFIED BY").and.include('replication-credential')
    await usePassword(candidate, 'repl')
    expect(await planFor(candidate)).to.include({ possible: true, id: before.id })
    // What the plan has found is a finding, too, until the next judgement.
    await cluster.closes('ERR00160')
  })

  /** On this server alone. */
  const usePassword = (node: Node, password: string) =>
    node.sql(`SET sql_log_bin = 0; ALTER USER 'repl'@'127.0.0.1' IDENTIFIED BY '${password}'; SET sql_log_bin = 1`)

  it('is a finding as soon as the setting is wrong', async () => {
    expect(await cluster.alerts()).to.not.include('ERR00160')
    await useLogin('repl:wrong')
    await cluster.opens('ERR00160')
  })

  it('refuses a switchover with the statement that helps, and changes nothing', async () => {
    const { status, body } = await cluster.manager.post(SWITCHOVER)
    expect(status, body).to.equal(409)
    expect(body).to.include("ALTER USER 'repl'@'%' IDENTIFIED BY").and.include('replication-credential')
    expect(await old.value('SELECT @@read_only')).to.equal('0')
    expect((await client.run('switchover')).status).to.equal(3)
    const plan = JSON.parse((await cluster.manager.post(`${SWITCHOVER}?plan=true`)).body) as Plan
    expect(plan).to.include({ possible: false, judgement: 'refused' })
    expect(plan.refusal).to.include('ALTER USER')
  })

  it('names what a failover is short of, with a status of its own', async () => {
    living = cluster.nodes.filter((node) => node !== old)
    await old.kill()
    await eventually(async () => (await cluster.explain()).primaryDead, 'the primary is dead')
    const { status, stderr } = await client.run('failover', '--yes')
    expect(status, stderr).to.equal(10)
    expect(stderr).to.include('repoint').and.include('1045')
    const { phase, result, losses } = await lastOperation()
    expect([phase, result, losses?.length]).to.deep.equal(['succeeded', 'succeeded-with-losses', 1])
    expect(stderr)
      .to.match(/moved, but 127\.0\.0\.1:\d+ does not follow the new primary/)
      .and.not.include('losses')
    const line = /Failover succeeded after \d+ ms, but \S+ does not follow the new primary as intended, without repoint/
    await eventually(() => line.test(cluster.manager.log()), 'the log names what is missing')
    expect(cluster.manager.log()).to.not.include('with losses')
  })

  it('is not well anywhere while its replica follows nothing', async () => {
    const primary = await cluster.primary()
    const [replica] = living.filter((node) => node !== primary)
    if (!replica) throw new Error('a replica is left')
    await cluster.opens('ERR00088')
    await cluster.opens('ERR00161')
    await eventually(async () => (await cluster.stateOf(replica)) === 'SlaveErr', 'the replica is in error')
    const check = new ApiUser(cluster.manager)
    expect(await check.line(`${C}/servers/127.0.0.1/${replica.port}/is-slave`)).to.match(/^503 /)
    expect(JSON.parse((await check.ask(`${C}/status`)).text)).to.deep.equal({ alive: 'errors' })
    const about = await cluster.manager.get<Record<'isFailable' | 'isHealthy', boolean>>(C)
    expect([about.isFailable, about.isHealthy]).to.deep.equal([false, false])
    const { status, stdout } = await client.run('wait', '--for', 'healthy', '--timeout', '1s')
    expect(status, stdout).to.equal(7)
    for (const name of ['failable', 'healthy'])
      await eventually(
        async () => new RegExp(`manager_cluster_${name}\\{.*\\} 0`).test((await check.ask('/api/prometheus')).text),
        `manager_cluster_${name} is 0`,
      )
  })

  it('is repaired by the next manager as soon as the setting is right', async () => {
    const { configFile } = cluster.manager
    writeFileSync(configFile, readFileSync(configFile, 'utf8').replace('repl:repl', 'repl:wrong'))
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
    const primary = await cluster.primary()
    const [replica] = living.filter((node) => node !== primary)
    await cluster.opens('ERR00160')
    expect(replica && (await sourceOf(replica))).to.equal(`${primary.port} Connecting Yes`)
    await useLogin('repl:repl')
    await cluster.convergesOn(primary, living)
    await cluster.closes('ERR00160')
    await cluster.closes('ERR00088')
    await cluster.closes('ERR00161')
    await eventually(
      async () => replica !== undefined && (await cluster.stateOf(replica)) === 'Slave',
      'it is a replica',
    )
    // A probe may see it replicate before the repair does.
    await eventually(
      () => cluster.manager.log().includes('replicates again, with the login of replication-credential'),
      () => `the repair is reported\n${cluster.manager.log().slice(-3_000)}`,
    )
  })
})
