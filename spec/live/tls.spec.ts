// Stories of databases that want TLS: of the manager, with a certificate of its own, and of replicas.
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { caughtUp, replicate } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type Authority, makeAuthority, type Pair } from '../support/machine/authority.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { comesBack, durable, end, expectWhole } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

/** No login works without TLS: the manager shows a certificate, replicas encrypt. */
async function demandTls(nodes: readonly Node[]): Promise<void> {
  const [primary, ...replicas] = nodes
  if (!primary) throw new Error('there is a first node')
  await prepareWrites(primary)
  await replicate(primary, replicas, { heartbeatSeconds: 1 })
  for (const node of nodes)
    await node.sql(
      "SET SESSION sql_log_bin=0; ALTER USER monitor@'127.0.0.1' REQUIRE X509; ALTER USER repl@'127.0.0.1' REQUIRE SSL",
    )
  for (const replica of replicas) {
    await replica.sql('STOP SLAVE; CHANGE MASTER TO MASTER_SSL=1; START SLAVE')
    // Connected again, with all that the primary has: it may die as soon as the story begins.
    await caughtUp(primary, replica)
  }
}

describe('a cluster whose databases demand TLS', () => {
  let authority: Authority
  let manager: Pair
  let cluster: ProtectedCluster
  const files = newDirectory('tls-story')
  const caFile = path.join(files, 'shared', 'ca.pem')
  const change = async (name: string, value: string) => {
    const set = `/api/clusters/story/settings/actions/set/${name}/${encodeURIComponent(value)}`
    const { status, body } = await cluster.manager.post(set)
    expect(status, body).to.equal(200)
  }
  const masters = async () => (await cluster.servers()).map(({ state }) => state).sort()

  before(async () => {
    authority = await makeAuthority()
    await mkdir(path.dirname(caFile))
    await copyFile(authority.caFile, caFile)
    const server = await authority.issue('IP:127.0.0.1')
    manager = await authority.issue('DNS:manager')
    const { certFile, keyFile } = server
    cluster = await startProtectedCluster({
      options: [...durable, `--ssl-ca=${authority.caFile}`, `--ssl-cert=${certFile}`, `--ssl-key=${keyFile}`],
      arrange: demandTls,
      defaults: { 'monitoring-cluster-files': files },
      settings: {
        'db-servers-tls-ca-cert': caFile,
        'db-servers-tls-client-cert': manager.certFile,
        'db-servers-tls-client-key': manager.keyFile,
      },
    })
    await cluster.ready()
  })
  after(() => end(cluster))

  it('is protected, and replicas still encrypt after the primary died and came back', async () => {
    const old = await cluster.primary()
    await old.kill()
    const primary = await cluster.movedFrom(old)
    expect((await comesBack(cluster, old)).Outcome).to.equal('rejoined')
    await expectWhole(cluster, primary)
    for (const node of cluster.nodes.filter((one) => one !== primary))
      expect((await node.sql('SHOW SLAVE STATUS'))[0]).to.include({
        Master_SSL_Allowed: 'Yes',
        Slave_IO_Running: 'Yes',
      })
  })

  it('is watched on with what was read when a file is damaged, and a finding names the file', async () => {
    await writeFile(caFile, 'torn')
    await change('failover-limit', '9')
    await cluster.opens('ERR00119')
    expect(await masters()).to.deep.equal(['Master', 'Slave', 'Slave'])
    await copyFile(authority.caFile, caFile)
    await change('failover-limit', '8')
    await cluster.closes('ERR00119')
  })

  it('is not failed over when another authority is expected: that proves no death', async () => {
    const other = path.join(path.dirname(caFile), 'other.pem')
    await copyFile((await makeAuthority()).caFile, other)
    const primary = await cluster.primary()
    await change('db-servers-tls-ca-cert', other)
    await cluster.opens('ERR00004')
    const errors = async () =>
      (await cluster.manager.get<readonly { lastError: string }[]>('/api/clusters/story/topology/servers')).map(
        ({ lastError }) => lastError,
      )
    await eventually(
      async () => (await errors()).every((error) => /certificate/i.test(error)),
      'each server is refused for its certificate',
    )
    await change('db-servers-tls-ca-cert', caFile)
    await eventually(async () => (await masters()).join() === 'Master,Slave,Slave', 'all are seen again')
    expect(await cluster.primary()).to.equal(primary)
  })
})
