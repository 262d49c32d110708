// Stories of events whose definer writes through read-only: they end with the role, or the role does not move.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { grantStatements, privilegeRows } from '../../lib/dialect/index.js'
import type { Memory } from '../../lib/model/memory.js'
import { caughtUp, type Node, replicate } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable } from '../support/stories/story.js'
import { SWITCHOVER, switchOver } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const account = "documented@'127.0.0.1'"
const documented = privilegeRows.flatMap(({ account: of, mariadb }) => (of === 'own' && mariadb ? [mariadb] : []))

/** A cluster whose manager has the account that accounts.md documents, and these privileges besides. */
async function startDocumented(besides: string, settings: Readonly<Record<string, string | boolean>> = {}) {
  const cluster = await startProtectedCluster({
    options: [...durable, '--event-scheduler=ON'],
    settings: { 'db-servers-credential': 'documented:documented', ...settings },
    arrange: async (nodes) => {
      const [primary, ...replicas] = nodes
      if (!primary) throw new Error('a cluster has nodes')
      await prepareWrites(primary)
      await replicate(primary, replicas, { semiSync: false, heartbeatSeconds: 1 })
      await primary.sql(`CREATE USER ${account} IDENTIFIED BY 'documented'`)
      for (const statement of grantStatements(documented, account)) await primary.sql(statement)
      if (besides !== '') await primary.sql(`GRANT ${besides} ON *.* TO ${account}`)
      await primary.sql('CREATE TABLE spec.ticks (id INT AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB')
      for (const replica of replicas) await caughtUp(primary, replica)
    },
  })
  await cluster.ready()
  return cluster
}

const startTicking = async (primary: Node): Promise<void> => {
  await primary.sql('CREATE EVENT spec.tick ON SCHEDULE EVERY 1 SECOND DO INSERT INTO spec.ticks VALUES ()')
  await primary.sql('CREATE EVENT spec.idle ON SCHEDULE EVERY 1 SECOND DISABLE DO INSERT INTO spec.ticks VALUES (-1)')
  await ticks(primary)
}

const ticksOn = async (node: Node): Promise<number> => Number(await node.value('SELECT COUNT(*) FROM spec.ticks'))

/** Waits until its event has written once more. */
async function ticks(node: Node): Promise<void> {
  const before = await ticksOn(node)
  await eventually(async () => (await ticksOn(node)) > before, `the event writes on ${node.name}`)
}

const statusOn = (node: Node, name: string) =>
  node.value('SELECT STATUS FROM information_schema.EVENTS WHERE EVENT_NAME = ?', name)

const planOf = async (cluster: ProtectedCluster): Promise<string> =>
  (await cluster.manager.post(`${SWITCHOVER}?plan=true`)).body

/** What a server wrote itself, by its binary log. */
const written = async (node: Node): Promise<string | undefined> =>
  String(await node.value('SELECT @@GLOBAL.gtid_binlog_state'))
    .split(',')
    .find((one) => one.split('-')[1] === String(node.serverNumber))

/** Two seconds by the clock of the server: the event would have run. */
async function passed(node: Node): Promise<void> {
  const clock = async () => Number(await node.value('SELECT UNIX_TIMESTAMP()'))
  const since = await clock()
  await eventually(async () => (await clock()) >= since + 3, 'the event would have run twice')
}

describe('Events of a privileged definer, with the documented account', () => {
  let cluster: ProtectedCluster
  let primary: Node

  before(async () => {
    cluster = await startDocumented('')
    primary = await cluster.primary()
    await startTicking(primary)
  })
  after(() => cluster?.destroy())

  it('refuse a switchover before anything is frozen, and the refusal names the grant', async () => {
    const answer = await cluster.manager.post(SWITCHOVER)
    expect([answer.status, answer.body].join(' ')).to.match(/^409 .*spec\.tick.*GRANT SUPER ON \*\.\* TO/)
    expect(cluster.manager.log()).to.not.match(/"command":"freeze","state":"(?!skipped")/)
    await ticks(primary)
    await cluster.convergesOn(primary)
  })

  it('are a finding of the primary', () => cluster.opens('WARN0397'))

  it('move with the role once the account has the grant', async () => {
    await primary.sql(`GRANT SUPER ON *.* TO ${account}`)
    await cluster.closes('WARN0397')
    const now = await switchOver(cluster)
    const before = await written(primary)
    await passed(primary)
    expect(await written(primary)).to.equal(before)
    await cluster.convergesOn(now)
  })
})

describe('Events of a primary that died', () => {
  let cluster: ProtectedCluster
  let old: Node
  let primary: Node

  before(async () => {
    cluster = await startDocumented('SUPER, EVENT, SET USER', { 'failover-event-status': true })
    old = await cluster.primary()
    await startTicking(old)
    // The manager reads events with its slow probes.
    await eventually(async () => (await planOf(cluster)).includes('spec.tick'), 'the manager has read the events')
  })
  after(() => cluster?.destroy())

  it('that were enabled there are enabled on the new one, others stay disabled', async () => {
    await old.kill()
    primary = await cluster.movedFrom(old)
    await eventually(async () => (await statusOn(primary, 'tick')) === 'ENABLED', 'the event is enabled')
    expect(await statusOn(primary, 'idle')).to.not.equal('ENABLED')
    await ticks(primary)
  })

  it('do not run on it when it returns', async () => {
    old.start()
    await old.waitUp()
    await eventually(async () => (await old.value('SELECT @@event_scheduler')) === 'OFF', 'its scheduler is off')
    const before = await written(old)
    await passed(old)
    expect(await written(old)).to.equal(before)
    expect(await statusOn(primary, 'tick')).to.equal('ENABLED')
  })
})

for (const [status, whose] of [
  [false, 'keep their status, are a finding'],
  [true, 'move with the role, become those of a replica'],
] as const)
  describe(`Events of a former primary that ${whose}`, () => {
    let cluster: ProtectedCluster
    let old: Node

    before(async () => {
      cluster = await startDocumented('SUPER, EVENT, SET USER', { 'failover-event-status': status })
      old = await cluster.primary()
      await startTicking(old)
      await eventually(async () => (await eventsRead()) === 'spec.tick', 'the manager has read the events')
      await old.kill()
      const primary = await cluster.movedFrom(old)
      // What runs before the manager sees it again is another story: here its first return is quiet.
      old.start('--event-scheduler=OFF')
      await old.waitUp()
      await cluster.convergesOn(primary)
    })
    after(() => cluster?.destroy())

    /** The enabled events of the primary, as the manager remembers them. */
    async function eventsRead(): Promise<string> {
      const file = path.join(cluster.manager.dataDirectory, 'story', 'state.json')
      const { value } = JSON.parse(await readFile(file, 'utf8')) as { value?: { memory: Partial<Memory> } }
      return value?.memory.events?.list.map(({ schema, name }) => `${schema}.${name}`).join() ?? ''
    }

    const restart = async () => {
      await old.stop()
      old.start()
      await old.waitUp()
    }

    if (status)
      it('and do not run when it starts with its scheduler on, an hour later', async () => {
        await eventually(async () => (await statusOn(old, 'tick')) === 'SLAVESIDE_DISABLED', 'it is that of a replica')
        const before = await written(old)
        await restart()
        expect(await old.value('SELECT @@event_scheduler')).to.equal('ON')
        await passed(old)
        expect(await written(old)).to.equal(before)
        await cluster.convergesOn(await cluster.primary())
        await cluster.closes('WARN0270')
      })
    else
      it('before it starts with its scheduler on, an hour later, and until they are disabled', async () => {
        await cluster.opens('WARN0270')
        expect(await statusOn(old, 'tick')).to.equal('ENABLED')
        await restart()
        await eventually(async () => (await old.value('SELECT @@event_scheduler')) === 'OFF', 'its scheduler is off')
        await cluster.opens('WARN0270')
        await old.sql("SET SESSION sql_log_bin = 0; ALTER DEFINER = root@'127.0.0.1' EVENT spec.tick DISABLE ON SLAVE")
        await cluster.closes('WARN0270')
      })
  })
