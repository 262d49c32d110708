// What is watched besides replication: statements, transactions, locks, disks, variables, plug-ins, restarts, the manager itself.
import { createSocket } from 'node:dgram'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import type { Node } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end, logLines } from '../support/stories/story.js'
import { SWITCHOVER, switchable } from '../support/stories/switching.js'
import { eventually, next } from '../support/wait.js'

/** Longer than any of these stories. */
const LONG_MS = 10 * 60_000
/** Seconds in which the manager is stopped: more than a tenth of a minute, which is reported. */
const LOST_S = 8

/** A script that appends its arguments and its input to a file. */
function recorder(directory: string, name: string): { readonly script: string; readonly runs: () => string } {
  const [script, record] = [path.join(directory, name), path.join(directory, `${name}.runs`)]
  writeFileSync(record, '')
  // one write each: two may run at once
  const lines = [
    '#!/bin/sh',
    `text=$(printf 'args'; printf ' <%s>' "$@"; echo; cat; echo .)`,
    `printf '%s\\n' "$text" >> ${record}`,
  ]
  writeFileSync(script, `${lines.join('\n')}\n`, { mode: 0o755 })
  return { script, runs: () => readFileSync(record, 'utf8') }
}

describe('watching', () => {
  const directory = newDirectory('scripts')
  const changes = recorder(directory, 'changes.sh')
  const long = recorder(directory, 'long.sh')
  const sessions: SqlSession[] = []
  const syslog = createSocket('udp4')
  const datagrams: string[] = []
  let cluster: ProtectedCluster
  let primary: Node
  let replica: Node
  let other: Node

  before(async () => {
    syslog.on('message', (datagram) => datagrams.push(String(datagram)))
    syslog.bind(0, '127.0.0.1')
    await next(syslog, 'listening', 'the server listens')
    cluster = await startProtectedCluster({
      defaults: {
        'log-level': 4,
        'log-syslog': true,
        'log-syslog-address': `127.0.0.1:${syslog.address().port}`,
      },
      settings: {
        'delay-stat-capture': true,
        'print-delay-stat': true,
        'print-delay-stat-history': true,
        'scheduler-sla-rotate-cron': '*/15 * * * * *',
        'log-config-load': true,
        'log-sql-in-monitoring': true,
        'log-topology-level': 3,
        'log-heartbeat-level': 3,
        'log-writer-election-level': 3,
        'monitoring-ticker': 1,
        'monitoring-long-query-time': 1_000,
        'monitoring-processlist-transactions': true,
        'monitoring-long-query-with-table': true,
        'monitoring-long-query-script': long.script,
        'monitoring-variable-change': true,
        'monitoring-variable-change-script': changes.script,
        'monitoring-disk-usage': true,
        'monitoring-disk-usage-pct': 1,
        'monitoring-capture-trigger': 'WARN0360',
        'monitoring-capture-file-keep': 1,
        'switchover-wait-trx': 1,
        'switchover-wait-write-query': 1,
        'db-servers-ignored-hosts': 'elsewhere',
        'db-servers-prefered-master': 'nowhere:3306',
      },
    })
    primary = await cluster.primary()
    ;[replica, other] = cluster.nodes.filter((node) => node !== primary) as [Node, Node]
  })
  after(async () => {
    for (const session of sessions) session.close()
    syslog.close()
    await end(cluster)
  })

  /** A session of a client; its statements are not waited for. */
  const client = async (node: Node): Promise<SqlSession> => {
    const session = unwrap(await openSession(node.target('root')))
    sessions.push(session)
    return session
  }
  const logs = (text: string): Promise<unknown> =>
    eventually(
      () => logLines(cluster, text).length > 0,
      () => `the log has ${text}\n${cluster.manager.log().slice(-6_000)}`,
    )

  it('reports hosts of lists that are no members', async () => {
    await cluster.opens('ERR00059')
    await cluster.opens('ERR00074')
  })

  it('finds long statements, transactions and waits for locks, runs the script once for each, and captures the server', async () => {
    const [holder, waiter, sleeper] = [await client(primary), await client(primary), await client(primary)]
    unwrap(await holder.run('START TRANSACTION; INSERT INTO spec.acknowledged VALUES (900001, 1)', [], LONG_MS))
    void waiter.run('ALTER TABLE spec.acknowledged COMMENT = ?', ['waits'], LONG_MS)
    void sleeper.run("SELECT SLEEP(600), 'a', PASSWORD('hidden')", [], LONG_MS)
    for (const code of ['WARN0360', 'WARN0361', 'WARN0122', 'WARN0217', 'WARN0085']) await cluster.opens(code)
    await logs('Long statement on')
    await logs('Long transaction on')
    /** What the script was given of a session, by kind; on a slow machine other statements are long, too. */
    const named = ({ threadId }: SqlSession) =>
      [...long.runs().matchAll(/args <story> <([^>]*)> <(\w+)> <(\d+)>/g)].flatMap(([, server, kind, id]) =>
        server === `127.0.0.1:${primary.port}` && id === String(threadId) ? [kind] : [],
      )
    const slept = new RegExp(`args <story> <127.0.0.1:${primary.port}> <statement> <\\d+> <root> <\\d+>\nSELECT SLEEP`)
    await eventually(
      () => [holder, waiter, sleeper].every((session) => named(session).length > 0) && slept.test(long.runs()),
      () => `the script ran for each\n${long.runs()}`,
    )
    expect(long.runs()).to.not.include('hidden')
    // It begins, and is refused for the transaction alone.
    await switchable(cluster)
    const { status, body } = await cluster.manager.post(SWITCHOVER)
    expect(status, body).to.not.equal(200)
    await cluster.opens('WARN0238')
    await logs('Capture of')
    const folder = path.join(cluster.manager.dataDirectory, 'story', `127.0.0.1_${primary.port}`)
    const captures = () => readdirSync(folder).filter((name) => name.startsWith('capture_'))
    // One is kept: a second one takes its place.
    await eventually(() => captures().length === 1, 'one capture is kept')
    const files = captures()
    const { trigger, samples } = JSON.parse(readFileSync(path.join(folder, files[0] ?? ''), 'utf8'))
    expect([trigger, samples.length]).to.deep.equal(['WARN0360', 5])
    expect(JSON.stringify(samples[0].processlist)).to.include('SELECT SLEEP')
    expect(samples[0]['engine-status'].length).to.be.above(10)
    expect(JSON.stringify(samples)).to.not.include('hidden')
    for (const session of [holder, waiter, sleeper]) await primary.sql(`KILL ${session.threadId}`)
    for (const code of ['WARN0360', 'WARN0361', 'WARN0122', 'WARN0217', 'WARN0085']) await cluster.closes(code)
    for (const session of [holder, waiter, sleeper]) {
      const kinds = named(session)
      expect(kinds, `once for each\n${long.runs()}`).to.have.lengthOf(new Set(kinds).size)
    }
    await switchable(cluster)
    const moved = await cluster.manager.post(SWITCHOVER)
    expect(moved.status, moved.body).to.equal(200)
    await cluster.closes('WARN0238')
    primary = await cluster.primary()
    ;[replica, other] = cluster.nodes.filter((node) => node !== primary) as [Node, Node]
  })

  it('says in the log how it came about, and sends the log to syslog', async () => {
    for (const text of [' follows ', 'The candidate of a failover is ', 'this manager acts on ']) await logs(text)
    await logs('SELECT @@GLOBAL.server_id')
    await logs('configuration-read')
    const C = await cluster.manager.get<{ readonly logs?: unknown }>('/api/clusters/story')
    expect(JSON.stringify(C.logs ?? '')).to.not.include('SELECT @@GLOBAL')
    await eventually(
      () => datagrams.some((text) => /^<\d+>1 \S+ \S+ manager \d+ - - story: .*this manager acts on /.test(text)),
      () => `syslog has the lines of the log\n${datagrams.slice(-5).join('\n')}`,
    )
  })

  it('counts delays by the hour and prints them, and ends the period of the availability by schedule', async () => {
    await logs(`Delay of 127.0.0.1:${replica.port} in this hour: mean `)
    // It was the primary perhaps when the others were counted, and each hour begins a new count.
    const counted = async () => {
      const servers = await cluster.manager.get<
        readonly { port: string; delayStat: { current: { counter: number } } }[]
      >('/api/clusters/story/topology/servers')
      return servers.find(({ port }) => port === String(replica.port))?.delayStat.current.counter ?? 0
    }
    await eventually(async () => (await counted()) > 10, 'the delays are counted')
    const periods = async () =>
      (await cluster.manager.get<{ slaHistory: readonly unknown[] }>('/api/clusters/story')).slaHistory.length
    await eventually(async () => (await periods()) > 1, 'two periods have ended')
  })

  it('notices variables and plug-ins that change, and disks that fill', async () => {
    await replica.sql('SET GLOBAL max_connections = 177')
    await replica.sql("INSTALL SONAME 'disks'")
    await logs('max_connections')
    await logs('Plug-ins of')
    await eventually(
      () => changes.runs().includes('+max_connections=177'),
      () => `the script ran\n${changes.runs()}`,
    )
    expect(changes.runs()).to.include(`args <story> <127.0.0.1:${replica.port}>`)
    expect(changes.runs()).to.match(
      /--- 127\.0\.0\.1:\d+\n\+\+\+ 127\.0\.0\.1:\d+\n@@ -\d+ \+\d+,0 @@\n-max_connections=\d+/,
    )
    await cluster.opens('ERR00079')
  })

  it('counts slow statements, and reads the slow log', async () => {
    await other.sql("SET GLOBAL log_output = 'TABLE'; SET GLOBAL slow_query_log = ON")
    const slow = await client(other)
    unwrap(await slow.run('SET SESSION long_query_time = 0', [], LONG_MS))
    let going = true
    const work = (async () => {
      while (going) unwrap(await slow.run('SELECT SLEEP(0.05)', [], LONG_MS))
    })()
    await cluster.opens('WARN0088')
    going = false
    await work
    const inLog = () => logLines(cluster, 'Long statement in the slow log of').length > 0
    await eventually(async () => {
      unwrap(await slow.run("SELECT SLEEP(1.5), 'in the slow log'", [], LONG_MS))
      return inLog()
    }, 'the slow log is read')
    await cluster.closes('WARN0088')
  })

  it('reports a restart that it did not ask for, and time that it lost itself', async () => {
    await other.kill('SIGKILL')
    other.start()
    await other.waitUp()
    await cluster.opens('WARN0236')
    const uptime = async () => Number((await primary.sql("SHOW GLOBAL STATUS LIKE 'Uptime'"))[0]?.Value)
    cluster.manager.signal('SIGSTOP')
    const stopped = await uptime()
    await eventually(async () => (await uptime()) >= stopped + LOST_S, 'the primary is so much older')
    cluster.manager.signal('SIGCONT')
    await cluster.opens('WARN0239')
  })
})
