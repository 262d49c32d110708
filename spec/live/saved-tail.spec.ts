// What only an old primary has, where the manager may not copy binary logs: said in advance, said when it happens, and nothing is lost.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import { Client } from '../support/http/client.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { eventually } from '../support/wait.js'

interface CrashView {
  readonly Outcome?: string
  readonly TailFile?: string
}

describe('Transactions of an old primary that the manager may not copy', () => {
  let cluster: ProtectedCluster
  let old: Node
  let promoted: Node
  let tail = ''

  before(async () => {
    cluster = await startProtectedCluster({ count: 2 })
    await cluster.ready()
    old = await cluster.primary()
  })
  after(() => cluster?.destroy())

  const switchTo = async (setting: string, value: string) =>
    expect(
      (await cluster.manager.post(`/api/clusters/story/settings/actions/set/${setting}`, { value })).status,
    ).to.equal(200)

  it('are a finding in advance, which names the privilege', async () => {
    await old.sql("REVOKE REPLICATION SLAVE ON *.* FROM monitor@'127.0.0.1'")
    await cluster.opens('WARN0266')
  })

  it('are saved as a list, with a finding that the server has the only copy', async () => {
    await old.kill()
    promoted = await cluster.movedFrom(old)
    await switchTo('monitoring-pause', 'true')
    await cluster.opens('ERR00120')
    old.start()
    await old.waitUp()
    await old.sql('INSERT INTO spec.acknowledged VALUES (9, 1)')
    await switchTo('monitoring-pause', 'false')
    await cluster.opens('WARN0186')
    await cluster.opens('WARN0267')
    const [crash] = await cluster.manager.get<readonly CrashView[]>('/api/clusters/story/topology/crashes')
    tail = crash?.TailFile ?? ''
    expect(existsSync(path.join(tail, 'tail-events.jsonl'))).to.equal(true)
    expect(existsSync(path.join(tail, 'tail.sql'))).to.equal(false)
    const client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
    const { stdout } = await client.run('cluster', 'crashes')
    expect(stdout).to.include('diverged').and.include(tail).and.not.include('"domainId"')
  })

  it('are not removed by a reseed that could not save them', async () => {
    const client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
    const { status, stderr } = await client.run('reseed', cluster.addressOf(old), '--method', 'dump', '--yes')
    expect(status, stderr).to.not.equal(0)
    expect(stderr).to.include('the privilege of WARN0266')
    expect(await old.value('SELECT COUNT(*) FROM spec.acknowledged WHERE writer = 9')).to.equal('1')
    expect(await cluster.alerts()).to.include('WARN0267')
  })

  it('are saved whole as soon as the privilege is there, before the server is brought back', async () => {
    for (const node of [promoted, old])
      await node.sql("SET SESSION sql_log_bin = 0; GRANT REPLICATION SLAVE ON *.* TO monitor@'127.0.0.1'")
    await cluster.closes('WARN0266')
    const client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
    let last = ''
    await eventually(
      async () => {
        const { status, stdout, stderr } = await client.run(
          'reseed',
          cluster.addressOf(old),
          '--method',
          'dump',
          '--yes',
        )
        last = `${stdout}${stderr}`
        return status === 0
      },
      () => `it is brought back: ${last}\n${cluster.manager.log().slice(-3_000)}`,
    )
    await cluster.closes('WARN0267')
  })
})
