// Every read on real servers of every version, with the plugins and logs it reads; and the parsing of texts.
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { errorNumber } from '../../../lib/connect/sql/failures.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'
import {
  type Dialect,
  dialectFor,
  identify,
  parseIdentity,
  type Rows,
  type Statement,
  serverReads,
} from '../../../lib/dialect/index.js'
import { parseEngineStatus } from '../../../lib/dialect/reads/engine-status.js'
import { parseErrorLog, parseSqlErrors } from '../../../lib/dialect/reads/error-log.js'
import { maskSecrets } from '../../../lib/dialect/reads/mask.js'
import type { ReadStep, ServerRead } from '../../../lib/dialect/reads/read.js'
import { parseSlowLog, summariseSlow } from '../../../lib/dialect/reads/slow-log.js'
import { normaliseStatement } from '../../../lib/dialect/reads/statement-text.js'
import { type Databases, type Node, startDatabases } from '../../support/databases/database.js'
import { needSoftware } from '../../support/databases/versions.js'
import { eventually } from '../../support/wait.js'

const limitMs = 60_000

const observed = {
  mariadb: [
    ...['--performance-schema=ON', '--plugin-load-add=query_response_time', '--plugin-load-add=metadata_lock_info'],
    ...['--query-response-time-stats=ON', '--plugin-load-add=sql_errlog'],
  ],
  mysql: ['--performance-schema-digests-size=200'],
} as const
const logged = ['--slow-query-log=ON', '--long-query-time=0', '--log-output=TABLE']

for (const software of ['mariadb', 'mariadb-11.8', 'mysql-9'] as const)
  describe(`reads of ${software}`, () => {
    const flavour = software === 'mysql-9' ? 'mysql' : 'mariadb'
    let databases: Databases | undefined
    let node: Node
    let session: SqlSession
    let dialect: Dialect

    before(async function () {
      await needSoftware(this, software)
      const options = [...observed[flavour], ...logged]
      databases = await startDatabases({ count: 1, prefix: 'reads', software, options })
      node = databases.node(0)
      session = unwrap(await openSession(node.target('monitor')))
      const { sql, values } = identify
      dialect = dialectFor(parseIdentity(unwrap(await session.run(sql, values, limitMs))).identity)
      unwrap(await session.run(dialect.readSession(1_000), [], limitMs))
      await node.sql('CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, note TEXT)')
      await node.sql("INSERT INTO shop.orders VALUES (1, 'one'), (2, 'two')")
      await node.sql('ANALYZE TABLE shop.orders')
      for (const note of ['one', 'two']) await node.sql(`SELECT * FROM shop.orders WHERE note = '${note}'`)
    })
    after(async () => {
      session?.close()
      await databases?.teardown()
    })

    /** Where a read ends. */
    const follow = async (what: ServerRead, rows = 50): Promise<ReadStep> => {
      let step = dialect.read(what, { rows, idle: false })
      while (step.type === 'ask') {
        const { sql, values } = step.statement
        const answer: Rows = unwrap(await session.run(sql, values, limitMs))[0] ?? []
        step = step.next?.(answer) ?? { type: 'rows', rows: answer }
      }
      return step
    }
    const read = async (what: ServerRead, rows?: number): Promise<Rows> => {
      const last = await follow(what, rows)
      if (last.type !== 'rows') throw new Error(`${what} ends with ${JSON.stringify(last)}`)
      return last.rows
    }

    for (const what of serverReads)
      it(`understands ${what}`, async () => {
        expect((await follow(what)).type).to.be.oneOf(['rows', 'files'])
      })

    it('reads status and variables in full', async () => {
      expect((await read('status')).length).to.be.above(200)
      expect((await read('variables')).length).to.be.above(400)
    })

    it("reads figures from the monitor's text", async () => {
      const names = (await read('engine-status')).map((row) => row.Variable_name)
      expect(names).to.include.members([
        'HISTORY_LIST_LENGTH',
        'LOG_SEQUENCE_NUMBER',
        'DATABASE_PAGES',
        'OS_FILE_READS',
      ])
    })

    it('reads the sizes of tables, and the names of schemas', async () => {
      const [orders] = await read('tables')
      expect(orders).to.include({ table_schema: 'shop', table_name: 'orders', engine: 'InnoDB' })
      expect([Number(orders?.table_rows), Number(orders?.data_length)]).to.deep.equal([2, 16_384])
      expect(await read('schemas')).to.deep.equal([{ name: 'shop' }])
    })

    it('reads the sizes of many tables without opening them', async () => {
      const first = dialect.read('tables', { rows: 10, idle: false })
      const many = first.type === 'ask' ? first.next?.([{ tables: 100_000 }]) : undefined
      if (many?.type !== 'ask') throw new Error('nothing is asked')
      expect(many.statement.sql).to.not.contain('information_schema')
      const { sql, values } = many.statement
      const rows = unwrap(await session.run(sql, values, limitMs))[0] ?? []
      const orders = rows.find((row) => row.table_name === 'orders')
      expect([Number(orders?.table_rows), Number(orders?.data_length)]).to.deep.equal([2, 16_384])
    })

    it('shows running statements without their passwords, sleeping sessions only when asked to', async () => {
      const slow = unwrap(await openSession(node.target()))
      const running = slow.run("SELECT SLEEP(60), PASSWORD = 'geheim' FROM (SELECT 'x' AS PASSWORD) p", [], 60_000)
      let rows: Rows = []
      const ours = () => rows.find((row) => /SLEEP/.test(String(row.info)) && row.user === 'root')
      await eventually(async () => {
        rows = await read('processlist')
        return ours()
      }, 'it is shown')
      const shown = ours()
      expect(String(shown?.info))
        .to.match(/SLEEP/)
        .and.not.match(/geheim/)
      expect(rows.filter(({ command }) => command === 'Sleep')).to.deep.equal([])
      await session.run('KILL QUERY ?', [Number(shown?.id)], limitMs)
      await running
      const first = dialect.read('processlist', { rows: 50, idle: true })
      const { sql, values } = first.type === 'ask' ? first.statement : { sql: '', values: [] }
      const all = unwrap(await session.run(sql, values, limitMs))[0] ?? []
      expect(all.some(({ command }) => command === 'Sleep')).to.equal(true)
      slow.close()
    })

    it('shows the holders of metadata locks', async () => {
      const holder = unwrap(await openSession(node.target()))
      await holder.run('BEGIN; SELECT * FROM shop.orders', [], limitMs)
      const locks = await read('metadata-locks')
      const own = locks.filter((row) => Number(row.thread_id) === holder.threadId)
      expect(own.some((row) => row.lock_schema === 'shop' && row.lock_name === 'orders')).to.equal(true)
      holder.close()
    })

    it('lists the sessions that hold what another thread waits for, and those that commit', async () => {
      const [holder, waiter] = [unwrap(await openSession(node.target())), unwrap(await openSession(node.target()))]
      await holder.run('LOCK TABLES shop.orders READ', [], limitMs)
      const waiting = waiter.run("UPDATE shop.orders SET note = 'late'", [], 60_000)
      const ask = async ({ sql, values }: Statement) => unwrap(await session.run(sql, values, limitMs))[0] ?? []
      await eventually(
        async () =>
          (await ask(dialect.lockSessions())).some(({ state }) => state === 'Waiting for table metadata lock'),
        'one waits',
      )
      expect((await ask(dialect.lockHolders())).map(({ id }) => Number(id))).to.include(holder.threadId)
      expect(await ask(dialect.commitsUnderWay())).to.deep.equal([])
      holder.close()
      await waiting
      waiter.close()
    })

    it('shows who waits for a row lock, and for whom', async () => {
      const [holder, waiter] = [unwrap(await openSession(node.target())), unwrap(await openSession(node.target()))]
      await holder.run("BEGIN; UPDATE shop.orders SET note = 'held'", [], limitMs)
      const waiting = waiter.run("UPDATE shop.orders SET note = 'late' /* IDENTIFIED BY 'geheim' */", [], 60_000)
      // InnoDB fills its list of transactions again only when nobody has read it for 100 ms.
      const row = await eventually(
        async () => (await read('lock-waits')).find((each) => Number(each.waiting_thread) === waiter.threadId),
        'the wait is shown',
        { everyMs: 250 },
      )
      expect(Number(row.blocking_thread)).to.equal(holder.threadId)
      expect(Number(row.blocking_rows)).to.be.above(0)
      expect(String(row.lock_table)).to.match(/`shop`\.`orders`/)
      expect(String(row.waiting_statement)).to.match(/IDENTIFIED BY '\*:\*'/)
      await holder.run('ROLLBACK', [], limitMs)
      holder.close()
      await waiting
      waiter.close()
      await node.sql(
        "UPDATE shop.orders SET note = 'one' WHERE id = 1; UPDATE shop.orders SET note = 'two' WHERE id = 2",
      )
    })

    it('counts statements by their duration', async () => {
      const rows = await read('response-times')
      expect(rows.length).to.be.above(2)
      expect(rows.reduce((sum, row) => sum + Number(row.count), 0)).to.be.above(5)
      expect(Number(rows.at(0)?.time)).to.be.within(1e-7, 1)
    })

    it('reads which statements take most time', async () => {
      const digests = await read('digests')
      const selects = digests.find((row) => /FROM `shop` ?. ?`orders` WHERE `note`/.test(String(row.digest_text)))
      expect(Number(selects?.executions)).to.equal(2)
      expect(Number(selects?.rows_sent)).to.equal(2)
      expect(Number(selects?.full_scans)).to.be.above(0)
      const times = digests.map((row) => Number(row.seconds))
      expect(times).to.deep.equal(times.toSorted((left, right) => right - left))
      expect(await read('digests', 1)).to.have.lengthOf(1)
    })

    it('reads the slow log from its table', async () => {
      const entries = await read('slow-queries')
      const selects = entries.filter((row) => row.digest_text === 'SELECT * FROM shop.orders WHERE note=?')
      expect(selects.map(({ statement }) => statement)).to.deep.equal(
        ['two', 'one'].map((note) => `SELECT * FROM shop.orders WHERE note = '${note}'`),
      )
      const [group] = summariseSlow(selects)
      expect(group).to.include({ executions: 2, rows_sent: 2, rows_examined: 4 })
      expect(await read('slow-queries', 1)).to.have.lengthOf(1)
    })

    it('knows where logs are', async () => {
      await node.sql("SET GLOBAL log_output='FILE'")
      const slow = await follow('slow-queries')
      expect(slow.type === 'files' && slow.files[0]?.path).to.match(/^\/.*\/data\/.*slow\.log$/)
      await node.sql("SET GLOBAL log_output='NONE'")
      expect(await read('slow-queries')).to.deep.equal([])
      await node.sql("SET GLOBAL log_output='TABLE'")
      const errors = await follow('error-log')
      if (flavour === 'mysql') expect(errors.type === 'rows' && errors.rows[0]).to.include.keys('at', 'level', 'text')
      else expect(errors.type === 'files' && errors.files.at(-1)?.path).to.match(/\/data\/sql_errors\.log$/)
    })

    it('stays within its limits, writes nothing, and is not in the slow log', async () => {
      const numbers = '(SELECT a.ID FROM information_schema.COLLATIONS a, information_schema.COLLATIONS b)'
      const long = await session.run(`SELECT COUNT(*) FROM ${numbers} a, ${numbers} b`, [], limitMs)
      expect(long.ok === false && errorNumber(long.failure)).to.be.oneOf([1969, 3024])
      const write = await session.run('DELETE FROM shop.orders', [], limitMs)
      expect(write.ok === false && errorNumber(write.failure)).to.equal(1792)
      const entries = await read('slow-queries', 1_000)
      expect(entries.filter((row) => /COLLATIONS/.test(String(row.statement)))).to.deep.equal([])
    })

    it('reports what to do about a missing plugin', () => {
      expect(dialect.readRefusal('metadata-locks', 1109)).to.equal(
        flavour === 'mysql'
          ? undefined
          : "the plugin METADATA_LOCK_INFO is not installed: INSTALL SONAME 'metadata_lock_info'",
      )
    })
  })

describe('maskSecrets', () => {
  for (const [statement, masked] of [
    ["CREATE USER a@b IDENTIFIED BY 'it''s'", "CREATE USER a@b IDENTIFIED BY '*:*'"],
    ["ALTER USER a IDENTIFIED WITH sha2 BY 'x' REPLACE 'y'", "ALTER USER a IDENTIFIED WITH sha2 BY '*:*' REPLACE 'y'"],
    ["SET PASSWORD FOR a@b = PASSWORD('x')", "SET PASSWORD FOR a@b = PASSWORD('*:*')"],
    [
      "CHANGE MASTER TO MASTER_HOST='h', MASTER_PASSWORD='x\\'y'",
      "CHANGE MASTER TO MASTER_HOST='h', MASTER_PASSWORD='*:*'",
    ],
    ["SELECT * FROM t WHERE note = 'x'", "SELECT * FROM t WHERE note = 'x'"],
    ["CREATE USER a IDENTIFIED BY 'cut of", "CREATE USER a IDENTIFIED BY '*:*'"],
  ] as const)
    it(`turns ${statement}`, () => {
      expect(maskSecrets(statement)).to.equal(masked)
    })
})

describe('normaliseStatement', () => {
  for (const [statement, text] of [
    ["SELECT * FROM t WHERE a = 'x' AND b=-1.5e3", 'SELECT * FROM t WHERE a=? AND b=?'],
    ["select 1 -- why\n, 'it''s', \"q\\\"\" /* so */;", 'select ?,...'],
    ['SELECT c1 FROM `t 1` WHERE id IN (1, 2,3)', 'SELECT c1 FROM `t 1` WHERE id IN(?,...)'],
    ['INSERT INTO t VALUES (1,2),(3,4)', 'INSERT INTO t VALUES(?,...),...'],
  ] as const)
    it(`gives ${text}`, () => {
      expect(normaliseStatement(statement)).to.equal(text)
    })
})

describe('parseSlowLog', () => {
  const log = [
    'e t of something cut off',
    '# Time: 261121 21:46:34',
    '# User@Host: root[root] @ localhost []',
    '# Thread_id: 4  Schema: shop  QC_hit: No',
    '# Query_time: 0.102810  Lock_time: 0.000165  Rows_sent: 1  Rows_examined: 17',
    '# Rows_affected: 0  Bytes_sent: 107',
    '# Full_scan: Yes  Full_join: No  Tmp_table: No  Tmp_table_on_disk: No',
    'SET timestamp=1795297594;',
    'select sleep(0.1)',
    'from t;',
    '/usr/sbin/mariadbd, Version: 10.11.19-MariaDB (Debian). started with:',
    'Tcp port: 3306  Unix socket: /run/s.sock',
    'Time\t\t    Id Command\tArgument',
    '# Time: 2026-11-21T21:46:35.000000Z',
    '# User@Host: root[root] @ localhost []  Id:     8',
    '# Query_time: 2.000000  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 3',
    'SET timestamp=1795297595;',
    "CREATE USER a IDENTIFIED BY 'x';",
    '',
  ].join('\n')

  it('reads entries of both flavours, whole ones only, without passwords', () => {
    const [first, second, ...rest] = parseSlowLog(log)
    expect(rest).to.deep.equal([])
    expect(first).to.include({ at: '2026-11-21 21:46:34', seconds: 0.10281, rows_examined: 17, schema_name: 'shop' })
    expect(first).to.include({ statement: 'select sleep(0.1)\nfrom t;', full_scans: 1 })
    expect(second).to.include({ seconds: 2, statement: "CREATE USER a IDENTIFIED BY '*:*';" })
  })
})

describe('parseErrorLog', () => {
  it('keeps the lines of one message together', () => {
    const text =
      'rest of a line\n2026-11-21 21:46:31 0 [Note] InnoDB: ready\nVersion: 10.11\n2026-11-21  9:46:32 12 [Warning] Aborted connection\n'
    expect(parseErrorLog(text)).to.deep.equal([
      { at: '2026-11-21 21:46:31', level: 'INFO', text: 'InnoDB: ready\nVersion: 10.11' },
      { at: '2026-11-21 09:46:32', level: 'WARN', text: 'Aborted connection' },
    ])
  })
})

describe('parseSqlErrors', () => {
  it('reads user and error of refused statements', () => {
    const text =
      "2026-11-21 21:46:34 root[root] @ localhost [] ERROR 1146: Table 'shop.nope' doesn't exist : select * from shop.nope\n"
    expect(parseSqlErrors(text)).to.deep.equal([
      {
        ...{ at: '2026-11-21 21:46:34', level: 'ERROR' },
        text: "root[root] @ localhost [] ERROR 1146: Table 'shop.nope' doesn't exist : select * from shop.nope",
      },
    ])
  })
})

describe('parseEngineStatus', () => {
  it('keeps the description of a deadlock as text', () => {
    const text =
      '\n------------------------\nLATEST DETECTED DEADLOCK\n------------------------\n*** (1) TRANSACTION:\nUPDATE t\n------------\nTRANSACTIONS\n------------\nTrx id counter 21\n---TRANSACTION 20, ACTIVE 3 sec\n'
    const rows = parseEngineStatus(text)
    expect(rows).to.deep.include({ Variable_name: 'LATEST_DETECTED_DEADLOCK', Value: '*** (1) TRANSACTION:\nUPDATE t' })
    expect(rows).to.deep.include({ Variable_name: 'ACTIVE_TRANSACTIONS', Value: '1' })
    expect(rows).to.deep.include({ Variable_name: 'TRX_ID_COUNTER', Value: '21' })
  })
})
