// Every row of the interface that only reads, asked of a running daemon: its status, and its body against its schema.
import { expect } from 'chai'
import { routes } from '../../http/api/index.js'
import type { Reply, Route } from '../../http/api/kit/route.js'
import { wireFailure } from '../../http/api/kit/statuses.js'
import type { FailureCode } from '../../lib/base/failures.js'
import { fillPath } from '../support/http/fill.js'
import { addressOf, pageHeaders, pageTabs } from '../support/http/page-requests.js'
import { typesOf } from '../support/http/types-of.js'
import { undocumented } from '../support/http/undocumented.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'
type Entry = Readonly<Record<string, unknown>>

/** Streams that do not end, an answer that comes after twenty minutes, and a backup, which begins by GET. */
const others: readonly string[] = ['cluster.events', 'clusters.fleet-events', 'global.timeout', 'server.backup']

/** Rows that say no here, and with what: nothing is switched on, needed or under way. */
const refusals: Readonly<Record<string, FailureCode>> = {
  'session.autologin': 'disabled',
  'session.dashboard-token': 'disabled',
  'session.sign-on': 'disabled',
  'session.signed-on': 'disabled',
  'price.cluster': 'disabled',
  'price.show': 'disabled',
  'price.month': 'disabled',
  'job.show': 'unknown-job',
  'need.task': 'unknown-job',
  'recovery.plan': 'no-recovery',
  'recovery.plan-new-server': 'no-recovery',
  'repository.commits': 'wrong-state',
  'subscription.show': 'unknown-account',
  'subscription.plans': 'registration-unreachable',
  'checksum.show': 'unknown-table',
  'checksum.repair-plan': 'unknown-table',
  'server.way-back': 'is-primary',
  'server.divergence': 'is-primary',
  'server.divergence-sql': 'is-primary',
  'server.divergence-plan': 'is-primary',
}

/** What a row cannot be asked without. */
const queries: Readonly<Record<string, string>> = {
  'series.render': '?target=mysql.*.mysql_global_status_threads_running&format=json',
}

const isNeed = ({ id }: Route): boolean => /^need\.|^proxy\.need-/.test(id) && id !== 'need.config-fetch'

const contentTypes: Readonly<Record<Reply['type'], RegExp>> = {
  json: /^application\/json/,
  view: /^application\/json/,
  text: /^text\/plain/,
  empty: /^/,
  bytes: /^application\/octet-stream$/,
  events: /^text\/event-stream/,
  page: /^text\/markdown/,
  metrics: /^text\/plain; version=0\.0\.4/,
}

describe('rows that read, on a cluster of three', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser
  before(async () => {
    cluster = await startProtectedCluster({
      options: [
        ...['--performance-schema=ON', '--plugin-load-add=query_response_time', '--plugin-load-add=metadata_lock_info'],
        ...['--query-response-time-stats=ON', '--log-error=error.log', '--slow-query-log=ON'],
        '--performance-schema-consumer-events-statements-history-long=ON',
      ],
      settings: { 'prov-orchestrator': 'local', haproxy: true, 'haproxy-servers': '127.0.0.1' },
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await eventually(async () => (await proxies()).length === 1, 'the proxy is known')
    await cluster.nodes[0]?.sql('FLUSH BINARY LOGS') // seen by the time that all rows were asked
  })
  after(() => end(cluster))

  const servers = () => admin.json<readonly Entry[]>(`${C}/topology/servers`)
  const proxies = () => admin.json<readonly Entry[]>(`${C}/topology/proxies`)

  /** Every spelling of the row's path, with what there is. */
  const targetsOf = async ({ id, paths }: Route): Promise<readonly string[]> => {
    const [primary, replica] = cluster.nodes
    const [proxy] = await proxies()
    return paths.map((path) => {
      const node = /is-slave|slave-status|replica$/.test(path) ? replica : primary
      const server = path.includes(':port') ? '127.0.0.1' : `127.0.0.1:${node?.port}`
      const place = { cluster: 'story', server, port: String(node?.port), proxy: String(proxy?.id), job: '1' }
      return fillPath(path, place) + (queries[id] ?? '')
    })
  }

  for (const row of routes.filter(({ methods, id }) => methods.join() === 'GET' && !others.includes(id))) {
    const refusal = refusals[row.id] ?? (isNeed(row) ? 'check-negative' : undefined)
    it(`${row.id}: ${refusal ?? row.reply.status}`, async () => {
      for (const target of await targetsOf(row)) {
        const { status, text, headers } = await admin.ask(target) // throws for a body that is not of its schema
        const [expected] = refusal === undefined ? [row.reply.status] : wireFailure(refusal, row)
        expect(status, `${target}\n${text}`).to.equal(expected)
        if (refusal !== undefined) continue
        expect(headers.get('content-type'), target).to.match(contentTypes[row.reply.type])
        if (row.reply.schema) expect(undocumented(row.reply.schema, JSON.parse(text)), target).to.deep.equal([])
      }
    })
  }

  it('fills what a server reports of its logs, its engine and its statements', async () => {
    const [primary, replica] = cluster.nodes
    let shown: Entry = {}
    await eventually(async () => {
      shown = (await servers()).find(({ url }) => url === `127.0.0.1:${primary?.port}`) ?? {}
      return Number(shown.binaryLogFilesCount) === 2
    }, 'the second file of the binary log is seen')
    expect(shown).to.include({ binaryLogFileOldest: 'bin.000001', binaryLogFilePrevious: 'bin.000001' })
    expect(shown).to.include({ binaryLogFile: 'bin.000002', havePFSSlowQueryLog: true, relayLogSize: 0 })
    expect(Object.keys(shown.binaryLogFiles as Entry)).to.deep.equal(['bin.000001', 'bin.000002'])
    for (const bytes of Object.values(shown.binaryLogFiles as Entry)) expect(bytes).to.be.above(0)
    expect(Number((shown.engineInnodb as Entry).innodb_buffer_pool_pages_total)).to.be.above(0)
    await eventually(async () => {
      const follower = (await servers()).find(({ url }) => url === `127.0.0.1:${replica?.port}`)
      return Number(follower?.relayLogSize) > 0
    }, 'the relay log of a replica is seen')
  })

  it('shows beside them what was last read on request: the error log, and the sizes of the tables', async () => {
    const S = `${C}/servers/127.0.0.1:${cluster.nodes[0]?.port}`
    const read = await admin.json<{ readonly buffer: readonly unknown[] }>(`${S}/errorlog`)
    const tables = await admin.json<readonly { data_length: number; index_length: number }[]>(`${S}/tables`)
    const sum = (key: 'data_length' | 'index_length') => tables.reduce((total, table) => total + table[key], 0)
    expect(sum('data_length')).to.be.above(0)
    await eventually(async () => {
      const [server] = await servers()
      return JSON.stringify((server?.errorLog as typeof read | undefined)?.buffer) === JSON.stringify(read.buffer)
    }, 'the server object shows the error log that was read')
    await eventually(async () => {
      const { workLoad } = await admin.json<{ readonly workLoad: Entry }>(C)
      return workLoad.dbTableSize === sum('data_length') && workLoad.dbIndexSize === sum('index_length')
    }, 'the cluster object shows the sizes that were read')
  })

  it('answers the page of an existing system, tab by tab, and its switch of traffic', async () => {
    const place = { cluster: 'story', server: `127.0.0.1:${cluster.nodes[0]?.port}` }
    for (const { path, reads = {} } of Object.values(pageTabs).flat()) {
      const target = addressOf(path, place)
      const { status, text, headers } = await admin.ask(target, { headers: pageHeaders })
      expect([status, headers.get('content-type')], target).to.deep.equal([200, 'application/json; charset=utf-8'])
      const found = typesOf(JSON.parse(text))
      // What stands in a list or a map may be absent: there may be no entry.
      const wrong = Object.entries(reads).filter(
        ([at, type]) => (found[at] ?? (/\[\]|\*/.test(at) ? type : '')) !== type,
      )
      expect(wrong, target).to.deep.equal([])
    }
    const isWriting = async () => (await admin.json<{ readonly traffic: { readonly on: boolean } }>(C)).traffic.on
    for (const wanted of [true, false]) {
      expect((await admin.ask(`${C}/actions/switch/database-heartbeat`, { headers: pageHeaders })).status).to.equal(200)
      await eventually(async () => (await isWriting()) === wanted, `traffic is ${wanted ? 'written' : 'ended'}`)
    }
    const schema = await admin.json<readonly Entry[]>(`${C}/schema`)
    expect(schema.map(({ table_schema }) => table_schema)).to.include('spec')
  })

  it('takes the account of ProxySQL under one name, as one change of two settings', async () => {
    const set = await admin.ask(`${C}/settings/actions/set/proxysql-servers-credential/ops:s:c`)
    expect(JSON.parse(set.text)).to.include({ name: 'proxysql-password', value: '*:*' })
    expect(await admin.json<Entry>(`${C}/settings`)).to.include({ proxysqlUser: 'ops', proxysqlPassword: '*:*' })
    const [change] = await admin.json<readonly { readonly along: Entry }[]>(`${C}/settings/history`)
    expect(Object.keys(change?.along ?? {})).to.deep.equal(['proxysql-user'])
    expect(await admin.line(`${C}/settings/actions/set/maxscale-servers-credential/ops`)).to.match(
      /^400 .*user:password/,
    )
  })

  it('offers every tag in the cluster object, and shows the log of the manager to users that may see it', async () => {
    const { configurator } = await admin.json<{
      readonly configurator: Readonly<Record<'configTags' | 'configPrxTags', readonly Entry[]>>
    }>(C)
    const tags = await admin.json<readonly Entry[]>(`${C}/tags`)
    expect([...configurator.configTags, ...configurator.configPrxTags]).to.deep.equal(tags)
    const { logs } = await admin.json<{ readonly logs: { readonly buffer: readonly Entry[] } }>('/api/monitor')
    expect(logs.buffer.some(({ text }) => String(text).startsWith('manager-started'))).to.equal(true)
    expect(logs.buffer.some(({ group }) => group === 'story')).to.equal(true)
  })
})
