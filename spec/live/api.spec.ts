// What the API of a running daemon answers about a real cluster: shapes that clients read, texts of every refusal.
import { expect } from 'chai'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { eventually } from '../support/wait.js'

interface Member {
  readonly id: string
  readonly name: string
  readonly port: string
  readonly state: string
  readonly replications: readonly Readonly<Record<string, unknown>>[]
}

/** What interface clients read of the objects, key by key, with the type they expect. */
const clusterKeys = {
  string: 'name tenant workingDir topology activePassiveStatus uptime uptimeFailable uptimeSemisync monitorSpin',
  number: 'failoverCounter failoverLastTime waitingFailover waitingSwitchover waitingRejoin',
  boolean:
    'isDown isClusterDown isMasterDown isAllDbUp isFailable isProvision isNotMonitoring isCapturing isLostMajority ' +
    'isSplitBrain isFailedArbitrator isNeedProxiesRestart isNeedProxiesReprov isNeedDatabasesRestart ' +
    'isNeedDatabasesReprov isNeedDatabasesRollingRestart isNeedDatabasesRollingReprov isNeedDatabasesConfigChange ' +
    'inRollingRestart inLogicalBackup inPhysicalBackup',
  object:
    'config configurator apiUsers topologyType stateMachine workLoad log logTask backupList backupStat jobResults',
  array: 'dbServers proxyServers dbServersCrashes failoverHistory slaHistory agents diffVariables',
} as const

const serverKeys = {
  string:
    'id name host port url state prevState readOnly replicationTags replicationHealth gtidExecuted binaryLogFile ' +
    'binaryLogPos binaryLogFileOldest longQueryTime longQueryTimeSaved slowQueryLog logOutput',
  number: 'failCount failSuspectHeartbeat serverId domainId binaryLogOldestTimestamp',
  boolean:
    'prefered ignored ignoredRO isMaintenance isVirtualMaster isSlave isRelay isDelayed eventScheduler haveMariadbGtid ' +
    'haveMysqlGtid semiSyncMasterStatus semiSyncSlaveStatus haveMetaDataLocksLog ' +
    'haveQueryResponseTimeLog haveSQLErrorLog',
  object: 'dbVersion masterStatus slaveVariables errorLog',
  array: 'replications currentGtid slaveGtid gtidBinlogPos',
} as const

const monitorKeys = {
  string: 'version fullVersion os arch hostname uuid status',
  object: 'config',
  array: 'clusters tests serviceOrchestrators servicePlans serviceAcl serviceRoles serviceRepos',
} as const

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/** The keys that are missing or of another type. */
function amiss(object: Readonly<Record<string, unknown>>, keys: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(keys).flatMap(([type, names]) =>
    names.split(' ').flatMap((name) => (typeOf(object[name]) === type ? [] : [`${name}: ${typeOf(object[name])}`])),
  )
}

const C = '/api/clusters/story'

describe('the API of a three-node cluster shows', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser
  let stranger: ApiUser
  let members: readonly Member[]

  before(async () => {
    cluster = await startProtectedCluster({
      semiSync: true,
      defaults: {
        'api-credentials': 'admin:spec-password,guest:guest-password',
        'api-credentials-acl-allow': 'admin:cluster db proxy prov global grant show,guest:show',
      },
    })
    const { manager } = cluster
    admin = await ApiUser.login(manager, 'admin', 'spec-password')
    stranger = new ApiUser(manager)
    members = await admin.json(`${C}/topology/servers`)
    // What only slow probes read, and what the first probes may still have seen: replicas that catch up.
    let servers: readonly (Member & { readonly binaryLogFile: string })[] = []
    let faults: readonly string[] = []
    await eventually(
      async () => {
        servers = await admin.json(`${C}/topology/servers`)
        ;({ healthFaults: faults } = await admin.json<{ readonly healthFaults: readonly string[] }>(C))
        const delays = servers.flatMap(({ replications }) => replications.map((one) => one.secondsBehindMaster))
        return (
          servers.every(({ binaryLogFile }) => binaryLogFile !== '') &&
          delays.every((delay) => JSON.stringify(delay) === '{"Int64":0,"Valid":true}') &&
          faults.length === 0
        )
      },
      () => `every server had a slow probe, and the cluster is healthy: ${JSON.stringify([servers, faults])}`,
    )
  })
  after(() => cluster?.destroy())

  const url = (node = 0): string => `127.0.0.1:${cluster.nodes[node]?.port}`

  it('the cluster, in the list and alone', async () => {
    const one = await admin.json<Readonly<Record<string, unknown>>>(C)
    expect(amiss(one, clusterKeys)).to.deep.equal([])
    expect(one).to.include({ name: 'story', topology: 'master-slave', isFailable: true, isDown: false })
    expect(one.dbServers).to.deep.equal(members.map(({ id }) => id))
    const list = await admin.json<readonly { readonly name: string }[]>('/api/clusters')
    expect(list.map(({ name }) => name)).to.deep.equal(['story'])
  })

  it('who may do what, so that a dashboard knows what to offer', async () => {
    const { apiUsers } = await admin.json<{ apiUsers: Record<string, { grants: Record<string, boolean> }> }>(C)
    expect(Object.keys(apiUsers).sort()).to.deep.equal(['admin', 'guest'])
    expect(apiUsers.admin?.grants).to.include({ 'cluster-failover': true, 'db-start': true, show: true })
    expect(apiUsers.guest?.grants).to.include({ 'cluster-failover': false, 'db-start': false, show: true })
  })

  it('every server, its master and its slaves', async () => {
    const servers = await admin.json<readonly Readonly<Record<string, unknown>>[]>(`${C}/topology/servers`)
    for (const server of servers) expect(amiss(server, serverKeys)).to.deep.equal([])
    const states = async () =>
      (await admin.json<readonly Member[]>(`${C}/topology/servers`)).map(({ state }) => state).join()
    await eventually(async () => (await states()) === 'Master,Slave,Slave', 'one primary and two replicas')
    const master = await admin.json<Member>(`${C}/topology/master`)
    expect(master).to.include({
      id: members[0]?.id,
      state: 'Master',
      isMaster: true,
      isVirtualMaster: false,
      readOnly: 'OFF',
    })
    const slaves = await admin.json<readonly Member[]>(`${C}/topology/slaves`)
    expect(slaves.map(({ id }) => id)).to.deep.equal(members.slice(1).map(({ id }) => id))
    for (const { replications } of slaves)
      expect(replications[0]).to.deep.include({
        masterHost: { String: '127.0.0.1', Valid: true },
        masterPort: { String: String(cluster.nodes[0]?.port), Valid: true },
        slaveIoRunning: { String: 'Yes', Valid: true },
        slaveSqlRunning: { String: 'Yes', Valid: true },
        secondsBehindMaster: { Int64: 0, Valid: true },
      })
  })

  it('the monitor, its heartbeat and whether it is alive', async () => {
    expect(amiss(await admin.json('/api/monitor'), monitorKeys)).to.deep.equal([])
    expect(await stranger.json('/api/heartbeat')).to.deep.include({
      ...{ cluster: 'story', master: url(), status: 'A', hosts: 3, failed: 0 },
    })
    expect(await stranger.line('/api/status')).to.equal('200 {"alive":"running"}')
    expect(await stranger.line(`${C}/status`)).to.equal('200 {"alive":"running"}')
  })

  it('settings without secrets', async () => {
    const settings = await admin.json<Readonly<Record<string, unknown>>>(`${C}/settings`)
    expect(settings).to.include({ failoverMode: 'automatic', dbServersCredential: '*:*', apiCredentials: '*:*' })
    for (const target of [C, '/api/clusters', '/api/monitor', `${C}/settings?detail=true`])
      expect((await admin.ask(target)).text).to.not.match(/spec-password|monitor:monitor|repl:repl/)
  })

  it('logs, alerts and crashes', async () => {
    const logs = await admin.json<readonly string[]>(`${C}/topology/logs`)
    for (const line of logs) expect(line).to.match(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[story\] [A-Z]+ - ./)
    expect(logs.some((line) => line.endsWith(`The primary is ${url()}`))).to.equal(true)
    const { errors, warnings } = await admin.json<Record<'errors' | 'warnings', readonly object[]>>(
      `${C}/topology/alerts`,
    )
    expect(errors).to.deep.equal([])
    for (const warning of warnings) expect(warning).to.include.keys('number', 'desc', 'from')
    expect(await admin.json(`${C}/topology/crashes`)).to.deep.equal([])
    expect(await admin.json(`${C}/topology/proxies`)).to.deep.equal([])
  })

  it('what a server says of itself', async () => {
    const S = `${C}/servers/${members[1]?.id}`
    const value = async (word: string, name: string) =>
      (await admin.json<readonly { variableName: string; value: string }[]>(`${S}/${word}`)).find(
        ({ variableName }) => variableName === name,
      )?.value
    expect(await value('variables', 'SERVER_ID')).to.equal('2')
    expect(await value('variables', 'READ_ONLY')).to.equal('ON')
    expect(Number(await value('status', 'UPTIME'))).to.be.greaterThan(0)
    const processes = await admin.json<readonly object[]>(`${S}/processlist`)
    expect(processes.length).to.be.greaterThan(0)
    for (const process of processes) expect(process).to.include.keys('id', 'user', 'host', 'db', 'command', 'time')
    expect(await admin.json(`${S}/master-status`)).to.deep.include({ file: 'bin.000001', binlogDoDB: '' })
    const [channel] = await admin.json<readonly object[]>(`${S}/all-slaves-status`)
    expect(channel).to.deep.include({ slaveIoRunning: { String: 'Yes', Valid: true }, masterServerId: 1 })
    expect(await admin.json(`${C}/servers/${url()}/all-slaves-status`)).to.deep.equal([])
  })

  it('servers by id, by name, by address, and by host and port', async () => {
    for (const named of [members[1]?.id, members[1]?.name, url(1)])
      expect((await admin.ask(`${C}/servers/${named}/master-status`)).status, named).to.equal(200)
    expect((await stranger.ask(`${C}/servers/127.0.0.1/${members[1]?.port}/is-slave`)).status).to.equal(200)
  })

  for (const [word, line] of [
    ['need-start', '500 500 -No start needed!'],
    ['need-stop', '500 500 -No stop needed!'],
    ['need-config-change', '500 500 -No config change needed!'],
    ['need-prov', '503 503 -No provisioning needed!'],
    ['need-unprov', '503 503 -No unprov needed!'],
    ['need-reprov', '503 503 -No reprov needed!'],
    ['need-restart', '503 503 -No restart needed!'],
    ['need-config-fetch', '200 200 -Need config fetch!'],
  ] as const)
    it(`${word} to anybody who asks`, async () => {
      expect(await stranger.line(`${C}/servers/127.0.0.1/${members[0]?.port}/${word}`)).to.equal(line)
    })

  it('why it would not fail over now', async () => {
    const verdict = await admin.json<Readonly<Record<string, unknown>>>(`${C}/failover/explain`)
    expect(verdict).to.include({ wouldFailOver: false, primaryDead: false, primary: members[0]?.id })
    expect(verdict.loss).to.include({ kind: 'none' })
  })
})
