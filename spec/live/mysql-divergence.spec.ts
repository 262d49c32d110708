// The story of errant transactions on MySQL: executed by the primary under their own GTIDs, undone, or committed empty.
import { expect } from 'chai'
import type { Divergence, DivergencePlan } from '../../lib/model/operation/divergence.js'
import { caughtUp } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { findVersion, toolOfMysql9 } from '../support/databases/versions.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { durable, end, load, progress } from '../support/stories/story.js'
import { idOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const mysql = await findVersion('mysql-9')

if (!mysql.available) absent('errant transactions of a replica of MySQL', mysql.reason)
else
  describe('errant transactions of a replica of MySQL', () => {
    let cluster: ProtectedCluster
    let primary: Node
    let errant: Node
    let server: string
    before(async () => {
      cluster = await startProtectedCluster({
        count: 2,
        software: 'mysql-9',
        options: [...durable, '--binlog-rows-query-log-events=ON'],
        defaults: { 'backup-mysqlbinlog-path': await toolOfMysql9('mysqlbinlog', newDirectory('tools')) },
      })
      primary = await cluster.primary()
      errant = cluster.nodes.find((node) => node !== primary) ?? primary
      server = `/api/clusters/story/servers/${await idOf(cluster, errant)}`
      await primary.sql(
        'CREATE TABLE spec.things (id BIGINT UNSIGNED PRIMARY KEY, word VARCHAR(40), doc JSON, b BINARY(4), bits BIT(5))',
      )
      await primary.sql(
        `INSERT INTO spec.things VALUES (1, 'żółw', '{"k": [1, "x"]}', x'00FF', b'101'), (2, 'two', NULL, NULL, NULL)`,
      )
      await caughtUp(primary, errant)
    })
    after(() => end(cluster))

    const read = (): Promise<Divergence> => cluster.manager.get(`${server}/divergence`)
    const plan = (action: string): Promise<DivergencePlan> => cluster.manager.get(`${server}/divergence/plan/${action}`)
    const settle = async (action: string): Promise<void> => {
      const { id, conflicts } = await plan(action)
      expect(conflicts).to.deep.equal([])
      const target = `${server}/actions/settle-divergence/${action}?wait=true&confirm=${encodeURIComponent(id)}`
      const { status, body } = await cluster.manager.post(target)
      expect(status, `${body}\n${cluster.manager.log().slice(-3_000)}`).to.equal(200)
      expect((await cluster.manager.post(target)).status, 'a second time').to.equal(409)
    }
    const write = async (...statements: readonly string[]) => {
      // The manager may close it again in between.
      const isWritten = async (sql: string) => {
        await errant.sql('SET GLOBAL super_read_only = OFF')
        const refusal = await errant.sql(sql).then(
          () => '',
          ({ message }: Error) => message,
        )
        expect(refusal).to.match(/^$|super-read-only/)
        return refusal === ''
      }
      for (const sql of statements) await eventually(() => isWritten(sql), sql)
      await eventually(async () => (await read()).kind === 'errant', 'they are seen')
    }
    const expectEqual = async (first: number) => {
      const writers = load(cluster, { count: 2, first })
      await progress(writers, 10)
      await writers.stop()
      await cluster.convergesOn(primary)
      expect((await read()).kind).to.equal('none')
      const [mine, theirs] = await Promise.all([primary, errant].map((node) => node.sql('CHECKSUM TABLE spec.things')))
      expect(mine?.[0]?.Checksum).to.equal(theirs?.[0]?.Checksum)
    }

    it('are listed, and executed by the primary under their own GTIDs', async () => {
      await write(
        `INSERT INTO spec.things VALUES (18446744073709551615, 'new\\nline', '[true, null]', x'C0', b'00011')`,
        `UPDATE spec.things SET word = 'changed', doc = '{"k": 2}' WHERE id = 1`,
        'DELETE FROM spec.things WHERE id = 2',
      )
      const { transactions, tables, extra } = await read()
      expect(tables).to.deep.equal([{ table: 'spec.things', inserted: 1, updated: 1, deleted: 1 }])
      expect(transactions[0]?.rows[0]?.key).to.deep.equal({ id: '18446744073709551615' })
      expect(transactions[1]?.statements[0]).to.match(/^UPDATE spec\.things SET word/)
      expect(transactions[1]?.thread).to.be.a('number')
      await settle('apply')
      expect(await primary.value(`SELECT GTID_SUBSET('${extra}', @@GLOBAL.gtid_executed)`)).to.equal('1')
      expect(await primary.value('SELECT word FROM spec.things WHERE id = 1')).to.equal('changed')
      await expectEqual(100)
    })

    it('are undone where they were written', async () => {
      await write("UPDATE spec.things SET word = 'wrong'", "INSERT INTO spec.things (id, word) VALUES (8, 'eight')")
      await settle('undo')
      await expectEqual(200)
      expect(await errant.value("SELECT COUNT(*) FROM spec.things WHERE word = 'wrong' OR id = 8")).to.equal('0')
    })

    it('are neutralised by empty transactions: their rows stay', async () => {
      await write('CREATE TABLE spec.alone (a INT PRIMARY KEY)')
      expect((await plan('apply')).possible).to.equal(false)
      await settle('neutralise')
      await expectEqual(300)
      expect(await errant.sql("SHOW TABLES FROM spec LIKE 'alone'")).to.have.length(1)
    })
  })
