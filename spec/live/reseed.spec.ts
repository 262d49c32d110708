// Stories of empty servers that are filled by autoseed, and what an interruption leaves.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import { emptyData } from '../support/databases/disk-copy.js'
import { mountDisk, type SmallDisk } from '../support/databases/small-disk.js'
import { copyTemplate } from '../support/databases/template.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end, expectWhole, load, logLines, progress } from '../support/stories/story.js'
import { idOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const MB = 1_000_000

const logged = (cluster: ProtectedCluster, text: string): Promise<unknown> =>
  eventually(
    () => logLines(cluster, text).length > 0,
    () => `the log has: ${text}\n${cluster.manager.log().slice(-4_000)}`,
  )

const isReplica = (cluster: ProtectedCluster, node: Node): Promise<unknown> =>
  eventually(
    async () => (await cluster.stateOf(node)) === 'Slave',
    () => `${node.name} is a replica\n${cluster.manager.log().slice(-6_000)}`,
  )

/** No transaction, no source, closed: what counts as empty, whatever rows a cut has left. */
async function expectEmpty(node: Node): Promise<void> {
  expect(await node.value("SELECT CONCAT(@@gtid_current_pos, '|', @@gtid_slave_pos, '|', @@read_only + 0)")).to.equal(
    '||1',
  )
  expect(await node.sql('SHOW SLAVE STATUS')).to.deep.equal([])
}

describe('a server whose data are replaced', () => {
  let cluster: ProtectedCluster
  let primary: Node
  let other: Node
  /** The manager's way to `other`. */
  let gate: TcpGate
  let disk: SmallDisk | undefined
  before(async () => {
    gate = await TcpGate.create()
    disk = mountDisk({ megabytes: 400 })
    cluster = await startProtectedCluster({
      ...{ options: durable, settings: { autoseed: true } },
      addresses: ([first, second, ...others]) => {
        void gate.lead(second?.port ?? 0)
        const [one = '', ...more] = [first, ...others].map((node) => `${node?.host}:${node?.port}`)
        return [one, gate.address, ...more]
      },
    })
    const writers = load(cluster, { count: 4 })
    await progress(writers, 60)
    await writers.stop()
    primary = await cluster.primary()
    other = cluster.databases.node(1)
    expect(other).to.not.equal(primary)
    // Enough that a dump takes long enough to be interrupted.
    await primary.sql('CREATE TABLE spec.large (a INT PRIMARY KEY, b LONGTEXT)')
    for (let row = 0; row < 6; row += 1)
      await primary.sql("INSERT INTO spec.large VALUES (?, REPEAT('x', 8000000))", row)
  })
  after(async () => {
    await end(cluster)
    await gate?.close()
    disk?.unmount()
  })

  const empty = async (...options: readonly string[]) => {
    await other.stop()
    await emptyData(other)
    other.start('--read-only=ON', ...options)
    await other.waitUp()
  }

  const counted = (text: string): number => logLines(cluster, text).length

  /** It comes back empty; resolves when the manager has begun to fill it, which may be before it is known here to be up. */
  const beginsFilling = async (...options: readonly string[]) => {
    const before = counted('emptied:')
    await empty(...options)
    await eventually(() => counted('emptied:') > before, 'the server is being filled')
  }

  /** Whichever is the source: its dump does not end before its lock does. */
  const holdSources = async (): Promise<readonly Node[]> => {
    const sources = cluster.nodes.filter((node) => node !== other)
    for (const source of sources) await source.sql('FLUSH TABLES WITH READ LOCK')
    return sources
  }

  /** A client program, not the manager itself, has a session on the server. */
  const isLoading = async (): Promise<boolean> => {
    const clients = `ATTR_NAME = 'program_name' AND ATTR_VALUE IN ('mysql', 'mariadb')`
    return (
      Number(await other.value(`SELECT COUNT(*) FROM performance_schema.session_connect_attrs WHERE ${clients}`)) > 0
    )
  }

  it('is filled by autoseed when it comes back empty', async () => {
    await empty()
    await isReplica(cluster, other)
    await expectWhole(cluster, primary)
    expect(logLines(cluster, 'it holds no transactions')).to.not.deep.equal([])
  })

  it('is clearly empty when the manager is killed in the middle, and filled by the next one', async () => {
    const sources = await holdSources()
    await beginsFilling()
    await cluster.manager.end('SIGKILL')
    await expectEmpty(other)
    for (const source of sources) await source.sql('UNLOCK TABLES')
    cluster.manager.start()
    await cluster.manager.alive()
    await isReplica(cluster, other)
    await expectWhole(cluster, primary)
  })

  it('is clearly empty when its source dies in the middle, and filled from another one', async () => {
    const before = counted('is empty now')
    const donor = cluster.nodes.find((node) => node !== primary && node !== other) ?? primary
    await donor.sql('FLUSH TABLES WITH READ LOCK')
    await beginsFilling()
    await donor.kill()
    await eventually(() => counted('is empty now') > before, 'its source is gone')
    await isReplica(cluster, other)
    donor.start()
    await donor.waitUp()
    await isReplica(cluster, donor)
    await expectWhole(cluster, primary)
  })

  it('is clearly empty when its disk is full or the network to it is cut, and filled when that is over', async function () {
    if (!disk) return this.skip()
    const donor = cluster.nodes.find((node) => node !== primary && node !== other) ?? primary
    const position = await primary.value('SELECT @@gtid_binlog_pos')
    const data = path.join(disk.directory, 'data')
    const startThere = async () => {
      donor.start('--read-only=ON', `--datadir=${data}`)
      await donor.waitUp()
    }
    await donor.stop()
    await copyTemplate(donor.engine, data)
    rmSync(path.join(donor.dir, 'init.sql'), { force: true })
    // Room for the server, and for a part of the tables: before it starts, since it is filled as soon as it answers.
    disk.fill(40 * MB)
    const before = counted(`${donor.port} is empty now`)
    await startThere()
    await eventually(() => counted(`${donor.port} is empty now`) > before, 'it could not be filled')
    // InnoDB ends its server where it cannot write.
    await donor.stop()
    disk.clear()

    // The dump waits for the lock: it has begun and not ended when the network is cut.
    await primary.sql('FLUSH TABLES WITH READ LOCK')
    await beginsFilling('--performance-schema=ON')
    await eventually(isLoading, 'the client that loads the dump has logged in')
    await gate.set('hang')
    await primary.sql('UNLOCK TABLES')
    await logged(cluster, 'has not answered for 20 s')
    await expectEmpty(other)

    await primary.sql('FLUSH TABLES WITH READ LOCK')
    const reported = counted('OPENED ERR00127')
    await startThere()
    await expectEmpty(donor)
    await eventually(() => counted('OPENED ERR00127') > reported, 'an empty server is reported')
    await primary.sql('UNLOCK TABLES')
    await gate.set('open')
    for (const node of [other, donor]) await isReplica(cluster, node)
    expect(await primary.value('SELECT @@gtid_binlog_pos')).to.equal(position)
    await expectWhole(cluster, primary)
  })

  it('is no candidate while it is filled, and stays empty when a person ends that, until one asks for it again', async () => {
    const sources = await holdSources()
    await beginsFilling()
    const id = await idOf(cluster, other)
    const { ranking } = await cluster.explain()
    expect(ranking.find(({ server }) => server === id)?.eligible).to.not.equal(true)
    const ended = await cluster.manager.post(`/api/clusters/story/servers/${id}/actions/del-maintenance`)
    expect(ended.body).to.include('is being filled')
    const cancelled = await cluster.manager.post(`/api/clusters/story/servers/${id}/actions/reseed-cancel/reseed`)
    expect(cancelled.status, cancelled.body).to.equal(200)
    for (const source of sources) await source.sql('UNLOCK TABLES')
    await logged(cluster, 'cancelled by')
    await expectEmpty(other)
    const asked = await cluster.manager.post(`/api/clusters/story/servers/${id}/actions/reseed/cheapest?wait=true`)
    expect(asked.status, asked.body).to.equal(200)
    await isReplica(cluster, other)
  })
})
