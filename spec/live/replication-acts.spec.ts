// Actions that take something from replication: refused while they would break it, done so that nothing is lost, and
// judged by what the databases do afterwards.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { Statement } from '../../lib/dialect/index.js'
import type { Memory } from '../../lib/model/memory.js'
import { caughtUp } from '../support/databases/database.js'
import { effectServer } from '../support/databases/effects.js'
import type { Node } from '../support/databases/node.js'
import { findVersion, type VersionName } from '../support/databases/versions.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

/** What the manager saved. */
interface Saved {
  readonly value: { readonly memory: Memory & { readonly primary: string } }
}

const C = '/api/clusters/story'
const mysql = await findVersion('mysql-9')
if (!mysql.available) absent('replication acts on mysql-9', mysql.reason)

for (const software of ['mariadb', ...(mysql.available ? ['mysql-9' as const] : [])] as const)
  describe(`replication acts on ${software}`, () => story(software))

function story(software: 'mariadb' | VersionName): void {
  let cluster: ProtectedCluster
  let admin: ApiUser
  before(async () => {
    cluster = await startProtectedCluster({ count: 3, software, settings: { 'failover-mode': 'manual' } })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await node(0).sql('CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, n INT)')
  })
  after(() => end(cluster))

  const node = (index: number): Node => cluster.databases.node(index)
  const S = (index: number): string => `${C}/servers/127.0.0.1:${node(index).port}/actions`
  const follows = (index: number) =>
    eventually(
      async () => (await sourceOf(node(index))) === `${node(0).port} Yes Yes`,
      () => `${node(index).name} follows\n${cluster.manager.log().slice(-2_000)}`,
    )
  const orders = (index: number) => node(index).value('SELECT GROUP_CONCAT(id ORDER BY id) FROM shop.orders')
  const isMariadb = software.startsWith('mariadb')
  /** The statement in this server's words. */
  const words = (text: string): string =>
    isMariadb || node(0).engine.oldWords ? text.replace('REPLICA', 'SLAVE').replace('BINARY LOG', 'MASTER') : text
  const firstLog = async (index: number): Promise<boolean> => {
    const [row = {}] = await node(index).sql(words('SHOW BINARY LOG STATUS'))
    return /\.0+1$/.test(String(row.File))
  }

  /** A row that the replica has already, written by the primary: its applier stops there. */
  async function collide(index: number, ...ids: readonly number[]): Promise<void> {
    await caughtUp(node(0), node(index))
    const values = ids.map((id) => `(${id}, 0)`).join(', ')
    const open = isMariadb ? '' : 'SET GLOBAL super_read_only = 0;'
    await node(index).sql(`${open} SET SESSION sql_log_bin = 0; INSERT INTO shop.orders VALUES ${values}`)
    for (const id of ids) await node(0).sql('INSERT INTO shop.orders VALUES (?, 1)', id)
    await eventually(
      async () => (await sourceOf(node(index))).endsWith(' No'),
      `the applier of ${node(index).name} stops`,
    )
  }

  const turned = async (words: string): Promise<string | undefined> =>
    (await admin.json<{ state?: string }>(`${S(1)}/toogle-${words}`, { method: 'POST' })).state

  if (isMariadb)
    it('need the performance schema where they read it', async () => {
      for (const words of ['toogle-pfs-slow-query', 'reset-pfs-queries'])
        expect(await admin.line(`${S(1)}/${words}`), words).to.match(/^501 .*performance_schema is OFF/)
    })
  else
    it('turn on a closed replica what MySQL has in its performance schema', async () => {
      const state = (sql: string) => node(1).value(`SELECT ENABLED FROM performance_schema.${sql}`)
      for (const [words, sql] of [
        ['pfs-slow-query', "setup_consumers WHERE NAME = 'events_statements_history_long'"],
        ['meta-data-locks', "setup_instruments WHERE NAME = 'wait/lock/metadata/sql/mdl'"],
      ] as const) {
        const before = await state(sql)
        expect(await turned(words), words).to.equal(before === 'YES' ? 'OFF' : 'ON')
        expect(await state(sql), words).to.equal(before === 'YES' ? 'NO' : 'YES')
        expect(await turned(words), words).to.equal(before === 'YES' ? 'ON' : 'OFF')
      }
      for (const words of ['innodb-monitor', 'slow-query', 'slow-query-capture', 'slow-query-table'])
        expect([await turned(words), await turned(words)], words).to.deep.equal(['ON', 'OFF'])
      for (const words of ['query-response-time', 'sql-error-log'])
        expect(await admin.line(`${S(1)}/toogle-${words}`), words).to.match(/^501 .*MySQL/)
      for (const words of ['reset-pfs-queries', 'flush-logs', 'wait-innodb-purge?length=10000'])
        expect(await admin.line(`${S(1)}/${words}`), words).to.match(/^200 /)
    })

  it('skip nothing where nothing failed', async () => {
    expect(await admin.line(`${S(0)}/skip-replication-event`)).to.match(/^409 .*does not replicate/)
    expect(await admin.line(`${S(1)}/skip-replication-event`)).to.match(/^409 .*not stopped by an error/)
    await node(1).sql(words('STOP REPLICA SQL_THREAD'))
    expect(await admin.line(`${S(1)}/skip-replication-event`)).to.match(/^409 .*not stopped by an error/)
    await node(1).sql(words('START REPLICA'))
    await follows(1)
  })

  it('skip exactly the transaction that failed, and name it', async () => {
    await collide(1, 7)
    await node(0).sql('INSERT INTO shop.orders VALUES (8, 1)')
    const { skipped, msg } = await admin.json<Record<'skipped' | 'msg', string>>(`${S(1)}/skip-replication-event`, {
      method: 'POST',
    })
    expect(msg).to.contain(skipped)
    await follows(1)
    await eventually(async () => (await orders(1)) === '7,8', 'what came behind it is applied')
    expect(await node(1).value('SELECT n FROM shop.orders WHERE id = 7')).to.equal('0')
    await caughtUp(node(0), node(1))
    expect(cluster.manager.log()).to.contain(`${skipped} was skipped`)
  })

  it('report when replication stops again behind what was skipped', async () => {
    await collide(1, 10, 11)
    const first = await admin.line(`${S(1)}/skip-replication-event`)
    const second = await admin.line(`${S(1)}/skip-replication-event`)
    expect(first).to.match(/^\d+ .*was skipped.*it stopped again/)
    expect(second).to.match(/^200 .*was skipped/)
    await follows(1)
    await caughtUp(node(0), node(1))
  })

  it('empty the binary log of a replica, which goes on', async () => {
    await admin.json(`${S(1)}/flush-logs`)
    expect(await firstLog(1)).to.equal(false)
    await admin.json(`${S(1)}/reset-master`, { method: 'POST' })
    expect(await firstLog(1)).to.equal(true)
    await follows(1)
    await node(0).sql('INSERT INTO shop.orders VALUES (20, 1)')
    await caughtUp(node(0), node(1))
  })

  it('leave the binary log of a primary with replicas alone', async () => {
    await admin.json(`${S(0)}/flush-logs`)
    expect(await admin.line(`${S(0)}/reset-master`)).to.match(/^409 .*has followers: .*force=true/)
    expect(await firstLog(0)).to.equal(false)
  })

  it('empty it by force: every replica follows the new log, and none has lost anything', async () => {
    await node(0).sql('INSERT INTO shop.orders VALUES (30, 1)')
    await admin.json(`${S(0)}/reset-master?force=true`, { method: 'POST' })
    expect(await firstLog(0)).to.equal(true)
    await node(0).sql('INSERT INTO shop.orders VALUES (31, 1)')
    for (const index of [1, 2]) {
      await follows(index)
      await caughtUp(node(0), node(index))
    }
    expect(await orders(2)).to.equal(await orders(0))
    await cluster.ready()
    // No probe took the deletion for a loss of the primary, or its numbers for those of other transactions.
    expect(cluster.manager.log()).to.not.match(/OPENED ERR001(17|28)/)
  })

  it('ask what became of a log whose deletion a killed manager did not hear of, and take it for no loss', async () => {
    await admin.json(`${S(0)}/flush-logs`)
    await cluster.ready()
    const { dialect } = await effectServer(node(0))
    const run = async ({ sql, values }: Statement) => node(0).sql(sql, ...values)
    const state = path.join(cluster.manager.dataDirectory, 'story/state.json')
    const saved = (): Saved => JSON.parse(readFileSync(state, 'utf8')) as Saved
    await eventually(() => /\.0*[2-9]$/.test(saved().value.memory.held?.log?.file ?? ''), 'the log was seen so far')
    await cluster.manager.end('SIGKILL')
    const [row] = await run(dialect.binlogHistory())
    const history = String(row?.history)
    const { value, ...rest } = saved()
    const deleting = { [value.memory.primary]: { since: Date.now(), history } }
    writeFileSync(state, JSON.stringify({ ...rest, value: { ...value, memory: { ...value.memory, deleting } } }))
    for (const index of [1, 2]) await node(index).sql(words('STOP REPLICA'))
    for (const statement of dialect.resetBinlogs(history)) await run(statement)
    for (const index of [1, 2]) await node(index).sql(words('START REPLICA'))
    cluster.manager.start()
    await cluster.manager.alive()
    await eventually(
      () => saved().value.memory.held?.log?.file !== value.memory.held?.log?.file && !saved().value.memory.deleting,
      () => `the server was asked\n${cluster.manager.log().slice(-2_000)}`,
    )
    await node(0).sql('INSERT INTO shop.orders VALUES (32, 1)')
    for (const index of [1, 2]) {
      await follows(index)
      await caughtUp(node(0), node(index))
    }
    await cluster.ready()
    expect(cluster.manager.log()).to.not.match(/OPENED ERR001(17|28)/)
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
  })

  it('reset nothing while a replica has not applied everything', async () => {
    await admin.json(`${S(0)}/flush-logs`)
    await node(2).sql(words('STOP REPLICA SQL_THREAD'))
    await node(0).sql('INSERT INTO shop.orders VALUES (40, 1)')
    expect(await admin.line(`${S(0)}/reset-master?force=true`)).to.match(/^409 .*nothing was reset/)
    expect(await firstLog(0)).to.equal(false)
    await node(0).sql('INSERT INTO shop.orders VALUES (41, 1)')
    await node(2).sql(words('START REPLICA'))
    for (const index of [1, 2]) {
      await follows(index)
      await caughtUp(node(0), node(index))
    }
  })

  it('forget the source of a replica only when that is meant', async () => {
    expect(await admin.line(`${S(0)}/reset-slave-all`)).to.match(/^409 .*does not replicate/)
    expect(await admin.line(`${S(2)}/reset-slave-all`)).to.match(/^409 .*replicates from .*force=true/)
    await follows(2)
    expect(await admin.line(`${S(2)}/set-maintenance`)).to.equal('200 ')
    expect(await admin.line(`${S(2)}/reset-slave-all?force=true`, { method: 'POST' })).to.match(
      /^200 .*has no source any more \(127\.0\.0\.1:\d+ before\)"/,
    )
    expect(await sourceOf(node(2))).to.match(/^undefined/)
    expect(await admin.line(`${S(2)}/del-maintenance`)).to.equal('200 ')
    await follows(2)
    let again = ''
    await eventually(async () => {
      again = await admin.line(`${S(2)}/reset-slave-all?force=true`)
      return !/is running/.test(again)
    }, 'the rejoin has ended')
    expect(again).to.match(/^200 .*it is configured as a replica again/)
    await follows(2)
    await caughtUp(node(0), node(2))
    expect(await orders(2)).to.equal(await orders(0))
  })
}
