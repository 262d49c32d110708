// The story of replicas that show a certificate to their source: the primary that becomes one shows it, too.
import { expect } from 'chai'
import { caughtUp, type Node, replicate } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type Authority, makeAuthority, type Pair } from '../support/machine/authority.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end } from '../support/stories/story.js'
import { replicasOf, SWITCHOVER, switchable, switchOver, wishFor } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

/** They replicate with a certificate, which the account of replication requires. */
const demanding = (authority: Authority, replication: Pair) => async (nodes: readonly Node[]) => {
  const [primary, ...replicas] = nodes
  if (!primary) throw new Error('there is a first node')
  await prepareWrites(primary)
  await replicate(primary, replicas, { heartbeatSeconds: 1 })
  for (const node of nodes) await require(node, 'X509')
  for (const replica of replicas) {
    await replica.sql(
      `STOP SLAVE; CHANGE MASTER TO MASTER_SSL=1, MASTER_SSL_CA='${authority.caFile}', ` +
        `MASTER_SSL_CERT='${replication.certFile}', MASTER_SSL_KEY='${replication.keyFile}'; START SLAVE`,
    )
    await caughtUp(primary, replica)
  }
}

/** On this server alone. */
const require = (node: Node, what: string) =>
  node.sql(`SET SESSION sql_log_bin=0; ALTER USER repl@'127.0.0.1' REQUIRE ${what}; SET SESSION sql_log_bin=1`)

const encrypted = async (authority: Authority) => {
  const server = await authority.issue('IP:127.0.0.1')
  return [`--ssl-ca=${authority.caFile}`, `--ssl-cert=${server.certFile}`, `--ssl-key=${server.keyFile}`]
}

describe('a cluster of two whose replication account requires a certificate', () => {
  let authority: Authority
  let replication: Pair
  let cluster: ProtectedCluster

  const files = async (node: Node) => {
    const [{ Master_SSL_CA_File, Master_SSL_Cert, Master_SSL_Key, Slave_IO_Running } = {}] =
      await node.sql('SHOW SLAVE STATUS')
    return [Slave_IO_Running, Master_SSL_CA_File, Master_SSL_Cert, Master_SSL_Key]
  }
  const shown = () => ['Yes', authority.caFile, replication.certFile, replication.keyFile]

  before(async () => {
    authority = await makeAuthority()
    const manager = await authority.issue('DNS:manager')
    replication = await authority.issue('DNS:replication')
    cluster = await startProtectedCluster({
      count: 2,
      options: [...durable, ...(await encrypted(authority))],
      arrange: demanding(authority, replication),
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

describe('A replication account that requires a certificate, and a manager that has none', () => {
  let authority: Authority
  let replication: Pair
  let foreign: Pair
  let cluster: ProtectedCluster

  before(async () => {
    authority = await makeAuthority()
    replication = await authority.issue('DNS:replication')
    foreign = await (await makeAuthority()).issue('DNS:replication')
    cluster = await startProtectedCluster({
      options: [...durable, ...(await encrypted(authority))],
      arrange: demanding(authority, replication),
      settings: { 'failover-mode': 'manual' },
    })
    await cluster.ready()
  })
  after(() => end(cluster))

  const set = async (name: string, value: string) => {
    const path = `/api/clusters/story/settings/actions/set/${name}`
    const { status, body } = await cluster.manager.post(path, { value })
    expect(status, body).to.equal(200)
  }
  const certOf = async (node: Node) => {
    const [{ Master_SSL_Cert, Slave_IO_Running } = {}] = await node.sql('SHOW SLAVE STATUS')
    return [Slave_IO_Running, Master_SSL_Cert]
  }
  const detailOf = async (code: string) => {
    const alerts = JSON.stringify(await cluster.manager.get('/api/clusters/story/alerts'))
    return alerts.includes(code) ? alerts : ''
  }

  it('is judged by the replicas that run with one, as long as the accounts are equal', async () => {
    const next = await switchOver(cluster)
    await cluster.convergesOn(next)
    expect(await cluster.alerts()).to.not.include.members(['ERR00160'])
  })

  it('refuses a switchover where they are not, with what the account requires, before anything changes', async () => {
    const [candidate] = await replicasOf(cluster)
    const primary = await cluster.primary()
    await switchable(cluster, candidate)
    await require(candidate, "SUBJECT '/CN=another'")
    const { status, body } = await cluster.manager.post(SWITCHOVER, wishFor(cluster, candidate))
    expect(status, body).to.equal(409)
    expect(body).to.include('the account requires a certain certificate').and.include('replication-ssl-cert')
    expect(await primary.value('SELECT @@read_only')).to.equal('0')
    await cluster.opens('WARN0261')
    expect(await cluster.alerts()).to.not.include('ERR00160')
    await require(candidate, 'X509')
    await cluster.closes('WARN0261')
  })

  for (const [what, certificate] of [
    ['cannot be read', () => '/no/such.pem'],
    ['is of another CA', () => foreign.certFile],
  ] as const)
    it(`names file and server where the certificate of the settings ${what}: a replica that ran goes on with its own, and follows with one that is right`, async () => {
      const file = certificate()
      const [candidate, other] = await replicasOf(cluster)
      const old = await cluster.primary()
      await set('replication-ssl-key', file === foreign.certFile ? foreign.keyFile : '')
      await set('replication-ssl-cert', file)
      const { status, body } = await cluster.manager.post(SWITCHOVER, wishFor(cluster, candidate))
      expect(status, body).to.equal(409)
      await set('switchover-unjudged-login', 'true')
      await cluster.manager.post(SWITCHOVER, wishFor(cluster, candidate))
      expect(await cluster.primary()).to.equal(candidate)
      await eventually(
        async () => {
          expect(await sourceOf(other)).to.equal(`${candidate.port} Yes Yes`)
          expect(await certOf(other)).to.deep.equal(['Yes', replication.certFile])
          expect(await certOf(old)).to.deep.equal(['Connecting', file])
          const detail = await detailOf('ERR00196')
          expect(detail).to.include(cluster.addressOf(old)).and.include(cluster.addressOf(other))
          expect(detail).to.include(`${file} (replication-ssl-cert)`)
          return true
        },
        () => `one follows, and both are named\n${cluster.manager.log().slice(-4_000)}`,
      )
      await set('replication-ssl-key', replication.keyFile)
      await set('replication-ssl-cert', replication.certFile)
      await set('switchover-unjudged-login', 'false')
      await cluster.convergesOn(candidate)
      await cluster.closes('ERR00196')
    })
})
