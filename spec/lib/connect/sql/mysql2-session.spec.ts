// Sessions against real servers, on mysql2 and on the text protocol of probes: values, errors, and every kind of server
// failure, within the given deadline.
import { expect } from 'chai'
import { type Result, unwrap } from '../../../../lib/base/result.js'
import { errorNumber } from '../../../../lib/connect/sql/failures.js'
import { sqlLimits } from '../../../../lib/connect/sql/limits.js'
import { openSession as openOnMysql2 } from '../../../../lib/connect/sql/mysql2-session.js'
import type { OpenSession, SqlSession, SqlTarget } from '../../../../lib/connect/sql/session.js'
import { openProbeSessionWith } from '../../../../lib/connect/sql/text-protocol/probe-session.js'
import { type Databases, type Node, startDatabases } from '../../../support/databases/database.js'
import { freePorts } from '../../../support/machine/ports.js'
import { listenWith } from '../../../support/machine/sockets.js'
import { eventually } from '../../../support/wait.js'

const limitMs = 30_000
const codeOf = (result: Result<unknown>) => (result.ok ? 'ok' : result.failure.code)
const numberOf = (result: Result<unknown>) => (result.ok ? 0 : errorNumber(result.failure))
const closing = (session: SqlSession) => new Promise<string>((resolve) => session.onClose(resolve))
/** With a short deadline where no answer is to come. */
const at = (port: number, connectTimeoutMs = limitMs): SqlTarget => ({
  host: '127.0.0.1',
  port,
  user: 'root',
  password: 'root',
  connectTimeoutMs,
})

const kinds: readonly [name: string, open: OpenSession][] = [
  ['openSession', openOnMysql2],
  // With the limits of the others: probes themselves read no long replies.
  ['openProbeSession', (target) => openProbeSessionWith(target, { limits: sqlLimits })],
  [
    'openProbeSession with a mysql2 that hides its stream',
    (target) => openProbeSessionWith(target, { find: () => undefined }),
  ],
]

for (const [name, openSession] of kinds) conform(name, openSession)

function conform(title: string, openSession: OpenSession): void {
  describe(title, () => {
    let databases: Databases
    let node: Node
    const opened: SqlSession[] = []
    const ended = [0]
    const open = async (target = node.target()) => {
      const session = unwrap(await openSession(target))
      opened.push(session)
      return session
    }
    before(async () => {
      databases = await startDatabases({ count: 1, prefix: 'session', options: ['--max-allowed-packet=64M'] })
      node = databases.node(0)
    })
    afterEach(() => {
      for (const session of opened.splice(0)) {
        session.close()
        ended.push(session.threadId)
      }
    })
    after(() => databases.teardown())

    it('has the connection id and the version of the greeting', async () => {
      const session = await open()
      const [rows = []] = unwrap(await session.run('SELECT CONNECTION_ID() AS id', [], limitMs))
      expect(rows).to.deep.equal([{ id: session.threadId }])
      expect(session.serverVersion).to.contain('MariaDB')
    })

    it('answers one list per statement, empty for those without rows', async () => {
      const session = await open()
      const several = await session.run(
        'SET @a = 1; SELECT @a AS a; SELECT 1 AS one WHERE FALSE; SELECT 2 AS two',
        [],
        limitMs,
      )
      expect(unwrap(several)).to.deep.equal([[], [{ a: 1 }], [], [{ two: 2 }]])
      expect(unwrap(await session.run('SET @a = 2', [], limitMs))).to.deep.equal([[]])
      expect(unwrap(await session.run('SET @a = 2; SET @b = 1', [], limitMs))).to.deep.equal([[], []])
    })

    it('quotes values so that they cannot break out', async () => {
      await node.sql("SET GLOBAL sql_mode='NO_BACKSLASH_ESCAPES,ANSI_QUOTES'")
      const session = await open()
      for (const text of ["it's", '\\', "\\'; SELECT 1 -- ", '"', '?', 'naïve ✓', ''])
        expect(unwrap(await session.run('SELECT ? AS text', [text], limitMs))).to.deep.equal([[{ text }]])
      await node.sql('SET GLOBAL sql_mode=DEFAULT')
    })

    it('gives integers exactly and times as text', async () => {
      const session = await open()
      const sql = "SELECT 9007199254740991 AS safe, 18446744073709551615 AS big, TIMESTAMP '2026-01-02 03:04:05' AS at"
      expect(unwrap(await session.run(sql, [], limitMs))).to.deep.equal([
        [{ safe: 9007199254740991, big: '18446744073709551615', at: '2026-01-02 03:04:05' }],
      ])
    })

    it('gives every other type as what it is: floats as numbers, decimals as text, binary as bytes, NULL as null', async () => {
      const session = await open()
      const sql =
        "SELECT -1.5e0 AS f, 10.50 AS d, TRUE AS t, CAST('-12' AS INTEGER) AS i, NULL AS n, '' AS empty, " +
        "CAST(x'00ff' AS BINARY) AS bytes, JSON_OBJECT('a', 1) AS json, YEAR('2026-01-02') AS y, CAST('1:02' AS TIME) AS at"
      expect(unwrap(await session.run(sql, [], limitMs))).to.deep.equal([
        [
          {
            ...{ f: -1.5, d: '10.50', t: 1, i: -12, n: null, empty: '', bytes: Buffer.from([0, 255]) },
            ...{ json: '{"a": 1}', y: 2026, at: '01:02:00' },
          },
        ],
      ])
    })

    it('gives rows and statements that take many reads, and several packets', async () => {
      const session = await open()
      const lengths = [250, 251, 70_000, 17_000_000]
      for (const length of lengths) {
        const [[row = {}] = []] = unwrap(await session.run("SELECT REPEAT('x', ?) AS text, 1 AS n", [length], limitMs))
        expect([String(row.text).length, row.n]).to.deep.equal([length, 1])
      }
      const [[row = {}] = []] = unwrap(await session.run('SELECT LENGTH(?) AS n', ['y'.repeat(17_000_000)], limitMs))
      expect(row.n).to.equal(17_000_000)
      const [many = []] = unwrap(
        await session.run('SELECT seq, REPEAT(seq, 50) AS text FROM mysql.seq_1_to_5000', [], limitMs),
      )
      expect(many.map(({ seq, text }) => [seq, text])).to.deep.equal(
        Array.from({ length: 5_000 }, (_, index) => [index + 1, String(index + 1).repeat(50)]),
      )
    })

    it('reads every change of a list that it read before: of values, of columns, of their order', async () => {
      const session = await open()
      await session.run('CREATE TEMPORARY TABLE mysql.read_before (a INT, b INT)', [], limitMs)
      await session.run('INSERT INTO mysql.read_before VALUES (1, 2)', [], limitMs)
      const read = async () => unwrap(await session.run('SELECT * FROM mysql.read_before', [], limitMs))[0]
      const first = await read()
      expect(first).to.deep.equal([{ a: 1, b: 2 }])
      const second = await read()
      expect(second).to.deep.equal(first)
      // Probes rely on it: equal replies are not parsed again.
      if (title === 'openProbeSession') expect(second).to.equal(first)
      for (const [change, rows] of [
        ['UPDATE mysql.read_before SET b = 3', [{ a: 1, b: 3 }]],
        ['ALTER TABLE mysql.read_before CHANGE b c INT', [{ a: 1, c: 3 }]],
        ['ALTER TABLE mysql.read_before MODIFY c VARCHAR(9)', [{ a: 1, c: '3' }]],
        ['ALTER TABLE mysql.read_before MODIFY c VARCHAR(9) FIRST', [{ c: '3', a: 1 }]],
        [
          'INSERT INTO mysql.read_before VALUES (4, 5)',
          [
            { c: '3', a: 1 },
            { c: '4', a: 5 },
          ],
        ],
        ['DELETE FROM mysql.read_before', []],
      ] as const) {
        unwrap(await session.run(change, [], limitMs))
        expect(await read(), change).to.deep.equal(rows)
      }
    })

    it('names the error of a refused statement and goes on', async () => {
      const session = await open()
      const refused = await session.run('SELECT * FROM nowhere.nothing', [], limitMs)
      expect(codeOf(refused)).to.equal('sql-failed')
      expect(numberOf(refused)).to.equal(1146)
      expect(codeOf(await session.run('SELECT 1', [], limitMs))).to.equal('ok')
    })

    it('answers statements given at once in their order', async () => {
      const session = await open()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => session.run('SELECT ? AS n', [n], limitMs)),
      )
      expect(answers.map((answer) => unwrap(answer)[0]?.[0]?.n)).to.deep.equal(Array.from({ length: 50 }, (_, n) => n))
    })

    it('quotes objects as text, never as assignments', async () => {
      const session = await open()
      const [rows = []] = unwrap(await session.run('SELECT ? AS text', [{ toString: () => "it's" }], limitMs))
      expect(rows).to.deep.equal([{ text: "it's" }])
    })

    it('sends no file', async () => {
      const session = await open()
      await session.run('CREATE TEMPORARY TABLE mysql.lines (line TEXT)', [], limitMs)
      const loaded = await session.run("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE mysql.lines", [], limitMs)
      expect(codeOf(loaded)).to.equal('sql-failed')
      expect(unwrap(await session.run('SELECT * FROM mysql.lines', [], limitMs))).to.deep.equal([[]])
    })

    it('stops at the statement that fails, of several', async () => {
      const session = await open()
      const failed = await session.run('SET @a = 5; SELECT * FROM nowhere.nothing; SET @a = 6', [], limitMs)
      expect([codeOf(failed), numberOf(failed)]).to.deep.equal(['sql-failed', 1146])
      expect(unwrap(await session.run('SELECT @a AS a', [], limitMs))).to.deep.equal([[{ a: 5 }]])
    })

    it('is refused where nothing listens', async () => {
      const [port = 0] = await freePorts(1)
      expect(codeOf(await openSession(at(port)))).to.equal('sql-refused')
    })

    it('is refused by a listener that closes without a greeting', async () => {
      const listener = await listenWith((socket) => socket.destroy())
      expect(codeOf(await openSession(at(listener.port)))).to.equal('sql-refused')
      await listener.close()
    })

    it('finds a listener silent that never greets, and one that speaks another protocol', async () => {
      const mute = await listenWith(() => undefined)
      const other = await listenWith((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
      expect(codeOf(await openSession(at(mute.port, 300)))).to.equal('sql-silent')
      expect(codeOf(await openSession(at(other.port, 300)))).to.equal('sql-silent')
      await Promise.all([mute.close(), other.close()])
    })

    it('is refused by a server that is shutting down', async () => {
      const text = 'Server shutdown in progress'
      const packet = Buffer.concat([Buffer.from([3 + text.length, 0, 0, 0, 0xff, 0x1d, 0x04]), Buffer.from(text)])
      const listener = await listenWith((socket) => socket.end(packet))
      const result = await openSession(at(listener.port))
      expect(codeOf(result)).to.equal('sql-refused')
      expect(numberOf(result)).to.equal(1053)
      await listener.close()
    })

    it('distinguishes a name that does not resolve from a silent server', async () => {
      expect(codeOf(await openSession({ ...at(3306), host: 'nowhere.invalid' }))).to.equal('sql-unresolved')
    })

    it('is rejected with a wrong password', async () => {
      const result = await openSession({ ...node.target(), password: 'wrong' })
      expect(codeOf(result)).to.equal('sql-rejected')
      expect(numberOf(result)).to.equal(1045)
    })

    it('is rejected when all connections are taken', async () => {
      await node.sql('SET GLOBAL max_connections=10')
      const results = await Promise.all(Array.from({ length: 12 }, () => openSession(node.target('monitor'))))
      for (const result of results) if (result.ok) opened.push(result.value)
      const failed = results.filter((result) => !result.ok)
      expect(failed.map(codeOf)).to.include('sql-rejected').and.not.include.members(['sql-refused', 'sql-silent'])
      expect(failed.map(numberOf)).to.include(1040)
      await node.sql('SET GLOBAL max_connections=50')
    })

    it('finds a hung server silent: at login, in a statement, and with the session ended', async () => {
      const session = await open()
      node.pause()
      expect(codeOf(await openSession(node.target('root', 200)))).to.equal('sql-silent')
      expect(codeOf(await session.run('SELECT 1', [], 200))).to.equal('sql-silent')
      expect(session.open).to.equal(false)
      expect(codeOf(await session.run('SELECT 1', [], 200))).to.equal('sql-refused')
      node.resume()
    })

    it('ends every waiting statement when one passes its deadline', async () => {
      const session = await open()
      const [slow, next] = await Promise.all([
        session.run('SELECT SLEEP(5)', [], 100),
        session.run('SELECT 1', [], limitMs),
      ])
      expect([codeOf(slow), codeOf(next)]).to.deep.equal(['sql-silent', 'sql-silent'])
    })

    it('finds a statement whose session was killed lost, not refused', async () => {
      const session = await open()
      const waiting = session.run('SELECT SLEEP(20)', [], limitMs)
      const gone = closing(session)
      await eventually(
        async () =>
          (await node.value(
            'SELECT COUNT(*) FROM information_schema.processlist WHERE id=? AND state<>""',
            session.threadId,
          )) === '1',
        'it sleeps',
      )
      await node.sql(`KILL ${session.threadId}`)
      expect(codeOf(await waiting)).to.equal('sql-refused')
      await gone
    })

    it('calls back when an idle session is killed', async () => {
      const session = await open()
      const gone = closing(session)
      await node.sql(`KILL ${session.threadId}`)
      expect(await gone).to.be.a('string')
      expect(session.open).to.equal(false)
    })

    it('sends COM_QUIT between two statements, so that no connection counts as aborted', async () => {
      const watch = await open()
      const rowsOf = async (sql: string) => unwrap(await watch.run(sql, [], limitMs))[0] ?? []
      const aborted = async () => Number((await rowsOf("SHOW GLOBAL STATUS LIKE 'Aborted_clients'"))[0]?.Value)
      const earlier = `SELECT 1 FROM information_schema.PROCESSLIST WHERE ID IN (${ended.join()})`
      await eventually(async () => (await rowsOf(earlier)).length === 0, 'what was killed before is counted')
      const before = await aborted()
      const session = await open()
      session.close()
      expect(codeOf(await session.run('SELECT 1', [], limitMs))).to.equal('sql-refused')
      await eventually(async () => {
        const rows = await rowsOf(`SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ${session.threadId}`)
        return rows.length === 0
      }, 'the server has ended the session')
      expect(await aborted()).to.equal(before)
    })

    it('calls back once when closed here, also late listeners', async () => {
      const session = await open()
      const heard: string[] = []
      session.onClose((reason) => heard.push(reason))
      session.close()
      session.close()
      expect(await closing(session)).to.equal('closed by the manager')
      expect(heard).to.have.lengthOf(1)
    })

    it('wakes at once when the server is killed: idle sessions, waiting statements', async () => {
      const [idle, busy] = [await open(), await open()]
      const waiting = busy.run('SELECT SLEEP(20)', [], 20_000)
      const gone = closing(idle)
      await node.kill()
      expect(await gone).to.be.a('string')
      expect(codeOf(await waiting)).to.equal('sql-refused')
      expect(codeOf(await openSession(node.target()))).to.equal('sql-refused')
      node.start()
      await node.waitUp()
    })

    it('wakes when the server shuts down cleanly', async () => {
      const gone = closing(await open())
      await node.stop()
      await gone
      node.start()
      await node.waitUp()
    })
  })
}
