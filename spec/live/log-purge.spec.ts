// Binary logs that exceed their size go, on the primary and on replicas, but none that a stopped replica still needs.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { emptyData } from '../support/databases/disk-copy.js'
import type { Node } from '../support/databases/node.js'
import { newDirectory } from '../support/machine/directories.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const S = '/api/clusters/story/settings/actions'

/** A dump that waits for its permission, as one of a large server takes long. */
const folder = newDirectory('slow-dump')
const [dump, began, permitted] = ['dump', 'began', 'permitted'].map((name) => path.join(folder, name)) as [
  string,
  string,
  string,
]
writeFileSync(
  dump,
  `#!/bin/sh\ntouch ${began}\nwhile [ ! -e ${permitted} ]; do sleep 0.1; done\nexec mariadb-dump "$@"\n`,
  { mode: 0o755 },
)

describe('binary logs that exceed their size', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser
  before(async () => {
    cluster = await startProtectedCluster({
      count: 3,
      defaults: { 'backup-mysqldump-path': dump },
      settings: {
        ...{ 'failover-mode': 'manual', autorejoin: false },
        ...{ 'force-binlog-purge': true, 'force-binlog-purge-replicas': true, 'force-binlog-purge-total-size': 1 },
      },
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await node(0).sql('CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, n INT) ENGINE=InnoDB')
  })
  after(() => end(cluster))

  const node = (index: number): Node => cluster.databases.node(index)
  const logs = async (index: number): Promise<readonly string[]> =>
    (await node(index).sql('SHOW BINARY LOGS')).map((row) => String(row.Log_name))
  /** Rows in as many files, on every server. */
  const write = async (from: number, count: number): Promise<void> => {
    for (let id = from; id < from + count; id++) {
      await node(0).sql('INSERT INTO shop.orders VALUES (?, ?)', id, id)
      for (const one of cluster.nodes) await one.sql('FLUSH BINARY LOGS')
    }
  }
  const rows = (index: number): Promise<unknown> => node(index).value('SELECT COUNT(*) FROM shop.orders')
  const says = (what: RegExp): Promise<unknown> =>
    eventually(
      async () => what.test(cluster.manager.log()),
      () => `the log says ${what}\n${cluster.manager.log().slice(-3_000)}`,
    )

  it('keeps them while a stopped replica needs them, says so, and deletes nothing below the size', async () => {
    await node(2).sql('STOP SLAVE')
    const before = await logs(0)
    await write(1, 4)
    expect((await logs(0)).length).to.equal(before.length + 4)
    const seen = async () => {
      const servers = await cluster.manager.get<readonly { readonly binaryLogFilesCount: number }[]>(
        '/api/clusters/story/topology/servers',
      )
      return Math.max(...servers.map(({ binaryLogFilesCount }) => binaryLogFilesCount))
    }
    await eventually(async () => (await seen()) >= before.length + 4, 'the manager has seen the files')
    expect(cluster.manager.log()).not.to.match(/exceed force-binlog-purge-total-size|binary logs? .* deleted/)
    await admin.ask(`${S}/set/force-binlog-purge-total-size/0`, { method: 'POST' })
    await says(/exceed force-binlog-purge-total-size and stay: .*has not applied/)
    const kept = await logs(0)
    const needed = String((await node(2).sql('SHOW SLAVE STATUS'))[0]?.Relay_Master_Log_File)
    expect(kept).to.include(needed)
    expect(kept.length).to.be.greaterThanOrEqual(5)
  })

  it('deletes them when it has applied them: every replica has every row and goes on replicating', async () => {
    await node(2).sql('START SLAVE')
    await eventually(async () => (await logs(0)).length === 1, 'the primary has only the file that it writes')
    await eventually(async () => (await logs(1)).length === 1 && (await logs(2)).length === 1, 'so have the replicas')
    await says(/binary logs? \([\d.]+ MB\) deleted, \S+ is the oldest of 1/)
    await node(0).sql('INSERT INTO shop.orders VALUES (100, 100)')
    // What they need is there for a replica that connects again.
    await node(1).sql('STOP SLAVE; START SLAVE')
    for (const index of [1, 2])
      await eventually(async () => Number(await rows(index)) === 5, `all rows are on replica ${index}`)
  })

  it('deletes nothing while fewer replicate than asked', async () => {
    await admin.ask(`${S}/set/force-binlog-purge-min-replica/3`, { method: 'POST' })
    await write(200, 2)
    const kept = await logs(0)
    await says(/2 replicas replicate, force-binlog-purge-min-replica is 3/)
    expect(await logs(0)).to.deep.equal(kept)
    await admin.ask(`${S}/set/force-binlog-purge-min-replica/1`, { method: 'POST' })
    await eventually(async () => (await logs(0)).length === 1, 'the primary has only the file that it writes')
  })

  it('goes on while a server is being filled, where force-binlog-purge-on-restore is on, and that one follows', async () => {
    await admin.ask(`${S}/set/force-binlog-purge-total-size/1`, { method: 'POST' })
    await admin.ask(`${S}/set/autorejoin/true`, { method: 'POST' })
    await write(300, 3)
    // From which file on a copy goes on is what the manager read last, by a slow probe.
    const newest = (await logs(0)).at(-1) ?? ''
    const seen = async () =>
      (
        await cluster.manager.get<readonly { port: string; binaryLogFiles: object }[]>(
          '/api/clusters/story/topology/servers',
        )
      ).some(({ port, binaryLogFiles }) => port === String(node(0).port) && newest in binaryLogFiles)
    await eventually(seen, `the manager has seen ${newest}`)
    // A copy is taken to have what was known at the tick before it began.
    const tick = async () =>
      Number.parseInt((await cluster.manager.get<{ monitorSpin: string }>('/api/clusters/story')).monitorSpin, 10)
    const seenAt = await tick()
    await eventually(async () => (await tick()) > seenAt, 'a tick has noted it')
    await node(2).stop()
    await emptyData(node(2))
    node(2).start('--read-only=ON')
    await node(2).waitUp()
    const server = `servers/${encodeURIComponent(`127.0.0.1:${node(2).port}`)}`
    await eventually(
      async () =>
        existsSync(began) ||
        ((await cluster.manager.post(`/api/clusters/story/${server}/actions/reseed/dump`)) && existsSync(began)),
      'the dump has begun',
    )
    const before = await logs(0)
    const needed = before.at(-1) ?? ''
    expect(before.length).to.be.above(3)
    await node(0).sql('INSERT INTO shop.orders VALUES (400, 400)')
    await node(0).sql('FLUSH BINARY LOGS')
    await admin.ask(`${S}/set/force-binlog-purge-total-size/0`, { method: 'POST' })
    await says(/stay: \S+ is in maintenance/)
    expect((await logs(0))[0]).to.equal(before[0])
    await admin.ask(`${S}/set/force-binlog-purge-on-restore/true`, { method: 'POST' })
    await eventually(
      async () => (await logs(0))[0] === needed,
      () => `what is older than the copy goes\n${cluster.manager.log().slice(-4_000)}`,
    )
    await says(/stay: \S+ is being filled and needs the others/)
    writeFileSync(permitted, '')
    await eventually(
      async () => Number(await rows(2).catch(() => 0)) === Number(await rows(0)),
      () => `it has every row\n${cluster.manager.log().slice(-4_000)}`,
    )
    // Its position in the files of the primary shows with what it receives from it.
    await node(0).sql('INSERT INTO shop.orders VALUES (401, 401)')
    await eventually(
      async () => (await logs(0)).length === 1,
      () => `the rest goes when it follows\n${cluster.manager.log().slice(-4_000)}`,
    )
  })
})
