// What the existing system's own page asks, in the order of a load and of each of its tabs, with the fields it reads.

export interface PageRequest {
  readonly method: 'GET' | 'POST'
  /** `S` is a server of the cluster, `C` the cluster. */
  readonly path: string
  readonly body?: object
  /** Types of fields that the page reads without asking whether they are there. */
  readonly reads?: Readonly<Record<string, string>>
  /** The contract fixes a text; the page shows it as an error. */
  readonly text?: string
}

const get = (path: string, reads?: PageRequest['reads']): PageRequest => ({
  ...{ method: 'GET', path },
  ...(reads ? { reads } : {}),
})
const post = (path: string, body: object): PageRequest => ({ method: 'POST', path, body })

/** Each of the names of one type. */
const all = (type: string, names: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))

const nullTexts = (names: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.split(' ').flatMap((name) => [
      [`[].${name}.String`, 'text'],
      [`[].${name}.Valid`, 'boolean'],
    ]),
  )

const listed = (reads: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({ '': 'list', ...reads })

const monitor = get('/api/monitor', {
  ...all('text', '.version .fullVersion .serviceAcl[].grant .serviceRoles[].role'),
  ...all('text', '.servicePlans[].plan .serviceOrchestrators[].name'),
  ...all('boolean', '.serviceAcl[].enable .serviceOrchestrators[].available'),
  ...all('list', '.clusters .tests .serviceRepos .servicePlans .serviceOrchestrators .logs.buffer'),
  ...all('object', '.config .serviceDisk .serviceFS .servicePool .serviceVM .backupLogicalList .backupPhysicalList'),
  ...all('object', '.backupBinlogList .binlogParseList .graphiteTemplateList'),
})

const cluster = get('C', {
  ...all('text', '.name .topology .uptime .uptimeFailable .uptimeSemisync .monitorSpin .activePassiveStatus'),
  ...all('text', '.config.provOrchestrator .config.provDbMemory .config.topologyTarget'),
  ...all('boolean', '.config.interactive .config.verbose .config.monitoringPause .config.graphiteMetrics'),
  ...all('boolean', '.config.schedulerDbServersLogicalBackup .config.logConfigLoad .config.test'),
  ...all('text', '.config.provDbVolumeData .config.provProxyVolumeData .config.provSphinxDockerImg'),
  ...all('text', '.config.backupStreamingEndpoint .config.backupStreamingRegion .config.backupStreamingBucket'),
  ...all('number', '.config.logConfigLoadLevel .failoverCounter .failoverLastTime'),
  ...all('boolean', '.isDown .isFailable .isProvision .isNotMonitoring .isCapturing .isNeedProxiesRestart'),
  ...all('boolean', '.isNeedProxiesReprov .isNeedDatabasesRestart .isNeedDatabasesReprov'),
  ...all('boolean', '.isNeedDatabasesRollingRestart .isNeedDatabasesRollingReprov .apiUsers.*.grants.*'),
  ...all('number', '.waitingFailover .waitingSwitchover .waitingRejoin'),
  ...all('number', '.workLoad.dbTableSize .workLoad.dbIndexSize .workLoad.connections .workLoad.qps'),
  ...all('number', '.workLoad.cpuThreadPool .workLoad.cpuUserStats'),
  ...all('list', '.log.buffer .logTask.buffer .agents .dbServers .proxyServers .diffVariables .Whitelist .Blacklist'),
  ...all('list', '.configurator.configTags .configurator.configPrxTags .configurator.dbServersTags'),
  ...all('list', '.configurator.proxyServersTags'),
  ...all('object', '.backupList .backupStat .topologyType'),
})

const servers = get('C/topology/servers', {
  ...listed(all('text', '[].id [].name [].host [].port [].url [].state [].readOnly [].replicationTags')),
  ...all('text', '[].replicationHealth [].gtidExecuted [].binaryLogFile [].binaryLogPos [].binaryLogFileOldest'),
  ...all('text', '[].longQueryTime [].slowQueryLog [].logOutput [].dbVersion.flavor'),
  ...all('number', '[].failCount [].failSuspectHeartbeat [].dbVersion.major [].serverId [].domainId'),
  ...all('boolean', '[].prefered [].ignored [].ignoredRO [].isMaintenance [].isVirtualMaster [].isSlave'),
  ...all('boolean', '[].eventScheduler [].semiSyncMasterStatus [].semiSyncSlaveStatus [].haveMariadbGtid'),
  ...all('boolean', '[].haveMetaDataLocksLog [].havePFSSlowQueryLog [].haveQueryResponseTimeLog [].haveSQLErrorLog'),
  ...all('list', '[].replications [].currentGtid [].slaveGtid [].errorLog.buffer'),
  ...all('boolean', '[].replications[].secondsBehindMaster.Valid'),
  ...all('number', '[].replications[].secondsBehindMaster.Int64 [].currentGtid[].seqNo'),
})

const proxies = get('C/topology/proxies', {
  ...listed(all('text', '[].id [].name [].type [].host [].port [].state [].version')),
  ...all('list', '[].backendsWrite [].backendsRead'),
})

const statements = {
  ...listed(all('text', '[].digest [].query [].digestText [].shemaName [].lastSeen [].execTimeTotal [].value')),
  ...all('number', '[].execCount [].rowsSent [].rowsScanned [].execTimeAvgMs.Float64'),
}

const variables = listed(all('text', '[].variableName [].value'))

const tables = {
  ...listed(all('text', '[].table_schema [].table_name [].engine [].table_clusters [].table_sync')),
  ...all('number', '[].table_rows [].data_length [].index_length [].table_crc'),
}

/** The reads of the page. */
export const pageTabs: Readonly<Record<string, readonly PageRequest[]>> = {
  'the list of clusters': [
    monitor,
    get('/api/clusters', listed(all('text', '[].name [].topology [].uptime'))),
    get('/api/clusters/peers', { '': 'list' }),
    get('/api/clusters/for-sale', { '': 'list' }),
  ],
  'a cluster, at each poll': [
    cluster,
    get('C/topology/alerts', all('list', '.errors .warnings')),
    get('C/topology/master', all('text', '.id .name .host .port .state')),
    servers,
    proxies,
    get('C/topology/http-logs', all('list', '.buffer')),
  ],
  Maintenance: [
    get('C/backups', { '': 'list' }),
    get('C/jobs', { ...all('object', '.header .servers'), '.servers.*.tasks': 'list' }),
  ],
  Tops: [get('C/top', listed(all('list', '[].header.* [].processlist')))],
  'Query Rules': [get('C/queryrules', { '': 'list' })],
  Shards: [get('C/schema', tables), get('C/shardclusters', { '': 'object' })],
  Configs: [get('C/certificates', { '': 'list' }), get('C/tags', listed(all('text', '[].name [].category')))],
  Settings: [get('C/settings', all('boolean', '.verbose .autorejoin')), get('C/graphite-filterlist', { '': 'list' })],
  'a server': [
    get('S/service-opensvc'),
    get('S/processlist', listed({ ...all('number', '[].id'), ...all('text', '[].user [].host [].command') })),
    get('S/slow-queries', statements),
    get('S/digest-statements-pfs', statements),
    get('S/digest-statements-slow', statements),
    get('S/errorlog', all('list', '.buffer')),
    get('S/tables', tables),
    get('S/status', variables),
    get('S/status-delta', variables),
    get('S/status-innodb', variables),
    get('S/variables', variables),
    get(
      'S/meta-data-locks',
      listed({
        ...nullTexts('lockMode lockDuration lockType lockCatalog lockSchema lockName'),
        ...{ '[].lockTimeMs.Int64': 'number', '[].lockTimeMs.Valid': 'boolean', '[].threadId': 'number' },
      }),
    ),
    get('S/query-response-time', listed({ '[].time': 'text', '[].count': 'number' })),
  ],
}

const actions = (under: string, words: string): readonly PageRequest[] =>
  words.split(' ').map((word) => get(`${under}/${word}`))

const digest = '0123456789abcdef0123456789abcdef'

const backup = (kind: string): PageRequest => ({
  ...get(`S/actions/backup-${kind}`),
  text: 'Backup initiated successfully',
})

/** What its menus do. */
export const pageMenus: Readonly<Record<string, readonly PageRequest[]>> = {
  HA: [
    ...actions('C/actions', 'reset-failover-control reset-sla switchover failover'),
    get('C/actions/switch/database-heartbeat'),
    get('C/settings/actions/switch/database-heartbeat'),
  ],
  Provision: [
    get('C/actions/addserver/db9/3306'),
    get('C/actions/addserver/lb9/1999/haproxy'),
    ...actions('C/services/actions', 'provision unprovision'),
  ],
  Credentials: [
    ...actions(
      'C/settings/actions/set',
      'db-servers-credential/a:b replication-credential/a:b proxysql-servers-credential/a:b maxscale-servers-credential/a:b',
    ),
    get('C/actions/rotate-passwords'),
  ],
  Maintenance: actions(
    'C/actions',
    'optimize rolling certificates-rotate certificates-reload cancel-rolling-restart cancel-rolling-reprov',
  ),
  'Replication Bootstrap': actions(
    'C/actions/replication/bootstrap',
    'master-slave multi-master multi-master-ring multi-tier-slave',
  ),
  Config: actions('C/settings/actions', 'reload discover apply-dynamic-config'),
  Settings: [
    ...actions('C/settings/actions/switch', 'verbose failover-mode autorejoin force-slave-optimistic'),
    ...actions('C/settings/actions/set', 'failover-limit/3 log-config-load-level/2 backup-streaming-region/eu'),
    get('C/settings/actions/set-cron/scheduler-rolling-restart-cron/0%2030%2011%20*%20*%20*'),
    get('/api/clusters/settings/actions/switch/monitoring-save-config'),
    get('/api/clusters/settings/actions/set/api-token-timeout/24'),
    get('C/settings/actions/reset-graphite-filterlist/minimal'),
    post('C/settings/actions/set-graphite-filterlist/whitelist', { whitelist: 'queries$' }),
    post('C/settings/actions/set-graphite-filterlist/blacklist', { blacklist: '' }),
  ],
  Configs: actions('C/settings/actions', 'add-db-tag/x drop-db-tag/x add-proxy-tag/x drop-proxy-tag/x'),
  'a server': [
    ...actions(
      'S/actions',
      'maintenance switchover set-unrated set-prefered set-ignored flush-logs stop start provision unprovision run-jobs optimize',
    ),
    ...actions('S/actions', 'reseed/logicalbackup reseed/logicalmaster reseed/physicalbackup job-cancel/optimize'),
    ...actions('S/actions', 'skip-replication-event toggle-innodb-monitor toggle-slow-query-capture'),
    ...actions('S/actions', 'start-slave stop-slave toggle-read-only reset-master reset-slave-all'),
    ...actions('S/actions', 'toggle-slow-query toggle-slow-query-table toggle-pfs-slow-query toggle-meta-data-locks'),
    ...actions('S/actions', 'toggle-query-response-time toggle-sql-error-log set-long-query-time/1 reset-pfs-queries'),
    ...actions(`S/queries/${digest}/actions`, 'explain-pfs explain-slowlog analyze-pfs'),
    ...['logical', 'physical'].map(backup),
  ],
  'a proxy': actions('C/proxies/px1/actions', 'provision unprovision start stop'),
  users: [
    post('C/users/add', { username: 'ops', grants: 'show', roles: '' }),
    post('C/users/update', { username: 'ops', grants: 'show', roles: '' }),
    post('C/users/send-credentials', { username: 'ops', type: 'db' }),
    post('C/users/drop', { username: 'ops' }),
  ],
}

/** As the page sends every request, whatever its method. */
export const pageHeaders = { Accept: '*/*', 'Content-Type': 'application/json; charset="utf-8"' } as const

/** The address on a cluster, and on one of its servers. */
export const addressOf = (path: string, { cluster, server }: { readonly cluster: string; readonly server: string }) => {
  const base = `/api/clusters/${cluster}`
  const [first, ...rest] = path.split('/')
  if (first === 'C') return [base, ...rest].join('/')
  return first === 'S' ? [base, 'servers', server, ...rest].join('/') : path
}
