// What clients read of a cluster: shapes as documented, values as observed.
import { expect } from 'chai'
import { clusterViews } from '../../../../actors/protocol/cluster.js'
import { inertFields } from '../../../../http/api/docs/inert-fields.js'
import { clusterSchema } from '../../../../http/api/schemas/cluster.js'
import { explainSchema } from '../../../../http/api/schemas/operation.js'
import { serverSchema } from '../../../../http/api/schemas/server.js'
import { alertsSchema, aliveSchema, crashSchema, proxySchema } from '../../../../http/api/schemas/shapes.js'
import { renderCluster } from '../../../../http/api/views/cluster/cluster.js'
import { renderClusterViews } from '../../../../http/api/views/index.js'
import type { ViewInput } from '../../../../http/api/views/kit/input.js'
import type { FindingCode } from '../../../../lib/model/findings.js'
import type { Crash } from '../../../../lib/model/operation/crash.js'
import type { Operation } from '../../../../lib/model/operation/operation.js'
import { named } from '../../../../lib/model/server/named.js'
import { followProxy } from '../../../../lib/proxy/standing.js'
import { channel, replica, server, serverState, slowReading, viewInput } from '../../../support/http/view-input.js'

const read = (view: keyof typeof renderClusterViews, input: ViewInput = viewInput()) =>
  JSON.parse(Buffer.from(renderClusterViews[view](input)).toString())

const crash: Crash = {
  at: 1_795_246_812_345,
  oldPrimary: 'db1',
  newPrimary: 'db2',
  switchover: false,
  received: { '0': [[1, 150]] },
  byOrigin: { '0-1': [[1, 150]] },
  receivedText: '0-1-150',
  oldFile: 'binlog.000001',
  oldPosition: 400,
  newFile: 'binlog.000002',
  newPosition: 55,
  inSync: true,
}

const proxy = followProxy(undefined, {
  id: 'px1',
  name: 'proxy1',
  kind: 'haproxy',
  host: '127.0.0.1',
  port: 3310,
  at: 1_000,
  alive: true,
  version: '2.6',
  backends: [
    {
      host: 'db1',
      port: 3306,
      state: 'UP',
      group: 'write',
      connections: 2,
      bytesIn: 10,
      bytesOut: 20,
      latencyMs: 1,
    },
    { host: 'db2', port: 3306, state: 'MAINT', group: 'read', connections: 0, bytesIn: 0, bytesOut: 0, latencyMs: 0 },
  ],
})

describe('renderClusterViews', () => {
  it('renders every view', () => {
    for (const view of clusterViews) expect(renderClusterViews[view](viewInput()).length, view).to.be.greaterThan(1)
  })

  for (const [view, schema] of [
    ['cluster', clusterSchema],
    ['status', aliveSchema],
    ['servers', serverSchema.array()],
    ['master', serverSchema.nullable()],
    ['slaves', serverSchema.array()],
    ['proxies', proxySchema.array()],
    ['alerts', alertsSchema],
    ['crashes', crashSchema.array()],
    ['explain', explainSchema],
  ] as const)
    it(`renders ${view} in its documented shape`, () => {
      const memory = { ...viewInput().memory, history: [crash], crashes: [crash] }
      expect(schema.safeParse(read(view, viewInput({ memory, proxies: [proxy] }))).error).to.equal(undefined)
    })

  it('renders servers that have never answered in their documented shape', () => {
    const {
      state: _,
      stateAt: __,
      slow: ___,
      ...unseen
    } = server('db1', { stateName: 'suspect', observation: 'unseen' })
    expect(serverSchema.array().safeParse(read('servers', viewInput({}, [unseen]))).error).to.equal(undefined)
  })
})

describe('inertFields', () => {
  const { snapshot } = viewInput()
  const busy = viewInput({
    queryRates: { db1: 12 },
    proxies: [proxy],
    memory: { ...viewInput().memory, captures: { db1: { seconds: 1, output: 'FILE', on: false } as never } },
  })

  it('are what the objects have, whatever is going on', () => {
    const [monitor, cluster = {}, server = {}, proxyFields = {}] = Object.values(inertFields)
    expect(monitor).to.include({ isGitPull: false })
    for (const input of [viewInput(), busy, viewInput({ snapshot: { ...snapshot, servers: [] } })]) {
      expect(renderCluster(input)).to.deep.include(cluster)
      for (const one of read('servers', input)) expect(one).to.deep.include(server)
      for (const one of read('proxies', input)) expect(one).to.deep.include(proxyFields)
    }
  })
})

describe('renderServers', () => {
  it('shows the port as text and states in the words of the wire', () => {
    const [db1, db2] = read('servers')
    expect(db1).to.include({ id: 'db1', port: '3306', url: 'db1:3306', state: 'Master', isMaster: true })
    expect(db2).to.include({ state: 'Slave', isMaster: false, isSlave: true, readOnly: 'ON' })
  })

  it('calls a master virtual only where several servers could take writes', () => {
    const marks = (topology: ViewInput['snapshot']['topology']) =>
      read('servers', viewInput({ snapshot: { ...viewInput().snapshot, topology } })).map(
        ({ isMaster, isVirtualMaster }: Record<string, boolean>) => [isMaster, isVirtualMaster],
      )
    for (const topology of ['primary-replica', 'multi-tier'] as const)
      expect(marks(topology)[0], topology).to.deep.equal([true, false])
    for (const topology of ['ring', 'multi-primary', 'galera'] as const)
      expect(marks(topology).slice(0, 2), topology).to.deep.equal([
        [true, true],
        [false, false],
      ])
  })

  it('counts failed probes up to the limit of the setting', () => {
    const down = server('db1', { stateName: 'failed', observation: 'refused', failures: 765 })
    const config = { failoverFalsePositivePingCounter: 5 }
    expect(read('servers', viewInput({ config }, [down]))[0]).to.include({ failCount: 5, failSuspectHeartbeat: 0 })
  })

  it('shows NULL columns as objects', () => {
    const [, db2] = read('servers')
    expect(db2.replications[0]).to.deep.include({
      masterHost: { String: 'db1', Valid: true },
      masterPort: { String: '3306', Valid: true },
      slaveIoRunning: { String: 'Yes', Valid: true },
      secondsBehindMaster: { Int64: 0, Valid: true },
      usingGtid: { String: 'Slave_Pos', Valid: true },
      retrievedGtidSet: { String: '', Valid: false },
    })
  })

  it('shows an unknown lag as not valid', () => {
    const { lagSeconds: _, ...unknown } = channel({ io: 'connecting' })
    const [db2] = read('servers', viewInput({}, [replica('db2', { state: serverState({ channels: [unknown] }) })]))
    expect(db2.replications[0].secondsBehindMaster).to.deep.equal({ Int64: 0, Valid: false })
  })

  it('shows GTID positions as lists', () => {
    expect(read('servers')[0].currentGtid).to.deep.equal([{ domainId: 0, serverId: 1, seqNo: 150 }])
  })

  it('shows a received position with its origin as far as it is known', () => {
    const ahead = channel({ received: { '0': [[1, 160]] } })
    const [db2] = read('servers', viewInput({}, [replica('db2', { state: serverState({ channels: [ahead] }) })]))
    expect(db2.replications[0].gtidIoPos.String).to.equal('0-1-160')
  })

  it('shows MySQL sets as text and leaves the MariaDB positions empty', () => {
    const uuid = '3e11fa47-71ca-11e1-9e33-c80aa9429562'
    const set = { [uuid]: [[1, 5]] } as const
    const state = serverState({
      identity: { flavour: 'mysql', version: { major: 8, minor: 4, patch: 0 }, versionText: '8.4.0' },
      channels: [channel({ received: set, applied: set })],
    })
    const [db2] = read('servers', viewInput({}, [replica('db2', { state })]))
    expect(db2).to.include({ haveMysqlGtid: true, haveMariadbGtid: false })
    expect(db2.replications[0].retrievedGtidSet).to.deep.equal({ String: `${uuid}:1-5`, Valid: true })
    expect(db2.replications[0].gtidSlavePos.Valid).to.equal(false)
  })

  for (const [health, changes] of [
    ['Running OK', {}],
    ['Behind master', { lagSeconds: 4 }],
    ['NOT OK, IO Stopped (1236)', { io: 'stopped', ioError: { code: 1236, message: 'gone' } }],
    ['NOT OK, SQL Stopped (1062)', { sql: 'stopped', sqlError: { code: 1062, message: 'duplicate' } }],
    ['NOT OK, ALL Stopped', { io: 'stopped', sql: 'stopped' }],
    ['NOT OK, IO Connecting', { io: 'connecting' }],
  ] as const)
    it(`says "${health}"`, () => {
      const state = serverState({ channels: [channel(changes)] })
      expect(read('servers', viewInput({}, [replica('db2', { state })]))[0].replicationHealth).to.equal(health)
    })

  it('says of a Galera member that does not answer nothing that it last said of itself', () => {
    const galera = { state: 'synced', ready: true, comment: 'Synced', part: 'Primary', cluster: 'c' } as const
    const shown = (observation: 'answered' | 'refused') => {
      const { snapshot } = viewInput()
      const one = { ...server('db1'), role: 'member', observation, state: serverState({ galera }) } as const
      const [rendered] = read('servers', viewInput({ snapshot: { ...snapshot, servers: [one] } }))
      const { isWsrepSync, isWsrepPrimary, isWsrepDonor, isSlave, semiSyncMasterStatus } = rendered
      return { isWsrepSync, isWsrepPrimary, isWsrepDonor, isSlave, semiSyncMasterStatus }
    }
    const none = { isWsrepDonor: false, isSlave: false, semiSyncMasterStatus: false }
    expect(shown('answered')).to.include({ isWsrepSync: true, isWsrepPrimary: true, isSlave: true })
    expect(shown('refused')).to.deep.equal({ ...none, isWsrepSync: false, isWsrepPrimary: false })
  })

  it('says that a server is delayed where it is, by a setting or by hand', () => {
    const { snapshot } = viewInput()
    const delayed = { ...replica('db2'), state: serverState({ channels: [channel({ delaySeconds: 300 })] }) }
    expect(read('servers', viewInput({ snapshot: { ...snapshot, servers: [delayed] } }))[0].isDelayed).to.equal(true)
  })

  it('says "Maintenance" of a server that is in it, whatever its replication does', () => {
    const [db2] = read('servers', viewInput({}, [replica('db2', { maintenance: true, stateName: 'maintenance' })]))
    expect(db2).to.include({ replicationHealth: 'Maintenance', state: 'Maintenance', isMaintenance: true })
  })

  it('tags settings of replication, the misspelt tag beside the right one', () => {
    const slow = slowReading('db2', { variables: named({ binlog_format: 'ROW', slave_parallel_mode: 'aggressive' }) })
    const [db2] = read('servers', viewInput({}, [replica('db2', { slow })]))
    expect(db2.replicationTags.split(' ')).to.include.members(['AGFRESSIVE', 'AGGRESSIVE', 'ROW', 'GTID_STRICT_MODE'])
    expect(db2).to.include({ haveSlaveAggressive: true, haveBinlogRow: true, haveBinlogMixed: false })
  })

  it('shows the files of its binary log, the oldest and the one before the current', () => {
    const files = [
      ['bin.000007', 900],
      ['bin.000008', 400],
    ] as const
    const slow = slowReading('db1', { binlogs: { count: 8, oldest: 'bin.000001', files } })
    const [db1] = read('servers', viewInput({}, [server('db1', { slow })]))
    expect(db1).to.deep.include({
      ...{ binaryLogFilesCount: 8, binaryLogFileOldest: 'bin.000001', binaryLogFilePrevious: 'bin.000007' },
      binaryLogFiles: { 'bin.000007': 900, 'bin.000008': 400 },
    })
  })

  it('adds up what the relay logs of all channels take', () => {
    const channels = [channel({ name: 'a', relayLogBytes: 300 }), channel({ name: 'b', relayLogBytes: 4_000 })]
    const [db2] = read('servers', viewInput({}, [replica('db2', { state: serverState({ channels }) })]))
    expect(db2.relayLogSize).to.equal(4_300)
  })

  it('shows that statements are kept only where the performance schema is on', () => {
    const shown = (performance_schema: string, statementHistory: boolean) => {
      const slow = slowReading('db1', { statementHistory, variables: named({ performance_schema }) })
      return read('servers', viewInput({}, [server('db1', { slow })]))[0].havePFSSlowQueryLog
    }
    expect([shown('ON', true), shown('ON', false), shown('OFF', true)]).to.deep.equal([true, false, false])
  })

  it("shows the engine's counters that the flavour has", () => {
    const slow = slowReading('db1', {
      status: named({ innodb_deadlocks: '2', innodb_rows_read: '9', com_select: '1' }),
    })
    const [db1] = read('servers', viewInput({}, [server('db1', { slow })]))
    expect(db1.engineInnodb).to.deep.equal({ innodb_deadlocks: '2', innodb_rows_read: '9' })
  })

  it('shows the error log as it was last read', () => {
    const errorLog = [{ level: 'WARN', at: '2026-11-21 07:40:12', text: 'slow disk' }]
    const [db1, db2] = read('servers', viewInput({ lastReads: new Map([['db1', { errorLog }]]) }))
    expect(db1.errorLog).to.deep.equal({
      buffer: [{ group: 'db1:3306', level: 'WARN', timestamp: '2026/11/21 07:40:12', text: 'slow disk' }],
      ...{ len: 1, line: 1 },
    })
    expect(db2.errorLog).to.deep.equal({ buffer: [], len: 0, line: 0 })
  })

  it('shows the flags that a host is waiting for', () => {
    const [db1, db2] = read('servers', viewInput({ needs: { db2: ['restart'] } }))
    expect(db1.needRestart).to.equal(false)
    expect(db2.needRestart).to.equal(true)
  })
})

describe('renderMaster', () => {
  it('is null without a master', () => {
    const { primary: _, ...snapshot } = viewInput().snapshot
    expect(read('master', viewInput({ snapshot }))).to.equal(null)
  })

  it('stays the believed master while it is down', () => {
    const down = server('db1', { stateName: 'failed', observation: 'refused', failures: 3 })
    expect(read('master', viewInput({}, [down, replica('db2')]))).to.include({
      id: 'db1',
      state: 'Failed',
      failCount: 3,
    })
  })
})

describe('renderSlaves', () => {
  it('lists replicas and relays only', () => {
    const relay = replica('db3', { role: 'relay', stateName: 'relay' })
    const names = read('slaves', viewInput({}, [server('db1'), replica('db2'), relay])).map(
      ({ id }: { id: string }) => id,
    )
    expect(names).to.deep.equal(['db2', 'db3'])
  })
})

describe('renderCluster', () => {
  it('shows availability as percent with five decimals and rounds nothing up to a full hundred', () => {
    expect(read('cluster')).to.include({ uptime: '100.00000', uptimeFailable: '99.99990', uptimeSemisync: '50.00000' })
    const nearly = { since: 0, at: 1e9, upMs: 1e9 - 1, failableMs: 1e9, syncMs: 0 }
    expect(read('cluster', viewInput({ sla: nearly })).uptime).to.equal('99.99999')
  })

  it('is failable while no error is open', () => {
    expect(read('cluster').isFailable).to.equal(true)
    const snapshot = { ...viewInput().snapshot, findings: [{ code: 'ERR00012', detail: '' } as const] }
    expect(read('cluster', viewInput({ snapshot })).isFailable).to.equal(false)
  })

  it('carries the masked settings, the members and the log', () => {
    const cluster = read('cluster')
    expect(cluster.config.replicationCredential).to.equal('*:*')
    expect(cluster.dbServers).to.deep.equal(['db1', 'db2', 'db3'])
    expect(cluster.configurator.dbServersTags).to.deep.equal(['semisync', 'row'])
    expect(cluster.log).to.deep.include({ len: 1 })
    expect(cluster).to.include({ topology: 'master-slave', monitorSpin: '0 ', activePassiveStatus: 'A' })
  })

  it('says whether the sites are parted, the majority is lost and the arbitrator is silent', () => {
    const shown = (codes: readonly FindingCode[], servers = [server('db1'), replica('db2'), replica('db3')]) => {
      const input = viewInput({}, servers)
      const findings = codes.map((code) => ({ code, detail: '' }))
      return read('cluster', { ...input, snapshot: { ...input.snapshot, findings } })
    }
    expect(shown([])).to.include({ isSplitBrain: false, isLostMajority: false, isFailedArbitrator: false })
    expect(shown(['WARN0079'])).to.include({ isSplitBrain: true, isFailedArbitrator: false })
    expect(shown(['ERR00063'])).to.include({ isSplitBrain: true })
    expect(shown(['ERR00055'])).to.include({ isSplitBrain: false, isFailedArbitrator: true })
    const down = (id: string) => server(id, { observation: 'silent' })
    expect(shown([], [server('db1'), replica('db2'), down('db3')]).isLostMajority).to.equal(false)
    expect(shown([], [server('db1'), down('db2')]).isLostMajority).to.equal(true)
    expect(shown([], [server('db1'), down('db2'), down('db3')]).isLostMajority).to.equal(true)
  })

  it('says what is down', () => {
    const down = server('db1', { stateName: 'failed', observation: 'refused' })
    expect(read('cluster', viewInput({}, [down, replica('db2')]))).to.include({
      ...{ isDown: true, isMasterDown: true, isClusterDown: false, isAllDbUp: false },
    })
  })

  it('shows in which variables replicas differ, unless that is not watched', () => {
    const servers = [
      server('db1'),
      replica('db2', {
        slow: slowReading('db2', {
          variables: named({ hostname: 'db2', binlog_format: 'ROW', max_connections: '50' }),
        }),
      }),
    ]
    const diffVariables = [
      {
        variableName: 'MAX_CONNECTIONS',
        diffValues: [
          { serverName: 'db1', variableValue: '151' },
          { serverName: 'db2', variableValue: '50' },
        ],
      },
    ]
    expect(read('cluster', viewInput({}, servers))).to.deep.include({ diffVariables })
    const unwatched = viewInput({ config: { monitoringVariableDiff: false } }, servers)
    expect(read('cluster', unwatched)).to.deep.include({ diffVariables: [] })
  })

  it('separates needs of databases and of proxies', () => {
    const ofProxy = read('cluster', viewInput({ needs: { db1: [], haproxy1: ['restart', 'reprov'] } }))
    expect(ofProxy).to.include({ isNeedProxyRestart: true, isNeedProxiesRestart: true, isNeedProxiesReprov: true })
    expect(ofProxy).to.include({ isNeedDatabasesRestart: false, isNeedDatabasesReprov: false })
    const ofDatabase = read('cluster', viewInput({ needs: { db1: ['restart', 'config-change'] } }))
    expect(ofDatabase).to.include({ isNeedDatabasesRestart: true, isNeedDatabasesConfigChange: true })
    expect(ofDatabase).to.include({ isNeedProxyRestart: false, isNeedProxiesConfigChange: false })
  })

  it('is capturing while a slow log takes every statement', () => {
    const captures = { db2: { seconds: 10, logging: false } }
    const input = viewInput()
    expect(read('cluster', input)).to.include({ isCapturing: false })
    expect(read('cluster', { ...input, memory: { ...input.memory, captures } })).to.include({ isCapturing: true })
  })

  it('shows how busy the thread pool of the primary is', () => {
    const status = named({ threadpool_threads: '5', threadpool_idle_threads: '4', busy_time: '1.5' })
    const slow = slowReading('db1', { status, variables: named({ thread_pool_size: '2' }) })
    expect(read('cluster', viewInput({}, [server('db1', { slow })])).workLoad).to.include({
      cpuThreadPool: 50,
      BusyTime: '1.5',
    })
  })

  it('shows sizes of tables as last read of the primary, else of another, and 0 before', () => {
    const [first, second] = [{ tables: { data: 500, index: 20 } }, { tables: { data: 400, index: 10 } }]
    const shown = (lastReads: ViewInput['lastReads']) => {
      const { dbTableSize, dbIndexSize } = read('cluster', viewInput(lastReads ? { lastReads } : {})).workLoad
      return [dbTableSize, dbIndexSize]
    }
    expect(shown(undefined)).to.deep.equal([0, 0])
    expect(shown(new Map([['db2', second]]))).to.deep.equal([400, 10])
    expect(shown(new Map(Object.entries({ db2: second, db1: first })))).to.deep.equal([500, 20])
  })

  it('offers the tags of databases and of proxies apart', () => {
    const ssd = { id: 1, name: 'ssd', category: 'disk' }
    const split = { id: 2, name: 'readonmaster', category: 'proxy' }
    const tags = [ssd, split]
    const { configurator } = read('cluster', viewInput({ tags }))
    expect(configurator).to.deep.include({ configTags: [ssd], configPrxTags: [split] })
  })

  it('counts connections of all servers', () => {
    expect(read('cluster').workLoad.connections).to.equal(9)
  })
})

describe('proxies that are not watched', () => {
  const sphinx = { kind: 'proxy', software: 'sphinx', id: 'px9', name: 'db9:9312', host: 'db9', port: 9312 } as const

  it('are listed without a state, and the cluster counts them', () => {
    const input = viewInput({ proxies: [proxy], services: [sphinx, { ...sphinx, id: proxy.id, software: 'haproxy' }] })
    const shown = read('proxies', input)
    expect(shown.map(({ id, type, state }: Record<string, string>) => `${id} ${type} ${state}`)).to.deep.equal([
      `${proxy.id} haproxy ProxyRunning`,
      'px9 sphinx ',
    ])
    for (const one of shown) expect(() => proxySchema.parse(one)).not.to.throw()
    expect(renderCluster(input).proxyServers).to.deep.equal([proxy.id, 'px9'])
  })
})

describe('renderAlerts', () => {
  it('sorts findings by severity and names the server', () => {
    const snapshot = {
      ...viewInput().snapshot,
      findings: [{ code: 'ERR00012', server: 'db2', detail: 'at all' } as const],
    }
    const alerts = read('alerts', viewInput({ snapshot }))
    expect(alerts.warnings).to.deep.equal([])
    expect(alerts.errors[0]).to.include({ number: 'ERR00012', from: 'TOPO', server: 'db2' })
    expect(alerts.errors[0].runbook).to.match(/^\/api\/runbooks\/ERR00012\?cluster=\w+&server=db2$/)
    expect(alerts.errors[0].desc).to.match(/at all$/)
  })

  it('is empty lists, never null', () => {
    expect(read('alerts')).to.deep.equal({ errors: [], warnings: [] })
  })
})

describe('renderStatus', () => {
  it('says errors while one is open', () => {
    const snapshot = { ...viewInput().snapshot, findings: [{ code: 'ERR00012', detail: '' } as const] }
    expect(read('status')).to.deep.equal({ alive: 'running' })
    expect(read('status', viewInput({ snapshot }))).to.deep.equal({ alive: 'errors' })
  })
})

describe('renderCrashes', () => {
  it('shows addresses, coordinates as text and seconds', () => {
    const memory = { ...viewInput().memory, history: [crash] }
    expect(read('crashes', viewInput({ memory }))).to.deep.equal([
      {
        URL: 'db1:3306',
        ElectedMasterURL: 'db2:3306',
        FailoverMasterLogFile: 'binlog.000001',
        FailoverMasterLogPos: '400',
        NewMasterLogFile: 'binlog.000002',
        NewMasterLogPos: '55',
        FailoverSemiSyncSlaveStatus: true,
        FailoverIOGtid: [{ domainId: 0, serverId: 1, seqNo: 150 }],
        failoverIOGtidString: '0-1-150',
        UnixTimestamp: 1_795_246_812,
        Switchover: false,
      },
    ])
  })
})

describe('renderProxies', () => {
  it('splits the backends and shows figures as text', () => {
    const [px1] = read('proxies', viewInput({ proxies: [proxy] }))
    expect(px1).to.include({ type: 'haproxy', port: '3310', state: 'ProxyRunning' })
    expect(px1.backendsWrite[0]).to.include({
      host: 'db1',
      prxConnections: '2',
      prxByteOut: '20',
      prxMaintenance: false,
    })
    expect(px1.backendsRead[0]).to.include({ host: 'db2', prxMaintenance: true })
    expect(px1).not.to.have.any.keys('wantedWrite', 'wantedRead')
  })

  it('names the servers that it should send to beside those that it does', () => {
    const reader = { id: 'db2', host: 'db2', port: 3306, state: 'drain' } as const
    const routes = { primary: { id: 'db1', host: 'db1', port: 3306 }, readers: [reader] }
    const [px1] = read('proxies', viewInput({ proxies: [proxy], routes }))
    expect(px1.wantedWrite).to.deep.equal([{ host: 'db1', port: '3306', state: 'ready' }])
    expect(px1.wantedRead).to.deep.equal([{ host: 'db2', port: '3306', state: 'drain' }])
  })
})

describe('renderLogs', () => {
  it('gives one line of text per entry', () => {
    expect(read('logs')).to.deep.equal(['2026/11/21 07:40:12 [demo] INFO - Monitoring begins'])
  })
})

describe('renderGateway', () => {
  it('numbers the slots by the order of the snapshot, and says what each server runs', () => {
    const software = { flavour: 'mariadb', version: { major: 10, minor: 11, patch: 6 } }
    expect(read('gateway')).to.deep.equal({
      servers: ['db1', 'db2', 'db3'].map((id, slot) => ({ id, name: id, host: id, port: 3306, slot, software })),
      proxies: [],
      active: true,
      primary: 'db1',
    })
  })

  it('says that two may act', () => {
    const { snapshot } = viewInput()
    const input = viewInput({ snapshot: { ...snapshot, findings: [{ code: 'WARN0079', detail: '' }] } })
    expect(read('gateway', input)).to.deep.include({ splitBrain: true })
  })
})

describe('renderExplain', () => {
  it('is the verdict with the names of the servers', () => {
    const explained = read('explain')
    expect(explained).to.include({ wouldFailOver: false, candidate: 'db2' })
    expect(explained.servers).to.deep.equal({ db1: 'db1', db2: 'db2', db3: 'db3' })
    expect(explained.operation).to.equal(null)
  })

  it('shows moments in whole milliseconds', () => {
    const input = viewInput()
    const operation: Operation = {
      ...{ id: 'switchover-1', kind: 'switchover', owner: 'ada', reason: 'asked', phase: 'succeeded' },
      ...{ startedAt: 1000.4, deadlineAt: 31000.4, endedAt: 1500.6 },
      steps: [{ command: { type: 'promote', server: 'db2' }, state: 'done', startedAt: 1100.25, tookMs: 5 }],
    }
    const explained = read('explain', {
      ...input,
      verdict: { ...input.verdict, at: 1234.56 },
      lastOperation: operation,
    })
    expect(explained.at).to.equal(1235)
    expect(explained.lastOperation).to.deep.include({ startedAt: 1000, deadlineAt: 31000, endedAt: 1501 })
    expect(explained.lastOperation.steps[0].startedAt).to.equal(1100)
  })
})
