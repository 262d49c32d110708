// Real servers that are configured carelessly, and what the settings force-… and failover-event-status make of them.
import { expect } from 'chai'
import type { Node } from '../support/databases/node.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { endedIn } from '../support/stories/intact.js'
import { end, expectWhole, load, progress } from '../support/stories/story.js'
import { switchOver } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const careless = [
  'sync-binlog=0',
  'innodb-flush-log-at-trx-commit=2',
  'binlog-format=MIXED',
  'binlog-annotate-row-events=OFF',
  'binlog-checksum=NONE',
  'log-slow-slave-statements=OFF',
  'gtid-strict-mode=OFF',
  'slave-parallel-mode=optimistic',
].map((option) => `--${option}`)

const everywhere = {
  sync_binlog: '1',
  innodb_flush_log_at_trx_commit: '1',
  binlog_format: 'ROW',
  binlog_annotate_row_events: '1',
  log_bin_compress: '1',
  log_slow_slave_statements: '1',
  binlog_checksum: 'CRC32',
  gtid_strict_mode: '1',
}
const onReplicas = {
  slave_exec_mode: 'IDEMPOTENT',
  slave_parallel_mode: 'conservative',
  rpl_semi_sync_slave_enabled: '1',
}

const force = Object.fromEntries(
  [
    ...['sync-binlog', 'sync-innodb', 'binlog-row', 'binlog-annotate', 'binlog-compress', 'binlog-slowqueries'],
    ...['binlog-checksum', 'slave-gtid-mode-strict', 'slave-idempotent', 'slave-semisync', 'slave-heartbeat'],
  ].map((name) => [`force-${name}`, true]),
)

describe('a cluster whose settings are enforced', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({
      options: careless,
      heartbeatSeconds: 30,
      settings: {
        ...force,
        'force-slave-heartbeat-time': 2,
        'force-slave-parallel-mode': 'conservative',
        'failover-event-status': true,
        'failover-event-scheduler': true,
      },
    })
  })
  after(() => end(cluster))

  const hasAll = async (node: Node, wanted: Readonly<Record<string, string>>): Promise<boolean> => {
    const names = Object.keys(wanted)
    const [row = {}] = await node.sql(`SELECT ${names.map((name) => `@@GLOBAL.${name} AS ${name}`).join(', ')}`)
    return names.every((name) => String(row[name]).toUpperCase() === wanted[name]?.toUpperCase())
  }
  const becomes = (node: Node, wanted: Readonly<Record<string, string>>) =>
    eventually(
      () => hasAll(node, wanted),
      () => `${node.name} has ${JSON.stringify(wanted)}\n${cluster.manager.log().slice(-3_000)}`,
    )

  it('gets the variables that they name while it runs, and loses nothing meanwhile', async () => {
    const primary = await cluster.primary()
    const writers = load(cluster, { count: 4 })
    for (const node of cluster.nodes) await becomes(node, everywhere)
    for (const node of cluster.nodes) if (node !== primary) await becomes(node, onReplicas)
    await becomes(primary, { rpl_semi_sync_master_enabled: '1' })
    await progress(writers, 20)
    await writers.stop()
    await expectWhole(cluster, primary)
    await eventually(async () => (await endedIn(cluster)).includes('repair succeeded'), 'a repair has succeeded')
    // One that a busy machine did not finish in time is made again.
    expect((await endedIn(cluster)).filter((one) => !one.startsWith('repair '))).to.deep.equal([])
  })

  it('gets the heartbeat that they name', async () => {
    const primary = await cluster.primary()
    const period = async (node: Node) => (await node.sql('SHOW ALL SLAVES STATUS'))[0]?.Slave_heartbeat_period
    for (const node of cluster.nodes)
      if (node !== primary) {
        await eventually(async () => Number(await period(node)) === 2, `${node.name} is sent a heartbeat every 2 s`)
        // Replication is stopped for the change, and connects again after it.
        await eventually(
          async () => (await sourceOf(node)) === `${primary.port} Yes Yes`,
          `${node.name} follows ${primary.name}`,
        )
      }
  })

  it('takes its events along when the role moves, each under the account it ran as', async () => {
    const old = await cluster.primary()
    const events = async (node: Node) =>
      (await node.sql('SELECT STATUS, DEFINER FROM information_schema.EVENTS')).map(
        ({ STATUS, DEFINER }) => `${STATUS} ${DEFINER}`,
      )
    await old.sql(
      "SET GLOBAL event_scheduler = ON; CREATE DEFINER = root@localhost EVENT spec.`it's one` ON SCHEDULE EVERY 1 DAY DO SET @x = 1",
    )
    for (const node of cluster.nodes)
      if (node !== old)
        await eventually(
          async () => (await events(node)).join() === 'SLAVESIDE_DISABLED root@localhost',
          `${node.name} has the event`,
        )
    // A switchover that is planned before the scheduler was seen to be on is refused.
    await cluster.probed(old, 2)
    await switchOver(cluster)
    const next = await cluster.movedFrom(old)
    await eventually(async () => (await events(next)).join() === 'ENABLED root@localhost', 'the new primary runs it')
    for (const node of cluster.nodes)
      if (node !== next)
        await eventually(
          async () => (await events(node)).join() === 'SLAVESIDE_DISABLED root@localhost',
          `${node.name} has it disabled`,
        )
    await eventually(async () => (await next.value('SELECT @@GLOBAL.event_scheduler')) === 'ON', 'its scheduler runs')
    await expectWhole(cluster, next)
  })
})
