// Plans of sampled statements and the ends of running ones, on real servers: nothing changes, and only who is meant ends.
import { expect } from 'chai'
import { ok, unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../../lib/connect/sql/session.js'
import { type Dialect, dialectFor, identify, parseIdentity, type Rows } from '../../../../lib/dialect/index.js'
import { followSteps } from '../../../../lib/dialect/reads/follow.js'
import { digestOf, normaliseStatement } from '../../../../lib/dialect/reads/statement-text.js'
import { findThreads } from '../../../../lib/effect/statements/kill.js'
import { askPlan } from '../../../../lib/effect/statements/plan.js'
import { type Databases, type Node, startDatabases } from '../../../support/databases/database.js'
import { needSoftware } from '../../../support/databases/versions.js'
import { eventually } from '../../../support/wait.js'

const limitMs = 30_000

const observed = {
  mariadb: [
    ...['--performance-schema=ON', '--performance-schema-consumer-events-statements-current=ON'],
    '--performance-schema-consumer-events-statements-history-long=ON',
  ],
  mysql: ['--performance-schema=ON', '--performance-schema-digests-size=200'],
} as const

for (const software of ['mariadb', 'mysql-9'] as const)
  describe(`statements of ${software}`, () => {
    const flavour = software === 'mysql-9' ? 'mysql' : 'mariadb'
    let databases: Databases | undefined
    let node: Node
    let session: SqlSession
    let dialect: Dialect

    before(async function () {
      await needSoftware(this, software)
      databases = await startDatabases({ count: 1, prefix: 'plans', software, options: [...observed[flavour]] })
      node = databases.node(0)
      await node.sql('CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, note TEXT)')
      await node.sql("INSERT INTO shop.orders VALUES (1, 'one'), (2, 'two')")
      await node.sql('CREATE TABLE shop.marks (id INT PRIMARY KEY AUTO_INCREMENT, word TEXT)')
      await node.sql(
        "CREATE FUNCTION shop.mark() RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO shop.marks (word) VALUES ('x'); RETURN 1; END",
      )
      await node.sql('CREATE VIEW shop.marking AS SELECT shop.mark() AS m FROM shop.orders')
      for (const made of [
        'shop.twice(p INT) RETURNS INT DETERMINISTIC RETURN p * 2',
        'shop.newest() RETURNS INT READS SQL DATA BEGIN DECLARE n INT; SELECT MAX(id) INTO n FROM orders; RETURN n; END',
        'shop.through() RETURNS INT DETERMINISTIC RETURN shop.twice(1) + shop.mark()',
        'shop.waits() RETURNS INT DETERMINISTIC BEGIN DO SLEEP(30); RETURN 1; END',
        'shop.turns() RETURNS INT DETERMINISTIC BEGIN SET GLOBAL long_query_time = 77; RETURN 1; END',
        // On the server, SLEEP alone is its own.
        'shop.sleep(p INT) RETURNS INT DETERMINISTIC RETURN p',
      ])
        await node.sql(`CREATE FUNCTION ${made}`)
      await node.sql('CREATE VIEW shop.doubled AS SELECT shop.twice(id) AS d FROM shop.orders')
      await node.sql('CREATE VIEW shop.nested AS SELECT m FROM shop.marking')
      await node.sql('CREATE VIEW shop.named AS SELECT UPPER(note) AS note FROM shop.orders')
      await node.sql('CREATE TRIGGER shop.marked BEFORE UPDATE ON shop.orders FOR EACH ROW SET @marked = 1')
    })
    beforeEach(async () => {
      session = unwrap(await openSession(node.target('monitor')))
      const { sql, values } = identify
      dialect = dialectFor(parseIdentity(unwrap(await session.run(sql, values, limitMs))).identity)
    })
    afterEach(() => session?.close())
    after(() => databases?.teardown())

    const plan = async (statement: string, run = false, schema = 'shop') => {
      const answer = await askPlan(session, { name: 'db1', dialect }, { statement, run, schema })
      return answer.ok ? answer.value : `${answer.failure.code} ${answer.failure.message}`
    }
    const tables = (rows: Rows | string): readonly unknown[] =>
      typeof rows === 'string' ? [rows] : rows.map(({ table }) => table)
    const content = () =>
      node.sql('SELECT id, note FROM shop.orders UNION ALL SELECT id, word FROM shop.marks ORDER BY 1')

    const explained: readonly [statement: string, table: string][] = [
      ["SELECT * FROM orders WHERE note = 'one'", 'orders'],
      ['SELECT * FROM shop.orders WHERE id = 1 FOR UPDATE', 'orders'],
      ['SELECT COUNT(*) FROM named', 'orders'],
      ["UPDATE orders SET note = 'x;y' WHERE id > 0", 'orders'],
      ['DELETE FROM orders WHERE id > 0', 'orders'],
      ["INSERT INTO orders (id, note) VALUES (9, 'nine')", 'orders'],
      ["REPLACE INTO orders VALUES (1, 'new')", 'orders'],
      ['WITH c AS (SELECT id FROM orders) SELECT c.id FROM c JOIN orders o ON o.id = c.id', 'o'],
      ['EXPLAIN SELECT * FROM orders;', 'orders'],
      ['SELECT /*+ NO_RANGE_OPTIMIZATION(orders) MAX_EXECUTION_TIME(0) */ * FROM orders USE INDEX (PRIMARY)', 'orders'],
      ['SELECT /*!40001 SQL_NO_CACHE */ * FROM orders /*M!100100 WHERE id > 0 */', 'orders'],
      ['SELECT twice(id), newest() FROM orders WHERE id < shop.twice(1)', 'orders'],
      ['SELECT sleep(60) FROM orders', 'orders'],
      ['SELECT d FROM doubled', 'orders'],
      ['UPDATE orders SET note = twice(id) WHERE id = newest()', 'orders'],
    ]
    for (const [statement, table] of explained)
      it(`explains without a change: ${statement}`, async () => {
        const before = await content()
        expect(tables(await plan(statement))).to.include(table)
        expect(await content()).to.deep.equal(before)
      })

    it('reports what a read met, in the schema it ran in', async () => {
      expect(await plan('SELECT * FROM orders', false, '')).to.match(/^sql-failed .*database/i)
      expect(await plan('SELECT * FROM orders', false, 'nowhere')).to.match(/^sql-failed .*nowhere/)
      const rows = await plan('SELECT * FROM orders WHERE id > 0', true)
      if (typeof rows === 'string') throw new Error(rows)
      const row = rows.find(({ table }) => table === 'orders')
      expect(Number(row?.r_rows)).to.equal(2)
      const called = await plan('SELECT sleep(60) FROM orders WHERE id < twice(9)', true)
      expect(
        tables(called).some((table) => table === 'orders'),
        JSON.stringify(called),
      ).to.equal(true)
    })

    it('runs nothing that changes data, regardless of the caller', async () => {
      const before = await content()
      for (const statement of [
        "UPDATE orders SET note = 'x'",
        'SELECT * FROM orders FOR UPDATE',
        'SELECT mark()',
        'SELECT * FROM orders WHERE id = shop.mark()',
        'SELECT * FROM marking',
        'SELECT * FROM nested',
        'SELECT 1; DELETE FROM orders',
      ])
        expect(await plan(statement, true), statement).to.match(/^unsafe-statement /)
      for (const statement of [
        'SELECT * FROM nested',
        'SELECT * FROM (SELECT mark()) x',
        'INSERT INTO marks SELECT mark(), 1',
        'SELECT waits()',
        // A name that was resolved as a view is still resolved as a function.
        'SELECT m AS mark FROM nested',
        'SELECT m AS `mark`, twice(1) FROM nested',
        'SELECT * FROM orders WHERE id = turns()',
        'SELECT * FROM orders WHERE id = nowhere.twice(1)',
        'SELECT /*! mark(), */ id FROM orders',
      ])
        expect(await plan(statement), statement).to.match(/^unsafe-statement /)
      expect(await plan('SELECT through()')).to.match(
        /^unsafe-statement the stored function shop.mark does more than compute and read: INSERT/,
      )
      expect(Number(await node.value('SELECT @@GLOBAL.long_query_time'))).to.not.equal(77)
      expect(await content()).to.deep.equal(before)
    })

    it('has the server refuse what gets past the judgement', async () => {
      unwrap(await session.run(`USE shop; ${dialect.readSession(5_000)}; START TRANSACTION READ ONLY`, [], limitMs))
      for (const [statement, why] of [
        ['SELECT shop.mark()', /READ ONLY/i],
        ["EXPLAIN UPDATE orders SET note = 'x'", /READ ONLY/i],
        ['SELECT 1; DELETE FROM orders', /syntax/i],
      ] as const) {
        const prepared = await session.run('PREPARE manager_plan FROM ?', [statement], limitMs)
        const answer = prepared.ok ? await session.run('EXECUTE manager_plan', [], limitMs) : prepared
        expect(answer.ok ? 'it ran' : answer.failure.message, statement).to.match(why)
      }
    })

    it('ends what runs for too long, automatically', async () => {
      const many = Array.from({ length: 12 }, (_, index) => `orders AS o${index}, marks AS m${index}, `).join('')
      await node.sql('INSERT INTO shop.marks (word) VALUES (1), (2), (3), (4), (5), (6)')
      unwrap(await session.run('SELECT 1', [], limitMs))
      const short: Dialect = { ...dialect, readSession: () => dialect.readSession(2_000) }
      const request = { statement: `SELECT COUNT(*) FROM ${many} orders WHERE RAND() > 2`, run: true, schema: 'shop' }
      const answer = await askPlan(session, { name: 'db1', dialect: short }, request)
      // MySQL answers what it has met by then.
      if (flavour === 'mysql') expect(answer.ok && answer.value.length).to.be.above(0)
      else expect(answer.ok ? 'it ended' : answer.failure.message).to.match(/max_statement_time/)
      await node.sql('DELETE FROM shop.marks')
    })

    const sample = async (digest: string, schema?: string) => {
      const request = { digest, ...(schema === undefined ? {} : { schema }) }
      const last = unwrap(
        await followSteps(dialect.queries.sample(request), async ({ sql, values }) =>
          ok(unwrap(await session.run(sql, values, limitMs))[0] ?? []),
        ),
      )
      return last.type === 'rows' ? last.rows[0] : last.type === 'refuse' ? last.reason : last.type
    }
    const digestLike = async (pattern: string): Promise<string> =>
      String(
        (
          await node.sql(
            `SELECT DIGEST FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE '${pattern}' LIMIT 1`,
          )
        )[0]?.DIGEST ?? '',
      )

    it('samples a statement with its values and schema', async () => {
      const client = unwrap(await openSession(node.target()))
      await client.run('USE shop', [], limitMs)
      await client.run("SELECT note FROM orders WHERE note = 'sampled'", [], limitMs)
      client.close()
      const like = 'SELECT `note` FROM `orders` WHERE `note` = ?%'
      const digest = await eventually(() => digestLike(like), 'the digest is known')
      expect(await sample(digest)).to.include({
        schema_name: 'shop',
        statement: "SELECT note FROM orders WHERE note = 'sampled'",
      })
      expect(await sample(digest, 'other')).to.match(/keeps no sample/)
      expect(await sample('0'.repeat(32))).to.match(/knows no digest 0+$/)
    })

    it('says of a sample that was cut off what to raise', async () => {
      const client = unwrap(await openSession(node.target()))
      const long = `SELECT note FROM shop.orders WHERE note IN ('${'x'.repeat(5_000)}', 'cut')`
      await client.run(long, [], limitMs)
      client.close()
      const like = 'SELECT `note` FROM `shop` . `orders` WHERE `note` IN%'
      const digest = await eventually(() => digestLike(like), 'the digest is known')
      expect(await sample(digest)).to.match(/cut off after \d+ bytes: raise performance_schema_max_sql_text_length/)
    })

    it('finds who runs a digest, by the performance schema and by the text, and lets go of whom it must', async () => {
      const client = unwrap(await openSession(node.target()))
      await client.run("SELECT SLEEP(0), 'before'", [], limitMs)
      const statement = "SELECT SLEEP(60), 'mine'"
      const running = client.run(statement, [], 90_000)
      try {
        const find = async (target: string, protectedUsers: readonly string[] = []) =>
          unwrap(await findThreads(session, dialect, { target, protectedUsers })).filter(
            ({ id }) => id === client.threadId,
          )
        const byText = digestOf(normaliseStatement(statement))
        await eventually(async () => (await find(byText)).length === 1, 'the thread is found by its text')
        const byEvent = await digestLike('SELECT%SLEEP%')
        await eventually(async () => (await find(byEvent)).length === 1, 'the thread is found by its digest')
        const [thread] = await find(`${client.threadId}`)
        expect(thread).to.include({ user: 'root', command: 'Query', info: statement })
        expect(await find(digestOf('SELECT SLEEP(?),?, other'))).to.deep.equal([])
        expect((await find(byText, ['root']))[0]?.refusal).to.match(/^of root, which/)
        const { sql, values } = dialect.queries.endStatement({
          id: client.threadId,
          ...(thread?.queryId === undefined ? {} : { queryId: thread.queryId }),
        })
        unwrap(await session.run(sql, values, limitMs))
        await running
        expect(client.open).to.equal(true)
      } finally {
        client.close()
      }
    })
  })
