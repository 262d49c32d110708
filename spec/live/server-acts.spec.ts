// What is done to one running database on request, judged by what the database says of itself afterwards.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { Node } from '../support/databases/node.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

interface Done {
  readonly msg: string
  readonly state?: 'ON' | 'OFF'
}

describe('upkeep of one server on request', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser
  before(async () => {
    cluster = await startProtectedCluster({
      count: 2,
      options: ['--performance-schema=ON'],
      settings: { 'failover-mode': 'manual' },
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await node(0).sql('CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, n INT) ENGINE=InnoDB')
  })
  after(() => end(cluster))

  const node = (index: number): Node => cluster.databases.node(index)
  const S = (index: number): string => `${C}/servers/127.0.0.1:${node(index).port}`
  const act = (index: number, words: string, method = 'POST'): Promise<Done> =>
    admin.json<Done>(`${S(index)}/actions/${words}`, { method })
  const variable = async (index: number, name: string): Promise<string> => {
    const [row] = await node(index).sql('SHOW GLOBAL VARIABLES WHERE Variable_name = ?', name)
    return String(row?.Value ?? 'absent')
  }

  const switches = [
    ['innodb-monitor', 'innodb_status_output', 'OFF', 'ON'],
    ['slow-query', 'slow_query_log', 'OFF', 'ON'],
    ['slow-query-table', 'log_output', 'FILE', 'TABLE'],
    ['query-response-time', 'query_response_time_stats', 'OFF', 'ON'],
    ['sql-error-log', 'sql_error_log_rate', '0', '1'],
  ] as const

  for (const [words, name, off, on] of switches)
    it(`toggles ${words} and back, on the replica alone, by every spelling`, async () => {
      const elsewhere = await variable(0, name)
      expect(await act(1, `toogle-${words}`)).to.deep.include({ state: 'ON' })
      expect(await variable(1, name)).to.equal(on)
      const back = await act(1, `toggle-${words}`, 'GET')
      expect(back.state, back.msg).to.equal('OFF')
      expect(await variable(1, name)).to.equal(off)
      expect(await variable(0, name)).to.equal(elsewhere)
    })

  it('sees what another hand has turned meanwhile', async () => {
    await node(1).sql('SET GLOBAL slow_query_log = ON')
    expect((await act(1, 'toogle-slow-query')).state).to.equal('OFF')
    expect(await variable(1, 'slow_query_log')).to.equal('OFF')
  })

  it('installs and uninstalls the list of metadata locks', async () => {
    const missing = async () => (await admin.ask(`${S(1)}/meta-data-locks`)).headers.get('x-empty-reason')
    expect(await missing()).to.match(/not installed/)
    expect((await act(1, 'toogle-meta-data-locks')).state).to.equal('ON')
    expect(await missing()).to.equal(null)
    expect((await act(1, 'toogle-meta-data-locks')).state).to.equal('OFF')
    expect(await missing()).to.match(/not installed/)
  })

  it('samples statements in the performance schema, and stops', async () => {
    const sampled = async () =>
      Number(
        await node(0).value(
          "SELECT COUNT(*) FROM performance_schema.events_statements_history_long WHERE SQL_TEXT LIKE 'SELECT 4711%'",
        ),
      )
    expect((await act(0, 'toogle-pfs-slow-query')).state).to.equal('ON')
    await node(0).sql('SELECT 4711')
    await eventually(async () => (await sampled()) === 1, 'the statement is sampled')
    expect((await act(0, 'toogle-pfs-slow-query')).state).to.equal('OFF')
    await node(0).sql('SELECT 4711, 1')
    expect(await sampled()).to.equal(1)
  })

  it('captures every statement, and sets the slow log back to what it was, over a restart of the manager', async () => {
    await act(0, 'set-long-query-time/7.5')
    await act(0, 'toogle-slow-query-table')
    expect((await act(0, 'toogle-slow-query-capture')).state).to.equal('ON')
    expect(await variable(0, 'long_query_time')).to.match(/^0\.0+$/)
    expect(await variable(0, 'slow_query_log')).to.equal('ON')
    const newcomer = unwrap(await openSession(node(0).target()))
    await newcomer.run('SELECT 815', [], 20_000)
    newcomer.close()
    await eventually(async () => {
      const { status, text } = await admin.ask(`${S(0)}/slow-queries`)
      return status === 200 && /SELECT 815/.test(text)
    }, 'the statement is in the slow log')
    await eventually(async () => {
      const [shown] = await admin.json<readonly Readonly<Record<string, unknown>>[]>(`${C}/topology/servers`)
      return shown?.inCaptureMode === true && shown.longQueryTimeSaved === '7.5'
    }, 'the server is shown in capture')
    await cluster.manager.end('SIGTERM')
    cluster.manager.start()
    await cluster.manager.alive()
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await eventually(async () => (await cluster.stateOf(node(0))) === 'Master', 'the next manager has probed it')
    expect((await act(0, 'toggle-slow-query-capture')).state).to.equal('OFF')
    expect(await variable(0, 'long_query_time')).to.match(/^7\.5/)
    expect(await variable(0, 'slow_query_log')).to.equal('OFF')
  })

  it('sets the time from which on statements are slow, and refuses what is none', async () => {
    await act(1, 'set-long-query-time/0.25', 'GET')
    expect(await variable(1, 'long_query_time')).to.match(/^0\.25/)
    for (const wrong of ['soon', '-1', '1e9', '99999999'])
      expect(await admin.line(`${S(1)}/actions/set-long-query-time/${wrong}`), wrong).to.match(/^400 .*queryTime/)
    expect(await variable(1, 'long_query_time')).to.match(/^0\.25/)
  })

  it('forgets the digests of statements', async () => {
    await node(0).sql('SELECT 1 AS a, 2 AS b, 3 AS c')
    const digests = async () => (await admin.ask(`${S(0)}/digest-statements-pfs`)).text
    await eventually(async () => /AS `c`/.test(await digests()), 'the digest is shown')
    await act(0, 'reset-pfs-queries')
    expect(await digests()).not.to.match(/AS `c`/)
  })

  it('waits for the purge, names what holds it, and answers once it has caught up', async () => {
    await node(0).sql('INSERT INTO shop.orders VALUES (1, 0)')
    const reader = unwrap(await openSession(node(0).target()))
    await reader.run('START TRANSACTION WITH CONSISTENT SNAPSHOT; SELECT * FROM shop.orders', [], 20_000)
    for (let count = 0; count < 40; count += 1)
      await node(0).sql(Array.from({ length: 10 }, () => 'UPDATE shop.orders SET n = n + 1').join(';'))
    const target = `${S(0)}/actions/wait-innodb-purge?length=50&timeout=`
    expect(await admin.line(`${target}0.2`)).to.equal('500 Error waiting for InnoDB purge')
    await eventually(
      () => cluster.manager.log().includes(`the oldest transaction is of session ${reader.threadId}`),
      'the log names the session that holds the purge',
    )
    reader.close()
    expect((await admin.json<Done>(`${target}30`)).msg).to.match(/old versions are left/)
  })

  it('opens the logs again: the binary log goes on in its next file', async () => {
    const file = async () => String((await node(1).sql('SHOW MASTER STATUS'))[0]?.File)
    const before = await file()
    const { msg } = await act(1, 'flush-logs')
    expect(await file()).not.to.equal(before)
    expect(msg)
      .to.contain(before)
      .and.to.contain(await file())
  })

  it('rebuilds the tables of a replica as a job, and those of the primary only when that is meant', async () => {
    await eventually(async () => (await node(1).value('SELECT COUNT(*) FROM shop.orders')) === '1', 'it has the row')
    const made = async (index: number) =>
      node(index).value("SELECT CREATE_TIME FROM information_schema.TABLES WHERE TABLE_NAME = 'orders'")
    const before = await made(1)
    const { status, headers } = await admin.ask(`${S(1)}/actions/optimize`, { method: 'POST' })
    expect(status).to.equal(200)
    const task = await admin.json<{ task: string; result: string }>(headers.get('location') ?? '')
    expect(task).to.include({ task: 'optimize' })
    expect(await made(1)).not.to.equal(before)
    expect(await admin.line(`${S(0)}/actions/optimize`)).to.match(/^409 .*is the primary.*force=true/)
    expect(await admin.line(`${S(0)}/actions/optimize?force=true`)).to.equal('200 ')
  })

  it('refuses a server that is down, by name', async () => {
    await node(1).stop()
    await eventually(async () => (await cluster.stateOf(node(1))) === 'Failed', 'it is seen to be down')
    expect(await admin.line(`${S(1)}/actions/toogle-slow-query`)).to.match(/^500 .*does not answer/)
  })
})
