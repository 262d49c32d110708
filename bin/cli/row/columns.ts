// Which fields of long entries people are shown, in what order; rows that are not named here show all of them.
import type { Route } from '../../../http/api/kit/route.js'
import type { Shown } from '../output/value.js'

export const columnsOf = ({ id }: Pick<Route, 'id'>): readonly Shown[] | undefined => columns[id]

const servers = [
  ...['host', 'port', 'state'],
  ['readOnly', 'ro'],
  ['failCount', 'fails'],
  ['isMaintenance', 'maintenance'],
  ['replicationHealth', 'health'],
  'id',
] as const

const tokens = ['id', 'user', 'label', 'grants', 'clusters', 'expiresAt', 'lastUsedAt', 'revoked', 'expired'] as const

const changes = ['id', 'name', ['before.value', 'before'], ['after.value', 'after'], 'user', 'at'] as const

const alerts = [['number', 'code'], 'desc', 'hint'] as const

const columns: Readonly<Record<string, readonly Shown[]>> = {
  'topology.servers': servers,
  'topology.slaves': servers,
  'topology.master': servers,
  'topology.proxies': ['host', 'port', 'type', 'state', ['backendsWrite', 'writes to'], ['backendsRead', 'reads from']],
  'topology.crashes': [
    ['UnixTimestamp', 'at'],
    ['Switchover', 'switchover'],
    ['URL', 'from'],
    ['ElectedMasterURL', 'to'],
    ['failoverIOGtidString', 'gtid'],
    ['Outcome', 'old primary'],
    ['ExtraGtid', 'only there'],
    ['TailFile', 'saved in'],
  ],
  'clusters.list': [
    ...['name', 'topology'],
    ['isDown', 'down'],
    ['isFailable', 'failable'],
    ['isHealthy', 'healthy'],
    ['failoverCounter', 'failovers'],
    'uptime',
  ],
  'clusters.one': [
    ...['name', 'tenant', 'topology', 'isDown', 'isFailable', 'isHealthy', 'healthFaults'],
    ...['isProvision', 'isNotMonitoring'],
    ...['failoverCounter', 'failoverLastTime', 'uptime', 'uptimeFailable', 'uptimeSemisync'],
    ...[
      'isNeedDatabasesRestart',
      'isNeedDatabasesReprov',
      'inRollingRestart',
      'workingDir',
      'dbServers',
      'proxyServers',
    ],
  ],
  'monitor.object': ['version', 'fullVersion', 'hostname', 'os', 'arch', 'uuid', 'status', 'clusters'],
  'server.processlist': ['id', 'user', 'host', 'db', 'command', 'time', 'state', 'info'],
  'certificates.list': [
    'rotating',
    ['server.notAfter', 'server until'],
    ['client.notAfter', 'client until'],
    ['ca.notAfter', 'ca until'],
  ],
  'plans.list': [
    'plan',
    ['dbmemory', 'memory'],
    ['dbcores', 'cores'],
    ['dbdatasize', 'data'],
    ['dbiops', 'iops'],
    ['prxcores', 'proxy cores'],
    ['prxdatasize', 'proxy data'],
  ],
  'topology.alerts': alerts,
  'global.alerts': ['cluster', ...alerts],
  'settings.list': [
    ...['name', 'value', 'origin'],
    ['ofAll', 'for', { true: 'all clusters' }],
    ['immutable', 'a change', { true: 'ends with the next start', false: 'is kept' }],
  ],
  'settings.history': changes,
  'settings.history-global': changes,
  'users.list': ['user', 'access', 'roles', 'added', ['signOn', 'sign-on']],
  'tokens.list': tokens,
  'tokens.of-cluster': tokens,
}
