// Stories of what only one server has: errant transactions of a replica seen row by row, applied, undone, neutralised.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Divergence, DivergencePlan } from '../../lib/model/operation/divergence.js'
import { caughtUp } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { diverge } from '../support/stories/divergence.js'
import { durable, end, load, progress } from '../support/stories/story.js'
import { idOf, replicasOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const table = `CREATE TABLE spec.things (
  id INT UNSIGNED PRIMARY KEY, word VARCHAR(40) CHARACTER SET utf8mb4, old VARCHAR(40) CHARACTER SET latin1,
  price DECIMAL(10,2), bytes VARBINARY(10), at TIMESTAMP(3) NULL, day DATE, kind ENUM('a','b'), flags SET('x','y','z'), n DOUBLE)`

/** How the answer lists each change, short. */
const shown = ({ transactions }: Divergence): readonly string[] =>
  transactions.flatMap(({ rows }) =>
    rows.map(({ kind, table: name, key, before, after }) =>
      [kind, name, JSON.stringify(key), JSON.stringify(before?.word), JSON.stringify(after?.word)].join(' '),
    ),
  )

describe('errant transactions of a replica of MariaDB', () => {
  let cluster: ProtectedCluster
  let primary: Node
  let errant: Node
  let server: string
  before(async () => {
    cluster = await startProtectedCluster({ options: [...durable, '--binlog-annotate-row-events=ON'] })
    primary = await cluster.primary()
    ;[errant = primary] = await replicasOf(cluster)
    server = `/api/clusters/story/servers/${await idOf(cluster, errant)}`
    await primary.sql(table)
    await primary.sql(
      "INSERT INTO spec.things VALUES (1, 'żółw', 'Ärger', 12.50, x'00FF27', '2026-11-23 15:04:59.123', '2026-11-23', 'b', 'x,z', 0.1), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (4000000000, 'it''s', 'plain', 1, '', NULL, '2026-01-02', 'a', '', 1e30)",
    )
    for (const node of cluster.nodes) if (node !== primary) await caughtUp(primary, node)
  })
  after(() => end(cluster))

  const read = (): Promise<Divergence> => cluster.manager.get(`${server}/divergence`)
  const plan = (action: string): Promise<DivergencePlan> => cluster.manager.get(`${server}/divergence/plan/${action}`)
  const settle = (action: string, id = '') =>
    cluster.manager.post(`${server}/actions/settle-divergence/${action}?wait=true&confirm=${encodeURIComponent(id)}`)
  const write = async (...statements: readonly string[]) => {
    for (const sql of statements) await errant.sql(sql)
    await eventually(async () => (await read()).kind === 'errant', 'they are seen')
  }
  /** Nothing is errant, all replicate what is written now, and all rows are equal. */
  const expectEqual = async () => {
    const writers = load(cluster, { count: 2, first: 100 + Math.floor(performance.now()) })
    await progress(writers, 10)
    await writers.stop()
    await cluster.convergesOn(primary)
    expect((await read()).kind).to.equal('none')
    const sums = await Promise.all(
      cluster.nodes.map(async (node) => String((await node.sql('CHECKSUM TABLE spec.things'))[0]?.Checksum)),
    )
    expect(new Set(sums).size, sums.join(', ')).to.equal(1)
  }

  it('are listed by table and key, with the rows before and after, and who wrote them when', async () => {
    await write(
      "INSERT INTO spec.things VALUES (7, 'new\nline \\\\ back', 'Übel', -3.25, x'C0', '2026-11-23 16:00:00.5', '2026-11-24', 'a', 'y', -1.5)",
      "UPDATE spec.things SET word = 'changed', at = '2026-11-23 15:04:59.999' WHERE id = 1",
      'DELETE FROM spec.things WHERE id = 4000000000',
    )
    const found = await read()
    expect(shown(found)).to.deep.equal([
      'insert spec.things {"id":"7"}  "new\\nline \\\\ back"',
      'update spec.things {"id":"1"} "żółw" "changed"',
      'delete spec.things {"id":"4000000000"} "it\'s" ',
    ])
    expect(found.tables).to.deep.equal([{ table: 'spec.things', inserted: 1, updated: 1, deleted: 1 }])
    expect(found.missing).to.equal('')
    const [first] = found.transactions
    expect(first?.serverId).to.equal(Number(await errant.value('SELECT @@server_id')))
    expect(first?.statements[0]).to.match(/^INSERT INTO spec\.things VALUES \(7/)
    expect(Math.abs((first?.at ?? 0) - Date.now())).to.be.below(120_000)
    expect(first?.rows[0]?.after).to.include({ price: '-3.25', bytes: '0xc0', at: '2026-11-23T16:00:00.500Z' })
  })

  it('are undone and applied by the SQL that the manager writes', async () => {
    const client = async (sql: string): Promise<void> => {
      const { host, port, user, password } = errant.target()
      const login = ['--no-defaults', `--host=${host}`, `--port=${port}`, `--user=${user}`, `--password=${password}`]
      const args = [...login, '--skip-ssl', '--binary-mode', '-e', `SET SESSION sql_log_bin = 0; ${sql}`]
      await promisify(execFile)('mariadb', args)
    }
    const sum = async (node: Node) => String((await node.sql('CHECKSUM TABLE spec.things'))[0]?.Checksum)
    const before = await sum(errant)
    const admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    const sqlOf = async (direction: string) => (await admin.ask(`${server}/divergence/sql/${direction}`)).text
    await client(await sqlOf('undo'))
    expect(await sum(errant)).to.equal(await sum(primary))
    await client(await sqlOf('apply'))
    expect(await sum(errant)).to.equal(before)
  })

  it('are not applied while a row of the primary is another one, nor without the id of the plan', async () => {
    await primary.sql(
      "SET SESSION sql_log_bin = 0; UPDATE spec.things SET word = 'other' WHERE id = 1; SET SESSION sql_log_bin = 1",
    )
    const { conflicts, id } = await plan('apply')
    expect(conflicts).to.have.length(1)
    expect(conflicts[0]).to.include('the row is another one by now')
    expect((await settle('apply', id)).status).to.equal(409)
    await primary.sql(
      "SET SESSION sql_log_bin = 0; UPDATE spec.things SET word = 'żółw' WHERE id = 1; SET SESSION sql_log_bin = 1",
    )
    const refused = await cluster.manager.post(`${server}/actions/settle-divergence/apply?wait=true`)
    expect(refused.status, refused.body).to.equal(409)
    expect(refused.body).to.include('confirm=')
    expect(await primary.value('SELECT COUNT(*) FROM spec.things WHERE id = 7')).to.equal('0')
  })

  it('are executed by the primary and reach the others, not the server that wrote them', async () => {
    const { id, conflicts } = await plan('apply')
    expect(conflicts).to.deep.equal([])
    const done = await settle('apply', id)
    expect(done.status, `${done.body}\n${cluster.manager.log().slice(-3_000)}`).to.equal(200)
    expect(await primary.value('SELECT word FROM spec.things WHERE id = 7')).to.equal('new\nline \\ back')
    await expectEqual()
    expect((await settle('apply', id)).status, 'a second time').to.equal(409)
  })

  it('are undone where they were written', async () => {
    await write('DELETE FROM spec.things WHERE id = 7', "INSERT INTO spec.things (id, word) VALUES (8, 'eight')")
    const { id } = await plan('undo')
    const done = await settle('undo', id)
    expect(done.status, `${done.body}\n${cluster.manager.log().slice(-3_000)}`).to.equal(200)
    await expectEqual()
    expect(await errant.value('SELECT COUNT(*) FROM spec.things WHERE id = 8')).to.equal('0')
  })

  it('are neutralised: their rows stay, and they are in the way of nothing any more', async () => {
    await write('CREATE TABLE spec.private (a INT)')
    const refused = await plan('apply')
    expect(refused).to.include({ possible: false })
    expect(refused.refusal).to.include('CREATE TABLE')
    const { id } = await plan('neutralise')
    const done = await settle('neutralise', id)
    expect(done.status, `${done.body}\n${cluster.manager.log().slice(-3_000)}`).to.equal(200)
    await expectEqual()
    expect(await errant.sql("SHOW TABLES FROM spec LIKE 'private'")).to.have.length(1)
  })
})

describe('lost transactions of an old primary', () => {
  let cluster: ProtectedCluster
  after(() => end(cluster))

  it('are seen in what was saved, applied to the new primary, and still seen when the old one is back', async () => {
    cluster = await startProtectedCluster({ options: durable })
    const writers = load(cluster, { count: 2 })
    await progress(writers, 20)
    await writers.stop()
    await (await cluster.primary()).sql('INSERT INTO spec.acknowledged VALUES (900, 1), (900, 2)')
    const { old, next } = await diverge(cluster, [
      'INSERT INTO spec.acknowledged VALUES (1000, 1), (1000, 2)',
      'DELETE FROM spec.acknowledged WHERE writer = 900',
    ])
    old.start()
    await old.waitUp()
    await cluster.opens('WARN0186')
    const server = `/api/clusters/story/servers/${await idOf(cluster, old)}`
    const read = (): Promise<Divergence> => cluster.manager.get(`${server}/divergence`)
    await eventually(async () => (await read()).saved !== undefined, 'it is saved')
    const lost = await read()
    expect(lost.kind).to.equal('lost')
    expect(lost.tables).to.deep.equal([{ table: 'spec.acknowledged', inserted: 2, updated: 0, deleted: 2 }])
    const plan: DivergencePlan = await cluster.manager.get(`${server}/divergence/plan/apply`)
    const target = `${server}/actions/settle-divergence/apply?wait=true&confirm=${encodeURIComponent(plan.id)}`
    const done = await cluster.manager.post(target)
    expect(done.status, `${done.body}\n${cluster.manager.log().slice(-3_000)}`).to.equal(200)
    expect(await next.value('SELECT COUNT(*) FROM spec.acknowledged WHERE writer = 1000')).to.equal('2')
    const again = await cluster.manager.post(target)
    expect(again.status, again.body).to.equal(409)
    await old.stop()
    await eventually(async () => (await read()).kind === 'saved', 'what is saved is shown')
    expect((await read()).tables).to.deep.equal(lost.tables)
  })
})
