// The configuration file of an HAProxy that the manager runs, by a cluster's settings. Pure.
import type { ServerAddress } from '../../model/server.js'
import { LEADER } from './changes.js'

export interface HaproxyPlan {
  /** First line: who made it. */
  readonly marker: string
  readonly cluster: string
  /** The runtime API listens here. */
  readonly api: ServerAddress
  /** A socket of the same API on this machine. */
  readonly socket: string
  readonly write: { readonly bind: ServerAddress; readonly backend: string }
  readonly read: { readonly bind: ServerAddress; readonly backend: string }
  readonly stats: ServerAddress
  readonly servers: readonly (ServerAddress & { readonly id: string })[]
  /** Where HAProxy asks by itself who may write and read; absent: it is told over the runtime API. */
  readonly checks?: ServerAddress
  /** System user it changes to when root starts it. */
  readonly user?: string
}

export function renderHaproxy(plan: HaproxyPlan): string {
  const { marker, api, socket, write, read, stats, user } = plan
  return [
    marker,
    'global',
    `  stats socket ${socket} mode 600 level admin`,
    `  stats socket ${socketAddress(api)} level admin`,
    ...(user === undefined ? [] : [`  user ${user}`]),
    'defaults',
    ...['  mode tcp', '  timeout connect 4s', '  timeout client 8h', '  timeout server 8h', '  timeout check 2s'],
    ...frontend('write', write.bind, write.backend),
    ...frontend('read', read.bind, read.backend),
    ...[
      'listen stats',
      '  mode http',
      '  timeout client 30s',
      `  bind ${bindAddress(stats)}`,
      '  stats enable',
      '  stats uri /',
    ],
    ...(plan.checks ? checkedBackends(plan, plan.checks) : toldBackends(plan)),
    '',
  ].join('\n')
}

const frontend = (name: string, bind: ServerAddress, backend: string): readonly string[] => [
  `frontend ${name}`,
  `  bind ${bindAddress(bind)}`,
  `  default_backend ${backend}`,
]

/** Closed until the manager has said who is who: an HAProxy that just started must not guess. */
const toldBackends = ({ write, read, servers }: HaproxyPlan): readonly string[] => [
  `backend ${write.backend}`,
  `  server ${LEADER} 127.0.0.1:1 check inter 1s on-marked-down shutdown-sessions disabled`,
  `backend ${read.backend}`,
  '  balance leastconn',
  ...servers.map(
    (server) => `  server ${server.id} ${bindAddress(server)} check inter 1s init-addr last,libc,none disabled`,
  ),
]

const checkedBackends = ({ cluster, write, read, servers }: HaproxyPlan, checks: ServerAddress): readonly string[] => [
  ...checkedBackend({ name: write.backend, word: 'is-master', cluster, checks, servers }),
  ...checkedBackend({ name: read.backend, word: 'is-slave', cluster, checks, servers }),
]

interface Checked {
  readonly name: string
  readonly word: string
  readonly cluster: string
  readonly checks: ServerAddress
  readonly servers: HaproxyPlan['servers']
}

const checkedBackend = ({ name, word, cluster, checks, servers }: Checked): readonly string[] => [
  `backend ${name}`,
  '  balance leastconn',
  '  option httpchk',
  `  http-check send meth GET uri-lf /api/clusters/${cluster}/servers/%[srv_name]/${word}`,
  '  http-check expect status 200',
  '  default-server inter 1s fall 1 rise 1 on-marked-down shutdown-sessions init-addr last,libc,none',
  ...servers.map(
    (server) => `  server ${server.id} ${bindAddress(server)} check addr ${checks.host} port ${checks.port}`,
  ),
]

const bindAddress = ({ host, port }: ServerAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

const socketAddress = (address: ServerAddress): string =>
  `${address.host.includes(':') ? 'ipv6' : 'ipv4'}@${bindAddress(address)}`
