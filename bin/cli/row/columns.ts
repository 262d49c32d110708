// Which fields of long entries a list shows to people; rows that are not named here show all of them.
import type { Route } from '../../../http/api/route.js'

export const columnsOf = ({ id }: Pick<Route, 'id'>): readonly string[] | undefined => columns[id]

const servers = ['id', 'host', 'port', 'state', 'readOnly', 'failCount', 'isMaintenance', 'replicationHealth'] as const

const tokens = ['id', 'user', 'label', 'grants', 'clusters', 'expiresAt', 'lastUsedAt', 'revoked', 'expired'] as const

const columns: Readonly<Record<string, readonly string[]>> = {
  'topology.servers': servers,
  'topology.slaves': servers,
  'topology.proxies': ['id', 'type', 'host', 'port', 'state', 'backendsWrite', 'backendsRead'],
  'topology.crashes': ['UnixTimestamp', 'Switchover', 'URL', 'ElectedMasterURL', 'FailoverIOGtid'],
  'clusters.list': ['name', 'topology', 'isDown', 'isFailable', 'failoverCounter', 'uptime', 'dbServers'],
  'tokens.list': tokens,
  'tokens.of-cluster': tokens,
}
