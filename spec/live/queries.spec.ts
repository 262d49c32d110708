// What can be done with one statement of a server through a running daemon: its plan from the slow log and from the
// performance schema, and its end.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import { digestOf, normaliseStatement } from '../../lib/dialect/reads/statement-text.js'
import type { Node } from '../support/databases/node.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

const C = '/api/clusters/story'
/** Milliseconds, on a machine that does much else. */
type Entry = Readonly<Record<string, unknown>>

describe('single statements of a server', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser
  before(async () => {
    cluster = await startProtectedCluster({
      count: 2,
      options: [
        ...['--performance-schema=ON', '--performance-schema-consumer-events-statements-current=ON'],
        '--performance-schema-consumer-events-statements-history-long=ON',
        // The statements of the probes must not push out a sample before it is asked for.
        '--performance-schema-events-statements-history-long-size=10000',
        ...['--slow-query-log=ON', '--log-output=TABLE'],
      ],
      settings: { 'failover-mode': 'manual' },
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await node().sql('CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, note TEXT)')
    await node().sql("INSERT INTO shop.orders VALUES (1, 'one'), (2, 'two')")
  })
  after(() => end(cluster))

  const node = (): Node => cluster.databases.node(0)
  const S = (): string => `${C}/servers/127.0.0.1:${node().port}`
  const act = (target: string, word: string): string => `${S()}/queries/${target}/actions/${word}`
  const client = async (): Promise<SqlSession> => unwrap(await openSession(node().target()))
  const content = () => node().sql('SELECT * FROM shop.orders ORDER BY id')

  /** The digest by which a statement is known that was run as an application would. */
  const seen = async (source: string, statement: string): Promise<string> => {
    const app = await client()
    // Only what is looked for is slow: the latest entries of the log are few.
    unwrap(await app.run('USE shop; SET SESSION long_query_time = 0', [], PATIENCE_MS))
    unwrap(await app.run(statement, [], PATIENCE_MS))
    const digest = await eventually(async () => {
      const rows = source === 'pfs' ? await inEvents(statement) : await inSlowLog(statement)
      return String(rows[0]?.digest ?? '')
    }, `${source} knows ${statement}`)
    app.close()
    return digest
  }
  const inSlowLog = async (statement: string) =>
    (await admin.json<readonly Entry[]>(`${S()}/digest-statements-slow`)).filter(({ query }) => query === statement)
  /** The list shows the digests that took most time: this one hardly did. */
  const inEvents = (statement: string) =>
    node().sql(
      `SELECT DIGEST AS digest FROM performance_schema.events_statements_history_long WHERE SQL_TEXT = '${statement.replaceAll("'", "''")}'`,
    )

  for (const source of ['slowlog', 'pfs'] as const) {
    it(`are explained and analyzed by the digest: ${source}`, async () => {
      const digest = await seen(source, `SELECT note FROM orders WHERE note = 'two' AND '${source}' = '${source}'`)
      for (const method of ['GET', 'POST']) {
        const [row] = await admin.json<readonly Entry[]>(act(digest, `explain-${source}`), { method })
        expect(row).to.deep.include({
          ...{ table: { String: 'orders', Valid: true }, selectType: { String: 'SIMPLE', Valid: true } },
          ...{ type: { String: 'ALL', Valid: true }, key: { String: '', Valid: false } },
        })
        expect(row).to.not.have.property('rRows')
      }
      const [met] = await admin.json<readonly Entry[]>(act(digest, `analyze-${source}`))
      expect(met?.rRows).to.deep.equal({ Float64: 2, Valid: true })
      expect(await admin.line(`${act(digest, `explain-${source}`)}?schema=other`)).to.match(
        /^404 .*hold|^404 .*keeps no sample/,
      )
    })

    it(`are explained but never run when they change data: ${source}`, async () => {
      const digest = await seen(source, `UPDATE orders SET note = 'two' WHERE id = 2 AND '${source}' = '${source}'`)
      await node().sql("UPDATE shop.orders SET note = 'kept' WHERE id = 2")
      const [row] = await admin.json<readonly Entry[]>(act(digest, `explain-${source}`))
      expect(row?.table).to.deep.equal({ String: 'orders', Valid: true })
      expect(await admin.line(act(digest, `analyze-${source}`))).to.match(/^409 .*it is explained only/)
      expect(await content()).to.deep.equal([
        { id: 1, note: 'one' },
        { id: 2, note: 'kept' },
      ])
    })
  }

  it('say what to switch on where no sample is kept', async () => {
    const unknown = 'a'.repeat(32)
    expect(await admin.line(act(unknown, 'explain-pfs'))).to.match(/^404 .*knows no digest a+$/)
    expect(await admin.line(act(unknown, 'explain-slowlog'))).to.match(/^404 .*slow_query_log must be ON/)
    expect(await admin.line(act('nothing', 'explain-pfs'))).to.match(/^400 .*32 or 64/)
  })

  it('end on request by their digest, and the answer names them; their session goes on', async () => {
    const app = await client()
    const statement = "SELECT SLEEP(110), 'by digest'"
    const running = app.run(statement, [], PATIENCE_MS)
    const target = act(digestOf(normaliseStatement(statement)), 'kill-query')
    let killed: readonly Entry[] = []
    await eventually(async () => {
      const { status, text } = await admin.ask(target, { method: 'POST' })
      if (status === 200) killed = JSON.parse(text)
      return status === 200
    }, 'the statement is ended')
    expect(killed).to.have.length(1)
    expect(killed[0]).to.include({ id: app.threadId, user: 'root', command: 'Query', info: statement })
    await running
    expect(app.open).to.equal(true)
    expect(await admin.line(target)).to.match(/^404 .*does not run$/)
    await eventually(
      async () => /ended the statement of thread/.test(await admin.json(`${C}/topology/logs`).then(JSON.stringify)),
      'the log names it',
    )
    app.close()
  })

  it('end with their session by the number of the thread', async () => {
    const app = await client()
    const target = act(`${app.threadId}`, 'kill-thread')
    const [killed] = await admin.json<readonly Entry[]>(target)
    expect(killed).to.include({ id: app.threadId, user: 'root' })
    await eventually(async () => !app.open, 'the session is gone')
    await eventually(async () => (await admin.line(target)).startsWith('404 '), 'it is not there any more')
  })

  it("never end replication's and the manager's own threads", async () => {
    const threads = await node().sql(
      "SELECT ID, USER, COMMAND FROM information_schema.PROCESSLIST WHERE USER IN ('monitor', 'repl')",
    )
    expect(threads.map(({ USER }) => USER)).to.include.members(['monitor', 'repl'])
    for (const { ID, USER } of threads) {
      const line = await admin.line(act(`${ID}`, 'kill-thread'))
      // A session that only read may be gone by now.
      if (USER === 'repl' || !line.startsWith('404 ')) expect(line).to.match(/^409 .*not ended$/)
    }
    expect(await node().value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'repl'")).to.equal('1')
  })
})
