// What is read of servers on request through a running daemon: with plugins and logs, by many at once, of a server that
// hangs and of one that is down.
import { readdir } from 'node:fs/promises'
import { expect } from 'chai'
import { sharePath } from '../../lib/base/package-root.js'
import { unwrap } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { Node } from '../support/databases/node.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'
type Entry = Readonly<Record<string, unknown>>
type Variables = readonly { readonly variableName: string; readonly value: string }[]

describe('reads on request of a cluster', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser
  before(async () => {
    cluster = await startProtectedCluster({
      count: 2,
      options: [
        ...['--performance-schema=ON', '--plugin-load-add=query_response_time', '--plugin-load-add=sql_errlog'],
        ...['--query-response-time-stats=ON', '--slow-query-log=ON', '--long-query-time=0', '--log-output=FILE,TABLE'],
        '--log-error=error.log',
      ],
      settings: { 'prov-orchestrator': 'local', 'failover-mode': 'manual' },
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await node(0).sql('CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, note TEXT)')
    await node(0).sql("INSERT INTO shop.orders VALUES (1, 'one')")
    for (const note of ['one', 'two']) await node(0).sql(`SELECT * FROM shop.orders WHERE note = '${note}'`)
    // The list of digests shows those that took most time.
    for (let run = 0; run < 2; run += 1) await node(0).sql("SELECT *, SLEEP(0.5) FROM shop.orders WHERE note = 'one'")
  })
  after(() => end(cluster))

  const node = (index: number): Node => cluster.databases.node(index)
  const S = (index: number): string => `${C}/servers/127.0.0.1:${node(index).port}`
  const read = <T = readonly Entry[]>(index: number, word: string): Promise<T> => admin.json<T>(`${S(index)}/${word}`)
  const valueIn = (rows: Variables, name: string) => rows.find(({ variableName }) => variableName === name)?.value

  it('show what the engine does and which counters move', async () => {
    const status = await read<Variables>(0, 'status-innodb')
    expect(Number(valueIn(status, 'DATABASE_PAGES'))).to.be.above(0)
    await read(0, 'status-delta')
    let delta: Variables = []
    await eventually(
      async () => {
        await node(0).sql('DO 1; DO 2; DO 3')
        delta = await read<Variables>(0, 'status-delta')
        return Number(valueIn(delta, 'COM_DO') ?? 0) > 0
      },
      () => `the delta shows the statements: ${JSON.stringify(delta)}`,
    )
    expect(Number(valueIn(delta, 'COM_DO')) % 3).to.equal(0)
    expect(valueIn(delta, 'COM_XA_START'), 'what did not change is left out').to.equal(undefined)
  })

  it('show tables and schemas', async () => {
    const tables = await read(0, 'tables')
    const table = tables.find(({ table_name }) => table_name === 'orders')
    expect(table).to.deep.include({ table_schema: 'shop', engine: 'InnoDB', table_crc: 0, table_sync: '' })
    expect((await read<Readonly<Record<string, Entry>>>(0, 'vtables'))['shop.orders']).to.deep.equal(table)
    expect(await read<readonly string[]>(0, 'schemas')).to.deep.equal(['shop', 'spec'])
  })

  it('show slow statements, one by one and by digest, from table and file', async () => {
    const query = `SELECT * FROM shop.orders WHERE note = 'two'`
    for (const output of ['TABLE', 'FILE']) {
      await node(0).sql(`SET GLOBAL log_output='${output}'`)
      await node(0).sql(query)
      let entry: Entry | undefined
      await eventually(async () => {
        entry = (await read(0, 'slow-queries')).find((one) => one.query === query || one.query === `${query};`)
        return entry !== undefined
      }, `the slow log in ${output} shows the statement`)
      expect(entry).to.include({ digestText: 'SELECT * FROM shop.orders WHERE note=?', execCount: 1, rowsScanned: 1 })
      expect(entry?.execTimeMax).to.have.property('Valid', true)
      const [digest] = (await read(0, 'digest-statements-slow')).filter(
        ({ digestText }) => digestText === entry?.digestText,
      )
      expect(Number(digest?.execCount)).to.be.at.least(1)
    }
  })

  it('show digests, response times and errors', async () => {
    const digests = await read(0, 'digest-statements-pfs')
    const select = digests.find(({ digestText }) => /`orders` WHERE `note`/.test(String(digestText)))
    expect(Number(select?.execCount)).to.be.at.least(2)
    const times = await read(0, 'query-response-time')
    expect(times.some(({ count }) => Number(count) > 0)).to.equal(true)
    await node(0)
      .sql('SELECT * FROM shop.nothing')
      .catch(() => undefined)
    await eventually(async () => {
      const { buffer } = await read<{ buffer: readonly Entry[] }>(0, 'errorlog')
      return buffer.some(({ level, text }) => level === 'ERROR' && /shop\.nothing/.test(String(text)))
    }, 'the refused statement is shown')
    const { buffer, len } = await read<{ buffer: readonly Entry[]; len: number }>(0, 'errorlog')
    expect(buffer.some(({ text }) => /ready for connections/.test(String(text)))).to.equal(true)
    expect([buffer.length, buffer[0]?.group]).to.deep.equal([len, `127.0.0.1:${node(0).port}`])
  })

  it('say what is missing, and read it once it is there', async () => {
    const alerts = async () => {
      const { warnings } = await admin.json<{ warnings: readonly { number: string; desc: string }[] }>(
        `${C}/topology/alerts`,
      )
      return warnings.filter(({ number }) => number === 'WARN0324').map(({ desc }) => desc)
    }
    const { status, text, headers } = await admin.ask(`${S(0)}/meta-data-locks`)
    expect([status, text]).to.deep.equal([200, '[]'])
    const reason = /METADATA_LOCK_INFO is not installed: INSTALL SONAME 'metadata_lock_info'/
    expect(headers.get('x-empty-reason')).to.match(reason)
    await eventually(async () => (await alerts()).some((desc) => reason.test(desc)), 'a finding says so')
    await node(0).sql("INSTALL SONAME 'metadata_lock_info'")
    await node(0).sql('BEGIN; SELECT * FROM shop.orders')
    await eventually(async () => {
      const { status, text } = await admin.ask(`${S(0)}/meta-data-locks`)
      return status === 200 && /"lockName":\{"String":"orders"/.test(text)
    }, 'the lock is shown')
    await eventually(async () => (await alerts()).length === 0, 'the finding has ended')
    await node(0).sql('COMMIT')
  })

  it('are one statement for all who ask at once', async () => {
    const asked = async () => Number((await node(0).sql("SHOW GLOBAL STATUS LIKE 'Com_show_engine_status'"))[0]?.Value)
    await eventually(async () => {
      const before = await asked()
      await Promise.all(Array.from({ length: 40 }, () => read(0, 'status-innodb')))
      return (await asked()) - before === 1
    }, 'forty reads are one statement')
  })

  it('keep few sessions, and those not for long', async () => {
    const words = ['status', 'variables', 'tables', 'schemas', 'processlist', 'digest-statements-pfs', 'slow-queries']
    const sessions = async () =>
      Number(await node(0).value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'monitor'"))
    const rest = await sessions()
    await Promise.all(words.map((word) => read(0, word)))
    expect(await sessions(), 'reads share sessions').to.be.below(rest + words.length)
    await eventually(async () => (await sessions()) <= rest, 'they are closed')
  })

  it('show what every server is busy with', async () => {
    const app = unwrap(await openSession(node(0).target()))
    const running = app.run("SELECT SLEEP(200), 'busy'", [], 200 * SECOND)
    interface Top {
      readonly url: string
      readonly header: { readonly graphs: readonly { readonly name: string; readonly data: readonly Entry[] }[] }
      readonly processlist: readonly { readonly info: { readonly String: string } }[]
    }
    await eventually(async () => {
      const [primary, replica, ...others] = await admin.json<readonly Top[]>(`${C}/top`)
      expect([replica?.url, others.length]).to.deep.equal([`127.0.0.1:${node(1).port}`, 0])
      const queries = primary?.header.graphs.find(({ name }) => name === 'Queries')
      const selects = Number(queries?.data.find(({ name }) => name === 'Select')?.value)
      return selects > 0 && primary?.processlist.some(({ info }) => /SLEEP/.test(info.String)) === true
    }, 'the primary is shown running')
    await node(0).sql(`KILL QUERY ${app.threadId}`)
    await running
    app.close()
    expect(await admin.json(`${C}/queryrules`)).to.deep.equal([])
  })

  it('describe the manager and its host', async () => {
    const { host, process } =
      await admin.json<Record<'host' | 'process', Readonly<Record<string, number>>>>('/api/global/metrics')
    expect(host.diskTotalBytes).to.be.above(0)
    expect(host.cpuPercent).to.be.within(0, 100)
    expect(process.pid).to.be.above(0)
    expect(await admin.json('/api/global/alerts')).to.have.keys('errors', 'warnings')
    const dashboards = await readdir(sharePath('grafana'))
    expect(await admin.json('/api/configs/grafana')).to.deep.equal(dashboards.toSorted())
    expect((await admin.ask('/api/terms')).text).to.match(/^# Terms of use\n/)
  })

  it('of a server that hangs do not hold up the others', async () => {
    node(1).pause()
    try {
      // Not read of it before: what it answered a moment ago would be given again.
      const hanging = Promise.all(
        ['status-innodb', 'tables', 'schemas', 'variables'].map(async (word) => {
          const { status } = await admin.ask(`${S(1)}/${word}`)
          return status
        }),
      )
      expect((await read(0, 'variables')).length).to.be.above(100)
      await eventually(async () => (await cluster.stateOf(node(1))) !== 'Slave', 'the watch sees that it hangs')
      expect(await hanging).to.deep.equal([500, 500, 500, 500])
      expect(await admin.line(`${S(1)}/status`)).to.equal('500 503 -Not a Valid Server!')
    } finally {
      node(1).resume()
    }
    await eventually(async () => (await cluster.stateOf(node(1))) === 'Slave', 'it is a replica again')
    await eventually(async () => (await admin.ask(`${S(1)}/status`)).status === 200, 'it answers reads again')
  })

  it('of a server that is down show what was read last, with its age, on request', async () => {
    await eventually(async () => {
      const [, replica] = await admin.json<readonly Entry[]>(`${C}/topology/servers`)
      return replica?.binaryLogFile !== ''
    }, 'it had a slow probe')
    await node(1).kill()
    await eventually(async () => (await cluster.stateOf(node(1))) === 'Failed', 'it has failed')
    expect(await admin.line(`${S(1)}/variables`)).to.equal('500 503 -Not a Valid Server!')
    const { status, text, headers } = await admin.ask(`${S(1)}/variables?last=true`)
    expect(status).to.equal(200)
    expect(valueIn(JSON.parse(text), 'PORT')).to.equal(`${node(1).port}`)
    expect(Number(headers.get('age') ?? -1)).to.be.at.least(0)
    expect(await admin.line(`${S(1)}/tables?last=true`)).to.equal('500 503 -Not a Valid Server!')
  })
})
