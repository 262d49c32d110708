// What the existing system's own command line client asks, command by command, with the fields that it decodes of the answers.

export interface ClientRequest {
  readonly method: 'GET' | 'POST'
  /** `C` is the cluster, `S` a server of it. */
  readonly path: string
  /** Fields of a form, as it sends them with a POST. */
  readonly form?: Readonly<Record<string, string>>
  /** Types of what it decodes; absent: it reads the status alone. */
  readonly reads?: Readonly<Record<string, string>>
  /** The message that reaches the cluster, with what it carries of the request. */
  readonly asks?: readonly [name: string, given?: Readonly<Record<string, unknown>>]
}

const get = (path: string, reads?: ClientRequest['reads']): ClientRequest => ({
  ...{ method: 'GET', path },
  ...(reads ? { reads } : {}),
})

const acts = (path: string, ...asks: NonNullable<ClientRequest['asks']>): ClientRequest => ({
  ...{ method: 'GET', path, asks },
})

const posts = (path: string, form: ClientRequest['form'], asks: ClientRequest['asks']): ClientRequest => ({
  ...{ method: 'POST', path },
  ...(form ? { form } : {}),
  ...(asks ? { asks } : {}),
})

/** Each of the names of one type. */
const all = (type: string, names: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))

const ofServer = {
  ...all('text', 'id name host port state readOnly url'),
  ...all('number', 'failCount serverId'),
  ...all('boolean', 'prefered ignored isMaintenance haveMariadbGtid'),
  ...all('list', 'currentGtid slaveGtid replications'),
  ...all('object', 'dbVersion delayStat binaryLogFiles'),
}

/** Fields below a path, such as `[].` for those of each entry. */
const under = (path: string, fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fields).map(([name, type]) => [`${path}${name}`, type]))

const monitor = get('/api/monitor', {
  ...all('text', '.version .fullVersion .hostname'),
  ...all('list', '.clusters .servicePlans .tests'),
  ...all('object', '.config .logs'),
  '.config.interactive': 'boolean',
})

const clusters = get('/api/clusters', { '': 'list', '[].name': 'text', '[].topology': 'text' })

const cluster = get('C', {
  ...all('text', '.name .topology .uptime .monitorSpin .activePassiveStatus'),
  ...all('boolean', '.isDown .isFailable .isNotMonitoring'),
  ...all('number', '.failoverCounter .failoverLastTime'),
  ...all('object', '.config .stateMachine .SlavesOldestMasterFile'),
  '.config.failoverMode': 'text',
  '.dbServers': 'list',
  // It fails to decode a time that is another text.
  ...all('time', '.LastDelayStatPrint .SlavesOldestMasterFile.OldestTimestamp'),
})

const servers = get('C/topology/servers', { '': 'list', ...under('[].', ofServer), '[].delayStat.currentDT': 'time' })
const master = get('C/topology/master', { '': 'object', ...under('.', ofServer) })
const slaves = get('C/topology/slaves', { '': 'list', ...under('[].', ofServer) })
const crashes = get('C/topology/crashes', { '': 'list' })
const settings = get('C/settings', { '': 'object', '.failoverMode': 'text', '.verbose': 'boolean' })
const alerts = get('C/topology/alerts', all('list', '.errors .warnings'))
const logs = get('C/topology/logs', { '': 'list', '[]': 'text' })
const alive = (path: string) => get(path, { '.alive': 'text' })
const values = all('text', '[].variableName [].value')

/** The topology before and after an action, and the lines of the log. */
const around = (...requests: readonly ClientRequest[]): readonly ClientRequest[] => [
  ...[cluster, servers, master],
  ...requests,
  ...[logs, cluster, servers, master],
]

const topologies = ['master-slave', 'multi-master', 'multi-tier-slave', 'multi-master-ring', 'multi-master-wsrep']

const serverActs = (
  ...words: readonly (readonly [flag: string, word: string, ...asks: NonNullable<ClientRequest['asks']>])[]
) => Object.fromEntries(words.map(([flag, word, ...asks]) => [`server ${flag}`, [acts(`S/actions/${word}`, ...asks)]]))

/** By command, in the order in which it asks. */
export const clientCommands: Readonly<Record<string, readonly ClientRequest[]>> = {
  'any command, at first': [monitor, clusters],
  api: [clusters],
  status: [alive('/api/status')],
  'status of a cluster': [alive('C/status')],
  'status --with-errors': [alive('C/status'), alerts],
  topology: [cluster, servers, master],
  switchover: around(posts('C/actions/switchover', undefined, ['switchover'])),
  'switchover --db-servers-prefered-master': around(
    posts('C/actions/switchover', { prefmaster: 'db2:3306' }, ['switchover', { candidate: 'db2' }]),
  ),
  failover: around(posts('C/actions/failover', undefined, ['failover'])),
  'bootstrap --with-provisioning': [acts('C/services/actions/provision', 'run-services', { action: 'provision' })],
  'bootstrap --with-provisioning, older': [
    acts('C/actions/services/provision', 'run-services', { action: 'provision' }),
  ],
  'bootstrap --clean-all': [acts('C/actions/replication/cleanup', 'cleanup')],
  ...Object.fromEntries(
    topologies.map((name) => [
      `bootstrap --topology ${name}`,
      [acts(`C/actions/replication/bootstrap/${name}`, 'formTopology'), servers],
    ]),
  ),
  ...serverActs(
    ['--set maintenance=on', 'set-maintenance', 'set-maintenance', { server: 'db1', mode: 'on' }],
    ['--set maintenance=off', 'del-maintenance', 'set-maintenance', { server: 'db1', mode: 'off' }],
    ['--set maintenance=switch', 'maintenance', 'set-maintenance', { server: 'db1', mode: 'toggle' }],
    ['--set prefered=switch', 'set-prefered', 'rateServer'],
    ['--set ignored=switch', 'set-ignored', 'rateServer'],
    ...(['stop', 'start', 'provision', 'unprovision'] as const).map(
      (action) => [`--action ${action}`, action, 'run-service', { service: 'db1', action }] as const,
    ),
  ),
  'server --get processlist': [get('S/processlist', { '': 'list', '[].id': 'number', '[].command': 'text' })],
  'server --get slow-query': [get('S/slow-queries', { '': 'list' })],
  'server --get digest-statements-pfs': [get('S/digest-statements-pfs', { '': 'list' })],
  'server --get errors': [get('S/errorlog', { '.buffer': 'list', '.len': 'number', '.line': 'number' })],
  'server --get status-delta': [get('S/status-delta', { '': 'list' })],
  'server --get innodb-status': [get('S/status-innodb', { '': 'list' })],
  'server --get variables': [get('S/variables', { '': 'list', ...values })],
  'server --get meta-data-locks': [get('S/meta-data-locks', { '': 'list' })],
  'server --get query-response-time': [get('S/query-response-time', { '': 'list' })],
  'show --get settings': [monitor, settings],
  'show --get clusters': [monitor, clusters],
  'show --get servers': [monitor, servers],
  'show --get master': [monitor, master],
  'show --get slaves': [monitor, slaves],
  'show --get crashes': [monitor, crashes],
  'show --get alerts': [monitor, alerts],
  'console, each second': [cluster, servers, master, alerts, logs],
  'console, Ctrl-S': [posts('C/actions/switchover', undefined, ['switchover'])],
  'console, Ctrl-F': [posts('C/actions/failover', undefined, ['failover'])],
  'console, Ctrl-M': [
    posts('S/actions/maintenance', undefined, ['set-maintenance', { server: 'db1', mode: 'toggle' }]),
  ],
  'console, Ctrl-R': [posts('C/settings/actions/switch/failover-readonly-state', undefined, ['switchSetting'])],
  'console, Ctrl-I': [posts('C/settings/actions/switch/failover-mode', undefined, ['switchSetting'])],
  'console, Ctrl-V': [posts('C/settings/actions/switch/verbose', undefined, ['switchSetting'])],
  'console, Ctrl-E': [posts('C/actions/reset-failover-control', undefined, ['reset-failover-control'])],
  'token list': [get('/api/tokens', { '': 'list' })],
}
