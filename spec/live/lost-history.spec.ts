// Stories of servers that come back without part of their history: an older copy of their data, or none. They are never opened
// for writes while others hold more, never replicas that differ silently, and the way out that the finding names works.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Memory } from '../../lib/model/memory.js'
import { caughtUp, type Node, purgeLogs } from '../support/databases/database.js'
import { copyData, emptyData, restoreData } from '../support/databases/disk-copy.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { journalFile } from '../support/stories/intact.js'
import { asReplica, durable, end, expectWhole, load, logLines, lossless, progress } from '../support/stories/story.js'
import { replicasOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

interface Alert {
  readonly number: string
  readonly desc: string
}

const findingOf = async ({ manager }: ProtectedCluster, code: string, address: string): Promise<string | undefined> => {
  const { errors } = await manager.get<{ readonly errors: readonly Alert[] }>('/api/clusters/story/topology/alerts')
  return errors.find(({ number, desc }) => number === code && desc.includes(address))?.desc
}

const isFound = (cluster: ProtectedCluster, code: string, { host, port }: Node): Promise<unknown> =>
  eventually(
    async () => (await findingOf(cluster, code, `${host}:${port}`)) !== undefined,
    () => `${code} is open\n${cluster.manager.log().slice(-4_000)}`,
  )

/** So many writes more than its copy holds; all of them are on the replicas. */
async function writeBeyondCopy(cluster: ProtectedCluster, primary: Node, first: number) {
  // The copy is made of a server that hangs meanwhile, on a slow machine long enough to be replaced.
  cluster.manager.signal('SIGSTOP')
  try {
    await copyData(primary)
  } finally {
    cluster.manager.signal('SIGCONT')
  }
  const writers = load(cluster, { count: 4, first, pauseMs: 20 })
  await progress(writers, 50)
  await writers.stop()
  for (const node of await replicasOf(cluster)) await caughtUp(primary, node)
  return writers
}

/** Where its binary log ends. */
async function endOf(node: Node): Promise<{ readonly file: string; readonly position: number }> {
  const [row = {}] = await node.sql('SHOW MASTER STATUS')
  return { file: String(row.File), position: Number(row.Position) }
}

/** What the manager has saved of the cluster. */
async function remembered({ manager: { dataDirectory } }: ProtectedCluster): Promise<Partial<Memory>> {
  const text = await readFile(path.join(dataDirectory, 'story', 'state.json'), 'utf8').catch(() => '{}')
  return JSON.parse(text).value?.memory ?? {}
}

const act = (cluster: ProtectedCluster, action: string) => cluster.manager.post(`/api/clusters/story/${action}`)

describe('a primary that comes back with an older copy of its data', () => {
  let cluster: ProtectedCluster
  let old: Node
  let writers: Awaited<ReturnType<typeof writeBeyondCopy>>
  before(async () => {
    cluster = await startProtectedCluster({
      semiSync: true,
      options: [...lossless, '--gtid-strict-mode=OFF'],
      settings: { 'failover-mode': 'manual' },
    })
    const first = load(cluster, { count: 2, first: 900 })
    await progress(first, 20)
    await first.stop()
  })
  after(() => end(cluster))

  it('stays closed in manual mode: nothing opens it but force, and the finding names who holds everything', async () => {
    old = await cluster.primary()
    writers = await writeBeyondCopy(cluster, old, 0)
    await old.kill()
    await restoreData(old)
    old.start(...asReplica, '--read-only=ON')
    await old.waitUp()
    await isFound(cluster, 'ERR00117', old)
    const [{ id = '' } = {}] = (await cluster.servers()).filter(({ port }) => port === `${old.port}`)
    const refused = await act(cluster, `servers/${id}/actions/toggle-read-only`)
    expect(refused.body).to.include('is missing')
    const sentence = (await findingOf(cluster, 'ERR00117', `${old.port}`)) ?? ''
    for (const node of cluster.nodes) if (node !== old) expect(sentence).to.include(`${node.port}`)
    expect(await old.value('SELECT @@read_only')).to.equal('1')
    expect(logLines(cluster, 'is writable')).to.deep.equal([])
  })

  it('is replaced by a failover on request, and fetches what it had lost before it counts as a replica', async () => {
    let answer = { status: 0, body: '' }
    await eventually(
      async () => {
        answer = await act(cluster, 'actions/failover')
        return answer.status === 200
      },
      () => `it is replaced: ${answer.status} ${answer.body}`,
    )
    const next = await cluster.movedFrom(old)
    expect(await writers.missingOn(next)).to.deep.equal([])
    await expectWhole(cluster, next)
    expect(await writers.missingOn(old)).to.deep.equal([])
    // It counts as a replica a moment before the step that switched this on ends.
    await eventually(async () => (await old.value('SELECT @@gtid_strict_mode')) === '0', 'it is as it was before')
  })
})

describe('a primary whose data directory was replaced while the manager was away', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless })
  })
  after(() => end(cluster))

  it('is replaced by a server that holds everything when it has an older copy', async () => {
    const old = await cluster.primary()
    const writers = await writeBeyondCopy(cluster, old, 0)
    await cluster.manager.end('SIGTERM')
    await old.kill()
    await restoreData(old)
    old.start(...asReplica, '--read-only=ON')
    await old.waitUp()
    cluster.manager.start()
    await cluster.manager.alive()
    const next = await cluster.movedFrom(old)
    expect(await writers.missingOn(next)).to.deep.equal([])
    await expectWhole(cluster, next)
    expect(logLines(cluster, 'OPENED ERR00117')).to.not.deep.equal([])
  })

  it('is closed and replaced when it is empty and takes writes, and stays out with an error', async () => {
    const old = await cluster.primary()
    const logged = cluster.manager.log().length
    const writers = load(cluster, { count: 4, first: 4, pauseMs: 20 })
    await progress(writers, 50)
    await writers.stop()
    for (const node of await replicasOf(cluster)) await caughtUp(old, node)
    await cluster.manager.end('SIGTERM')
    await old.kill()
    await emptyData(old)
    old.start('--read-only=OFF')
    await old.waitUp()
    cluster.manager.start()
    await cluster.manager.alive()
    const next = await cluster.movedFrom(old)
    expect(await writers.missingOn(next)).to.deep.equal([])
    // Not the line of the story before.
    await eventually(
      () => cluster.manager.log().slice(logged).includes('OPENED ERR00117'),
      () => `the finding was opened\n${cluster.manager.log().slice(logged).slice(-4_000)}`,
    )
    await isFound(cluster, 'ERR00127', old)
    await eventually(async () => (await old.value('SELECT @@read_only')) === '1', 'it is closed')
    expect(await old.sql('SHOW SLAVE STATUS')).to.deep.equal([])
  })
})

describe('a primary that came back with older data and gave all lost GTIDs again while the manager was away', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ options: durable })
  })
  after(() => end(cluster))

  it('is reported: each replica holds GTIDs that name other transactions on it', async () => {
    const old = await cluster.primary()
    const writers = await writeBeyondCopy(cluster, old, 0)
    const { position } = await endOf(old)
    await eventually(async () => ((await remembered(cluster)).held?.kept?.position ?? 0) >= position, 'its end is kept')
    await cluster.manager.end('SIGKILL')
    await old.kill()
    await restoreData(old)
    const file = path.join(old.dir, 'again.sql')
    const rows = Array.from({ length: 2 * writers.acknowledged.length }, (_, row) => row)
    await writeFile(file, rows.map((row) => `INSERT INTO spec.acknowledged VALUES (800, ${row});\n`).join(''))
    // Before the first replica asks: its port opens when all of them are written.
    old.start('--read-only=OFF', `--init-file=${file}`)
    await old.waitUp()
    for (const node of cluster.nodes)
      if (node !== old)
        await eventually(
          async () => (await sourceOf(node)) === `${old.port} Yes Yes`,
          `${node.name} replicates as if nothing had happened`,
        )
    expect((await writers.missingOn(old)).length, 'acknowledged, and not on the primary').to.be.greaterThan(40)
    cluster.manager.start()
    await cluster.manager.alive()
    for (const node of cluster.nodes) if (node !== old) await isFound(cluster, 'ERR00128', node)
  })
})

describe('a manager that lost its state file', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ count: 2, semiSync: true, options: lossless })
  })
  after(() => end(cluster))

  it('makes the primary wait for its replicas again, because they are configured to acknowledge', async () => {
    const primary = await cluster.primary()
    const { manager } = cluster
    await manager.end('SIGKILL')
    const directory = path.dirname(journalFile(manager))
    for (const name of ['state.json', 'state.json.old', 'journal.jsonl'])
      await writeFile(path.join(directory, name), '{"torn')
    await primary.sql('SET GLOBAL rpl_semi_sync_master_enabled = 0')
    manager.start()
    await manager.alive()
    await eventually(
      async () => (await primary.value('SELECT @@rpl_semi_sync_master_enabled')) === '1',
      () => `semi-sync is enabled again\n${manager.log().slice(-3_000)}`,
    )
  })
})

describe('a history that was deleted by hand', () => {
  let cluster: ProtectedCluster
  let primary: Node
  let replica: Node
  before(async () => {
    cluster = await startProtectedCluster({ count: 2, options: durable, settings: { 'failover-mode': 'manual' } })
    primary = await cluster.primary()
    replica = cluster.nodes.find((node) => node !== primary) ?? primary
    const writers = load(cluster, { count: 2 })
    await progress(writers, 50)
    await writers.stop()
    await caughtUp(primary, replica)
  })
  after(() => end(cluster))

  it('is an error of the replica when the binary logs that it needs are purged', async () => {
    await replica.sql('STOP SLAVE')
    await primary.sql('INSERT INTO spec.acknowledged VALUES (500, 1)')
    await purgeLogs(primary)
    await replica.sql('START SLAVE')
    await isFound(cluster, 'ERR00125', replica)
  })

  it('is an error of the primary when its binary log is reset', async () => {
    await primary.sql('RESET MASTER')
    await isFound(cluster, 'ERR00117', primary)
    expect(await primary.value('SELECT @@read_only')).to.equal('0')
  })

  it('is an error of a replica that a person lets go on past it, until it is filled again', async () => {
    const reached = Number((await replica.value('SELECT @@gtid_current_pos')).split('-').at(-1))
    const writers = load(cluster, { count: 2, first: 600 })
    await eventually(
      async () => Number((await primary.value('SELECT @@gtid_binlog_pos')).split('-').at(-1)) > reached,
      'the primary wrote what its replica holds by name',
    )
    await replica.sql('STOP SLAVE')
    await replica.sql('START SLAVE')
    await isFound(cluster, 'ERR00128', replica)
    await eventually(async () => (await cluster.stateOf(replica)) === 'SlaveErr', 'its state is an error')
    await writers.stop()
    const id = (await cluster.servers()).find(({ port }) => Number(port) === replica.port)?.id
    const done = await act(cluster, `servers/${id}/actions/reseed/logicalmaster?wait=true`)
    expect(done.status, `${done.body}\n${cluster.manager.log().slice(-3_000)}`).to.equal(200)
    await eventually(async () => (await cluster.stateOf(replica)) === 'Slave', 'it is a replica in good standing')
    await eventually(
      async () => (await findingOf(cluster, 'ERR00128', `${replica.host}:${replica.port}`)) === undefined,
      'the finding is closed',
    )
    await caughtUp(primary, replica)
    const checksum = 'CHECKSUM TABLE spec.acknowledged'
    expect(await replica.sql(checksum)).to.deep.equal(await primary.sql(checksum))
  })
})
