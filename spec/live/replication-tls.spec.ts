// The story of replicas that show a certificate to their source: the primary that becomes one shows it, too.
import { expect } from 'chai'
import { caughtUp, type Node, replicate } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type Authority, makeAuthority, type Pair } from '../support/machine/authority.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end } from '../support/stories/story.js'
import { switchOver } from '../support/stories/switching.js'

describe('a cluster of two whose replication account requires a certificate', () => {
  let authority: Authority
  let replication: Pair
  let cluster: ProtectedCluster

  async function demandCertificates(nodes: readonly Node[]): Promise<void> {
    const [primary, ...replicas] = nodes
    if (!primary) throw new Error('there is a first node')
    await prepareWrites(primary)
    await replicate(primary, replicas, { heartbeatSeconds: 1 })
    for (const node of nodes)
      await node.sql("SET SESSION sql_log_bin=0; ALTER USER repl@'127.0.0.1' REQUIRE X509; SET SESSION sql_log_bin=1")
    for (const replica of replicas) {
      await replica.sql(
        `STOP SLAVE; CHANGE MASTER TO MASTER_SSL=1, MASTER_SSL_CA='${authority.caFile}', ` +
          `MASTER_SSL_CERT='${replication.certFile}', MASTER_SSL_KEY='${replication.keyFile}'; START SLAVE`,
      )
      await caughtUp(primary, replica)
    }
  }

  const files = async (node: Node) => {
    const [{ Master_SSL_CA_File, Master_SSL_Cert, Master_SSL_Key, Slave_IO_Running } = {}] =
      await node.sql('SHOW SLAVE STATUS')
    return [Slave_IO_Running, Master_SSL_CA_File, Master_SSL_Cert, Master_SSL_Key]
  }
  const shown = () => ['Yes', authority.caFile, replication.certFile, replication.keyFile]

  before(async () => {
    authority = await makeAuthority()
    const server = await authority.issue('IP:127.0.0.1')
    const manager = await authority.issue('DNS:manager')
    replication = await authority.issue('DNS:replication')
    cluster = await startProtectedCluster({
      count: 2,
      options: [
        ...durable,
        ...[`--ssl-ca=${authority.caFile}`, `--ssl-cert=${server.certFile}`, `--ssl-key=${server.keyFile}`],
      ],
      arrange: demandCertificates,
      settings: {
        'db-servers-tls-ca-cert': authority.caFile,
        'db-servers-tls-client-cert': manager.certFile,
        'db-servers-tls-client-key': manager.keyFile,
        'failover-limit': 0,
      },
    })
    await cluster.ready()
  })
  after(() => end(cluster))

  for (const way of ['there', 'back'])
    it(`replicates after a switchover ${way}, with the same certificate`, async () => {
      const old = await cluster.primary()
      const next = await switchOver(cluster)
      expect(next).to.not.equal(old)
      await cluster.convergesOn(next)
      expect(await files(old)).to.deep.equal(shown())
    })

  it('replicates after the primary was killed and came back to a manager that was started again', async () => {
    const old = await cluster.primary()
    await old.kill()
    const next = await cluster.movedFrom(old)
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
    old.start()
    await old.waitUp()
    await cluster.convergesOn(next)
    expect(await files(old)).to.deep.equal(shown())
  })
})
