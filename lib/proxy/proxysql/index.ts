// A ProxySQL of a cluster, as configured.
import { reveal } from '../../base/secret.js'
import { SECOND } from '../../base/time.js'
import type { Settings } from '../../settings/table/index.js'
import type { Proxy as ProxyAdapter } from '../kit/index.js'
import type { ProxyService } from '../kit/services.js'
import { createProxysql } from './adapter.js'

export { createProxysql, type ProxysqlConfig } from './adapter.js'

/** Longest time of one conversation: a failover waits for it. */
const CONVERSATION_MS = SECOND
/** Of a conversation that adds users, a few thousand at the first time. */
const FILL_MS = 15 * SECOND

export const openProxysql = ({ id, name, host, port }: ProxyService, settings: Settings): ProxyAdapter =>
  createProxysql({
    ...{ id, name, host, port, timeoutMs: CONVERSATION_MS },
    user: settings['proxysql-user'],
    password: reveal(settings['proxysql-password']),
    groups: {
      writer: settings['proxysql-writer-hostgroup'],
      reader: settings['proxysql-reader-hostgroup'],
      own: settings['proxysql-bootstrap'],
      maxConnections: settings['proxy-servers-backend-max-connections'],
      maxLagSeconds: settings['proxy-servers-backend-max-replication-lag'],
      compression: settings['proxy-servers-backend-compression'],
    },
    extras: {
      pair: settings['proxysql-bootstrap-hostgroups'],
      variables: settings['proxysql-bootstrap-variables'],
      multiplexing: settings['proxysql-multiplexing'],
    },
    save: settings['proxysql-save-to-disk'],
    rules: settings['monitoring-query-rules'],
    users: settings['proxysql-bootstrap-users'],
    makeRules: settings['proxysql-bootstrap-query-rules'],
    fillMs: FILL_MS,
  })
