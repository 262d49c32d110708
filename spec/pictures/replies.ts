// What the pictures of the dashboard show: a small fleet with one cluster in trouble, at one moment.
import { fleetRowOf } from '../support/http/fleet-rows.js'

/** 2026-11-24 14:00 UTC. */
export const at = 1_795_528_800_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const iso = (ms: number): string => new Date(at + ms).toISOString()

export const fleet = [
  fleetRowOf('orders', { wps: 1_840, tags: ['prod', 'eu'], at: at - HOUR }),
  fleetRowOf('billing', { wps: 420, tags: ['prod', 'eu'], at: at - DAY }),
  fleetRowOf('search', { wps: 96, tags: ['prod'], flags: ['paused'], at: at - DAY }),
  fleetRowOf('mail', { wps: 230, tags: ['prod'], op: 'rolling restart', at: at - 4 * MINUTE }),
  fleetRowOf('catalogue', {
    ...{ state: 'degraded', semi: 'off', warnings: 1, lag: 41, loss: 12, worst: 'WARN0234', wps: 75 },
    ...{ tags: ['staging'], at: at - 12 * MINUTE },
  }),
  fleetRowOf('users', { state: 'broken', up: 2, errors: 1, worst: 'ERR00161', wps: 310, at: at - 3 * MINUTE }),
  ...['carts', 'stock', 'prices', 'reviews', 'sessions', 'vouchers'].map((name, index) =>
    fleetRowOf(name, { wps: 40 + 77 * index, tags: ['prod'], at: at - DAY }),
  ),
]

const entry = ([code, text]: readonly [code: string, text: string], ago: number, more: object = {}) => ({
  ...{ id: `e${ago}`, cluster: 'orders', at: at - ago, until: at - ago + 800, kind: 'operation', server: null },
  ...{ level: 'ALERTOK', code, text, user: 'ann', data: { id: `${code}-${ago}`, phase: 'succeeded' } },
  ...more,
})
const moves = [
  entry(['switchover', 'Switchover to db1 succeeded after 61 ms'], 15 * MINUTE, { until: at - 15 * MINUTE + 61 }),
  entry(['failover', 'Failover to db2 succeeded after 757 ms'], 35 * MINUTE, {
    ...{ user: 'manager', until: at - 35 * MINUTE + 757 },
  }),
]
const running = entry(['rolling-restart', 'Rolling restart: db2 is up again and catches up'], 4 * MINUTE, {
  ...{ cluster: 'mail', until: null, level: 'INFO' },
  data: { id: 'rolling-restart-1', kind: 'restart', phase: 'running', done: 1, total: 3 },
})
const undone = entry(['switchover', 'Switchover was undone: db2 is late'], HOUR, {
  ...{ cluster: 'billing', level: 'ERROR', data: { id: 'switchover-1', phase: 'rolled-back', result: 'undone' } },
})
const backup = entry(['backup-logical', 'Job 7: backup-logical of db2, queued'], 2 * MINUTE, {
  ...{ cluster: 'carts', until: null, kind: 'backup', level: 'INFO' },
  data: { job: 7, task: 'backup-logical', phase: 'queued' },
})

const seriesNames = [
  ...(['questions', 'threads_connected', 'threads_running', 'com_select', 'com_insert', 'com_update'] as const),
  ...(['innodb_buffer_pool_bytes_dirty', 'bytes_received', 'bytes_sent', 'innodb_history_list_length'] as const),
]
/** Of the index alone: no chance. */
const wave = (index: number, line: number): number =>
  Math.round(10 ** (1 + (line % 3)) * (6 + 2 * Math.sin(index / (18 + line)) + Math.sin(index / 3 + line) * 0.25))

const receiver = {
  ...{ channel: 'mail', receiver: 'ops@example.com by mx:25', clusters: ['orders', 'billing', 'mail'] },
  ...{ onlyEscalations: false, waiting: 0, sentAt: iso(-HOUR) },
}
const found = (cluster: string, number: string, desc: string) => ({ cluster, number, desc, from: 'CHECK', hint: '' })
const certificate = (days: number) => ({
  ...{ subject: 'CN=client', issuer: 'CN=CA', fingerprint: 'AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89' },
  ...{ notBefore: iso(-300 * DAY), notAfter: iso(days * DAY) },
})
const certificates = (cluster: string, days: number) => ({
  ...{ cluster, rotating: days < 30, client: certificate(days), server: certificate(900), ca: certificate(3_000) },
})
const backend = (host: string, status: string, connections: string) => ({
  ...{ host, port: '3306', status, prxConnections: connections, weight: 100 },
})
const proxy = (cluster: string, more: object = {}) => ({
  ...{ cluster, id: `px-${cluster}`, name: `lb-${cluster}`, type: 'haproxy', version: '2.6.12', host: `lb-${cluster}` },
  ...{ port: '1999', state: 'ProxyRunning', lastError: '', writePort: 3306, readPort: 3307, queryRules: [] },
  ...{ backendsWrite: [backend('db1', 'UP', '21')], backendsRead: [backend('db2', 'UP', '34')] },
  ...{ wantedWrite: [{ host: 'db1', port: '3306', state: 'ready' }] },
  wantedRead: [{ host: 'db2', port: '3306', state: 'ready' }],
  ...more,
})
const user = (name: string, grants: readonly string[], more: object = {}) => ({
  ...{ user: name, access: grants.join(' '), roles: [], grants, added: true, signOn: false },
  ...more,
})
const token = (label: string, grants: readonly string[], more: object = {}) => ({
  ...{ id: label, user: 'admin', label, grants, clusters: ['orders'], createdAt: iso(-20 * DAY) },
  ...{ createdFrom: '10.0.0.5', expiresAt: iso(100 * DAY), lastUsedAt: iso(-6 * HOUR), lastUsedFrom: '10.0.0.9' },
  ...{ revokedAt: null, revokedBy: '', expired: false, revoked: false },
  ...more,
})
const tokens = [
  token('nightly report', ['db-show-process', 'db-show-status']),
  token('deployment', ['cluster-rolling', 'db-stop', 'db-start'], { lastUsedAt: iso(-3 * MINUTE) }),
]

/** By path, in place of what the rows record. */
export const replies: Readonly<Record<string, unknown>> = {
  '/api/timeline': { entries: [backup, running, ...moves, undone], next: null },
  '/api/clusters/:cluster/timeline': { entries: moves, next: null },
  '/api/clusters/:cluster/series': {
    ...{ from: at - HOUR, to: at, step: 10 },
    series: seriesNames.map((name, line) => ({
      ...{ name: `mysql_global_status_${name}`, unit: 'count', server: 'db1', instance: 'db1' },
      values: Array.from({ length: 360 }, (_none, index) => wave(index, line)),
    })),
  },
  '/api/alerts': {
    receivers: [
      receiver,
      {
        ...{ ...receiver, channel: 'webhook', receiver: 'hooks.example.com', clusters: ['users'], waiting: 3 },
        ...{ failedAt: iso(-MINUTE), problem: 'it answered 500', retryAt: iso(MINUTE) },
      },
    ],
    answered: [
      {
        ...{ cluster: 'orders', code: 'WARN0101', severity: 'warning', text: 'No backup.', hint: '', since: iso(-DAY) },
        acknowledged: { owner: 'ann', reason: 'the disk comes on Monday', at: iso(-HOUR) },
      },
    ],
    silences: [
      {
        ...{ id: 's1', cluster: 'catalogue', codes: ['WARN0234'], servers: [], owner: 'ann', createdAt: iso(-HOUR) },
        ...{ reason: 'the replica is rebuilt', startsAt: iso(-HOUR), endsAt: iso(3 * HOUR), state: 'running' },
      },
    ],
    escalation: [{ afterSeconds: 900, clusters: ['orders', 'billing'] }],
  },
  '/api/global/alerts': {
    errors: [found('users', 'ERR00161', 'A replica cannot connect to its source, which answers the manager.')],
    warnings: [
      ...['orders', 'billing', 'carts'].map((name) => found(name, 'WARN0101', 'No backup.')),
      found('catalogue', 'WARN0234', 'Semi-synchronous replication is off.'),
    ],
  },
  '/api/proxies': [
    proxy('orders'),
    proxy('billing'),
    proxy('users', {
      ...{ state: 'ProxyDesync', lastError: 'service_write/leader is maint instead of ready' },
      backendsWrite: [backend('db1', 'MAINT', '0')],
    }),
  ],
  '/api/certificates': {
    listener: { ...certificate(100), selfSigned: false },
    clusters: [certificates('orders', 12), certificates('billing', 80), certificates('carts', 500)],
    unread: [],
  },
  '/api/clusters/:cluster/users': [
    user('admin', ['cluster-failover', 'cluster-switchover', 'cluster-grant', 'db-start', 'db-stop', 'show'], {
      added: false,
    }),
    user('ann@example.com', ['cluster-switchover', 'db-show-process', 'show'], { signOn: true }),
    user('report', ['show']),
  ],
  '/api/clusters/:cluster/tokens': tokens,
  '/api/tokens': tokens,
}
