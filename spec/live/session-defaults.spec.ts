// The story of servers whose defaults of new sessions would hurt the manager's own: each at its worst value, on every server.
import { expect } from 'chai'
import { grantStatements, privilegeRows } from '../../lib/dialect/index.js'
import { caughtUp, type Node, replicate } from '../support/databases/database.js'
import type { VersionName } from '../support/databases/versions.js'
import { findVersion } from '../support/databases/versions.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { durable, end } from '../support/stories/story.js'
import { replicasOf, SWITCHOVER, switchable, switchOver, wishFor } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const both = [
  ...["sql_mode='ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT'", 'autocommit=0', "time_zone='+09:00'"],
  ...['completion_type=2', 'sql_select_limit=1', 'lock_wait_timeout=1'],
  ...['innodb_lock_wait_timeout=1', 'wait_timeout=1', 'interactive_timeout=1', 'net_read_timeout=1'],
  ...['net_write_timeout=1', 'collation_connection=latin1_bin', 'unique_checks=0'],
  ...['foreign_key_checks=0', 'sql_auto_is_null=1', 'sql_quote_show_create=0', 'group_concat_max_len=4'],
  ...['max_sort_length=64', 'div_precision_increment=0', "default_storage_engine='CSV'", 'sql_safe_updates=1'],
]
const worst = {
  mariadb: [
    ...both,
    'character_set_results=ucs2',
    ...['tx_read_only=1', "tx_isolation='SERIALIZABLE'", 'max_statement_time=0.05', 'idle_transaction_timeout=1'],
    ...['idle_write_transaction_timeout=1', 'idle_readonly_transaction_timeout=1', "alter_algorithm='INSTANT'"],
    ...['max_recursive_iterations=1', 'tmp_disk_table_size=1024', 'wsrep_sync_wait=15', "old_mode=''"],
  ],
  // With transaction_read_only=1 no applier of MySQL starts, with character_set_results=ucs2 on its source no receiver (13117).
  mysql: [...both, "transaction_isolation='SERIALIZABLE'", 'max_execution_time=1'],
} as const

/** Sessions from now on begin so; the applier of a replica keeps its own. */
const spoil = async (node: Node) => node.sql(worst[node.engine.flavour].map((one) => `SET GLOBAL ${one}`).join('; '))

const cases: readonly (VersionName | 'mariadb')[] = ['mariadb', 'mysql-9', 'mysql-8.0']
for (const software of cases) {
  const version = software === 'mariadb' ? undefined : await findVersion(software)
  if (version?.available === false) absent(`session defaults on ${software}`, version.reason)
  else
    describe(`Servers of ${software} with every default of sessions at its worst`, () => {
      let cluster: ProtectedCluster
      before(async () => {
        cluster = await startProtectedCluster({
          ...(software === 'mariadb' ? {} : { software }),
          options: durable,
          settings: { 'failover-limit': 0, 'failover-time-limit': 0 },
        })
        await cluster.ready()
        for (const node of cluster.nodes) await spoil(node)
        // The manager begins with sessions that have these defaults.
        await cluster.manager.end('SIGKILL')
        cluster.manager.start()
        await cluster.manager.alive()
        await cluster.ready()
      })
      after(() => end(cluster))

      it('are read whole', async () => {
        await switchable(cluster)
        expect(await cluster.alerts()).to.not.include.members(['ERR00085'])
      })

      if (version)
        it('are said where replication would stop when it starts next, and refuse a switchover that starts it', async () => {
          const [candidate, other] = await replicasOf(cluster)
          const warned = async () => {
            const { warnings } = await cluster.manager.get<{ warnings: { number: string; desc: string }[] }>(
              '/api/clusters/story/topology/alerts',
            )
            return warnings.filter(({ number }) => number === 'WARN0262').map((one) => JSON.stringify(one))
          }
          for (const [node, value, normal] of [
            [other, 'transaction_read_only=1', 'transaction_read_only=0'],
            [candidate, 'character_set_results=ucs2', 'character_set_results=utf8mb4'],
          ] as const) {
            const [name = ''] = value.split('=')
            await set(node, value)
            await eventually(
              async () => {
                const [found, ...more] = await warned()
                return more.length === 0 && found?.includes(name) && found.includes(cluster.addressOf(node))
              },
              () => `the finding names ${name} alone`,
            )
            const answer = await cluster.manager.post(SWITCHOVER, wishFor(cluster, candidate))
            expect(answer.status, answer.body).to.equal(409)
            expect(answer.body).to.include(`${name}=`).and.include('SET PERSIST')
            await set(node, normal)
          }
        })

      it('change the primary on request, and all replicate after it', async () => {
        const old = await cluster.primary()
        const next = await switchOver(cluster)
        expect(next).to.not.equal(old)
        await follows(cluster, next)
      })

      it('fail over when the primary is killed, and it comes back', async () => {
        await cluster.ready()
        const old = await cluster.primary()
        await old.kill()
        await eventually(
          async () => ![undefined, old].includes(await cluster.primaryNow()),
          () => `another primary\n${cluster.manager.log().slice(-4_000)}`,
        )
        const next = await cluster.primary()
        old.start()
        await follows(cluster, next)
      })
    })
}

/** A global value; the session begins with the worst ones. */
const set = (node: Node, value: string) => node.sql(`SET SESSION transaction_read_only=0; SET GLOBAL ${value}`)

/** By the manager's word: a session of the spec would begin with the worst values. */
async function follows(cluster: ProtectedCluster, primary: Node): Promise<void> {
  await eventually(
    async () => {
      const states = await Promise.all(cluster.nodes.map((node) => cluster.stateOf(node)))
      return cluster.nodes.every((node, index) => states[index] === (node === primary ? 'Master' : 'Slave'))
    },
    () => `all follow ${primary.name}\n${cluster.manager.log().slice(-6_000)}`,
  )
}

/** With these no replica could follow: what its receiver asks first fails. */
const fatal = [
  ["init_connect='SELECT * FROM no.such'", "init_connect=''", 'error 1184'],
  ['max_join_size=1, GLOBAL sql_big_selects=0', 'max_join_size=DEFAULT, GLOBAL sql_big_selects=1', 'error 1104'],
] as const

describe('Defaults of sessions that keep replicas from following', () => {
  const account = "documented@'127.0.0.1'"
  let cluster: ProtectedCluster

  before(async () => {
    cluster = await startProtectedCluster({
      options: durable,
      settings: { 'db-servers-credential': 'documented:documented', 'failover-mode': 'manual' },
      arrange: async (nodes) => {
        const [primary, ...replicas] = nodes
        if (!primary) throw new Error('a cluster has nodes')
        await prepareWrites(primary)
        await replicate(primary, replicas, { heartbeatSeconds: 1 })
        await primary.sql(`CREATE USER ${account} IDENTIFIED BY 'documented'`)
        const granted = privilegeRows.flatMap(({ account: of, mariadb }) => (of === 'own' && mariadb ? [mariadb] : []))
        for (const statement of grantStatements(granted, account)) await primary.sql(statement)
        for (const replica of replicas) await caughtUp(primary, replica)
      },
    })
    await cluster.ready()
  })
  after(() => end(cluster))

  it('are said of a source, and the receiver that one ended is started again when it is gone', async () => {
    const primary = await cluster.primary()
    const [replica] = await replicasOf(cluster)
    await primary.sql('SET GLOBAL sql_select_limit=0')
    await cluster.opens('WARN0262')
    await replica.sql('STOP SLAVE IO_THREAD; START SLAVE IO_THREAD')
    await eventually(
      async () => (await cluster.stateOf(replica)) === 'SlaveErr',
      () => `its receiver ends\n${cluster.manager.log().slice(-3_000)}`,
    )
    await primary.sql('SET GLOBAL sql_select_limit=DEFAULT')
    await follows(cluster, primary)
    await cluster.closes('WARN0262')
  })

  for (const [worst, normal, error] of fatal)
    it(`refuse a switchover to that server before anything changes: ${worst}`, async () => {
      const primary = await cluster.primary()
      const [candidate] = await replicasOf(cluster)
      await switchable(cluster, candidate)
      await candidate.sql(`SET GLOBAL ${worst}`)
      const answer = await cluster.manager.post(SWITCHOVER, wishFor(cluster, candidate))
      expect(answer.status, answer.body).to.equal(409)
      expect(answer.body).to.include(error).and.include('No replica could follow it').and.include('init_connect')
      expect(await cluster.primaryNow()).to.equal(primary)
      await candidate.sql(`SET GLOBAL ${normal}`)
      await switchOver(cluster, candidate)
      await follows(cluster, candidate)
    })
})
