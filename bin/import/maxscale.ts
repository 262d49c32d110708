// MaxScale's file: each monitor is a cluster; services and listeners give the ports of the proxy.
import { fail, ok, type Result } from '../../lib/base/result.js'
import { copy, half, listOf, named, readTruth, seconds, structure, truth } from './convert.js'
import {
  type ClusterInput,
  type Convert,
  type Derived,
  type Entry,
  type Foreign,
  type ForeignRow,
  placeOf,
  type Sighting,
  type Sorted,
  type Wishes,
} from './foreign.js'
import { readIni } from './ini.js'

type Section = ReadonlyMap<string, Entry>

const SQL_FILE = 'a script of yours runs the statements: other arguments, see migration.md'
const monitors = ['mariadbmon', 'galeramon']
const row = (name: string, kinds: readonly string[], rest: Omit<ForeignRow, 'name' | 'in'>): ForeignRow => ({
  name,
  in: kinds,
  ...rest,
})
const ignored = (name: string, kinds: readonly string[], remark: string): ForeignRow =>
  row(name, kinds, { ours: [], ignored: true, remark })

/** `safe` is automatic, too. */
const automatic: Convert = ({ value }) => {
  const is = value === 'safe' ? true : readTruth(value)
  if (is === undefined) return { problem: 'neither true, false nor safe: correct it there' }
  return { settings: { 'failover-mode': is ? 'automatic' : 'manual' } }
}

/** A password that MaxScale encrypted can be decrypted by MaxScale only. */
const password =
  (part: 'password' | 'replication-password'): Convert =>
  ({ value }) =>
    /^(\d+:)?[0-9A-F]{32,}(:[0-9A-F]+)*$/.test(value)
      ? {
          problem:
            'encrypted by maxpasswd: put the password itself in the cluster file, or what manager encrypt prints',
        }
      : { part }

const galera: Convert = ({ value }) =>
  value === 'galeramon' ? { settings: { 'replication-multi-master-wsrep': true } } : {}

const rows: readonly ForeignRow[] = [
  row('type', ['server', ...monitors, 'service', 'listener'], {
    ours: [],
    convert: structure,
    remark: 'what the section is',
  }),
  row('module', monitors, {
    ours: ['replication-multi-master-wsrep'],
    convert: galera,
    remark: 'galeramon: a Galera cluster',
  }),
  row('servers', monitors, { ours: ['db-servers-hosts'], convert: structure, remark: 'the servers of the cluster' }),
  row('address', ['server'], { ours: ['db-servers-hosts'], convert: structure, remark: 'a server' }),
  row('port', ['server'], { ours: ['db-servers-hosts'], convert: structure, remark: 'its port' }),
  row('ssl_ca', ['server'], {
    ours: ['db-servers-tls-ca-cert'],
    convert: copy('db-servers-tls-ca-cert'),
    remark: 'sessions then use TLS',
  }),
  row('ssl_ca_cert', ['server'], {
    ours: ['db-servers-tls-ca-cert'],
    convert: copy('db-servers-tls-ca-cert'),
    remark: 'sessions then use TLS',
  }),
  row('ssl_cert', ['server'], {
    ours: ['db-servers-tls-client-cert'],
    convert: copy('db-servers-tls-client-cert'),
    remark: '',
  }),
  row('ssl_key', ['server'], {
    ours: ['db-servers-tls-client-key'],
    convert: copy('db-servers-tls-client-key'),
    remark: '',
  }),
  row('ssl', ['server'], { ours: ['db-servers-tls-ca-cert'], remark: 'TLS is used where a certificate is named' }),
  row('ssl_*', ['server'], { ours: ['db-servers-tls-ca-cert'], remark: 'certificates are always verified' }),
  row('monitoruser', ['server'], {
    ours: ['db-servers-credential'],
    remark: 'one account for all servers of a cluster',
  }),
  row('monitorpw', ['server'], { ours: ['db-servers-credential'], remark: 'one account for all servers of a cluster' }),
  row('disk_space_threshold', ['server', ...monitors], {
    ours: ['monitoring-disk-usage'],
    remark: 'how full the file systems are becomes a finding',
  }),
  row('priority', ['server'], { ours: ['db-servers-prefered-master'], remark: 'preferred servers are a list' }),
  row('user', monitors, { ours: ['db-servers-credential'], convert: half('user'), remark: 'user of the account' }),
  row('password', monitors, {
    ours: ['db-servers-credential'],
    convert: password('password'),
    remark: 'its password; not one encrypted by maxpasswd',
  }),
  row('passwd', monitors, { ours: ['db-servers-credential'], convert: password('password'), remark: 'as password' }),
  row('replication_user', monitors, {
    ours: ['replication-credential'],
    convert: half('replication-user'),
    remark: 'without it: user',
  }),
  row('replication_password', monitors, {
    ours: ['replication-credential'],
    convert: password('replication-password'),
    remark: 'without it: password',
  }),
  row('replication_master_ssl', monitors, {
    ours: ['replication-use-ssl'],
    convert: truth('replication-use-ssl'),
    remark: '',
  }),
  row('auto_failover', monitors, {
    ours: ['failover-mode'],
    convert: automatic,
    remark: 'true and safe: automatic; false: manual',
  }),
  row('auto_rejoin', monitors, { ours: ['autorejoin'], convert: truth('autorejoin'), remark: '' }),
  row('failcount', monitors, {
    ours: ['failover-falsepositive-ping-counter'],
    convert: copyNumber('failover-falsepositive-ping-counter'),
    remark: 'silent probes; a refused connection needs fewer',
  }),
  row('monitor_interval', monitors, {
    ours: ['monitoring-ticker'],
    convert: seconds(1, 'monitoring-ticker'),
    remark: 'milliseconds, rounded up to seconds',
  }),
  row('backend_connect_timeout', monitors, {
    ours: ['db-servers-connect-timeout'],
    convert: seconds(1000, 'db-servers-connect-timeout'),
    remark: '',
  }),
  row('verify_master_failure', monitors, {
    ours: ['failover-falsepositive-heartbeat'],
    convert: truth('failover-falsepositive-heartbeat'),
    remark: '',
  }),
  row('master_failure_timeout', monitors, {
    ours: ['failover-falsepositive-heartbeat-timeout'],
    convert: seconds(1000, 'failover-falsepositive-heartbeat-timeout'),
    remark: '',
  }),
  row('servers_no_promotion', monitors, {
    ours: ['db-servers-ignored-hosts'],
    convert: named('db-servers-ignored-hosts'),
    remark: 'names of sections become addresses',
  }),
  ...['enforce_read_only_slaves', 'enforce_read_only_servers'].map((name) =>
    row(name, monitors, {
      ours: ['force-slave-readonly'],
      convert: truth('force-slave-readonly'),
      remark: 'an old primary is closed in any case',
    }),
  ),
  row('handle_events', monitors, {
    ours: ['failover-event-scheduler', 'failover-event-status'],
    convert: truth('failover-event-scheduler', 'failover-event-status'),
    remark: 'the scheduler moves with the role, and events are enabled',
  }),
  row('demotion_sql_file', monitors, { ours: ['failover-pre-script'], remark: SQL_FILE }),
  row('promotion_sql_file', monitors, { ours: ['failover-post-script'], remark: SQL_FILE }),
  row('script', monitors, {
    ours: ['monitoring-open-state-script', 'db-servers-state-change-script'],
    remark: 'other arguments, no placeholders: see migration.md',
  }),
  row('events', monitors, {
    ours: ['monitoring-open-state-script'],
    remark: 'the script chooses by the code of the finding',
  }),
  row('switchover_on_low_disk_space', monitors, {
    ours: ['monitoring-disk-usage'],
    remark: 'a finding, no automatic switchover',
  }),
  row('maintenance_on_low_disk_space', monitors, {
    ours: ['monitoring-disk-usage'],
    remark: 'a finding, no automatic maintenance',
  }),
  row('cooperative_monitoring_locks', monitors, {
    ours: ['cluster-store'],
    remark: 'several managers share a fleet by etcd: several-managers.md',
  }),
  row('enforce_simple_topology', monitors, {
    ours: ['replication-multi-tier-slave'],
    remark: 'the topology is a setting of the cluster',
  }),
  row('enforce_writable_master', monitors, {
    ours: ['failover-mode'],
    remark: 'a primary that someone closed is not opened; a finding names it',
  }),
  row('failover_timeout', monitors, { ours: [], ignored: true, remark: 'each step has a deadline of its own' }),
  row('switchover_timeout', monitors, {
    ours: ['switchover-wait-trx', 'switchover-wait-kill'],
    remark: 'waits are set one by one',
  }),
  ...[
    'assume_unique_hostnames',
    'master_conditions',
    'slave_conditions',
    'script_timeout',
    'journal_max_age',
    'backend_*',
    'disk_space_check_interval',
    'detect_*',
    'mysql_*',
    'events_*',
    'available_when_donor',
    'disable_master_role_setting',
    'disable_master_failback',
    'root_node_as_master',
    'use_priority',
    'set_donor_nodes',
    'ignore_external_masters',
    'rebuild_port',
    'mariabackup_*',
    'ssh_*',
    'cs_admin_*',
  ].map((name) => ignored(name, monitors, 'concerns how its monitor reads the servers')),
  row('router', ['service'], {
    ours: ['maxscale-read-write-port', 'maxscale-write-port', 'maxscale-read-port'],
    convert: structure,
    remark: 'which port its listener becomes',
  }),
  row('router_options', ['service'], {
    ours: ['maxscale-write-port', 'maxscale-read-port'],
    convert: structure,
    remark: 'readconnroute: the option for the primary makes it the port of writes, any other that of reads',
  }),
  row('servers', ['service'], { ours: ['maxscale'], convert: structure, remark: 'which cluster it serves' }),
  row('cluster', ['service'], { ours: ['maxscale'], convert: structure, remark: 'which cluster it serves' }),
  row('targets', ['service'], { ours: ['maxscale'], convert: structure, remark: 'which cluster it serves' }),
  row('service', ['listener'], { ours: ['maxscale'], convert: structure, remark: 'which service it belongs to' }),
  row('port', ['listener'], {
    ours: ['maxscale-read-write-port', 'maxscale-write-port', 'maxscale-read-port'],
    convert: structure,
    remark: 'by the router of its service',
  }),
  row('admin_port', ['maxscale'], { ours: ['maxscale-port'], convert: structure, remark: '8989 without it' }),
  row('admin_host', ['maxscale'], {
    ours: ['maxscale-servers'],
    remark: 'the address that the manager reaches: --proxy-host',
  }),
  row('admin_ssl_ca*', ['maxscale'], { ours: ['maxscale-tls-ca-cert'], remark: 'set it and maxscale-tls by hand' }),
  row('admin_*', ['maxscale'], {
    ours: ['maxscale-tls', 'maxscale-user', 'maxscale-pass'],
    remark: 'set the account and TLS of its administration by hand',
  }),
  ignored(
    '*',
    ['server', 'service', 'listener', 'filter', 'maxscale', 'other'],
    'stays in MaxScale, which goes on serving',
  ),
]

const text = (section: Section | undefined, name: string): string => section?.get(name)?.value ?? ''

function kindOf(name: string, section: Section): string {
  if (/^maxscale$/i.test(name)) return 'maxscale'
  const type = text(section, 'type')
  return type === 'monitor'
    ? text(section, 'module')
    : ['server', 'service', 'listener', 'filter'].includes(type)
      ? type
      : 'other'
}

function sort(entries: readonly Entry[], wishes: Wishes): Result<Sorted> {
  const sections = new Map<string, Map<string, Entry>>()
  for (const entry of entries) {
    const section = sections.get(entry.section) ?? new Map<string, Entry>()
    sections.set(entry.section, section.set(entry.name, entry))
  }
  const found = [...sections].filter(([, section]) => text(section, 'type') === 'monitor')
  const strange = found.find(([name, section]) => !monitors.includes(kindOf(name, section)))
  const module = strange?.[1].get('module') ?? strange?.[1].get('type')
  if (module !== undefined)
    return fail(
      'bad-configuration',
      `${placeOf(module)}: [${module.section}] ${module.name} = ${module.value}: only mariadbmon and galeramon can be imported`,
    )
  if (found.length === 0)
    return fail(
      'bad-configuration',
      `${entries[0]?.file ?? 'the file'}: no section with type = monitor: give the file that has one, too`,
    )
  if (wishes.cluster !== undefined && found.length > 1)
    return fail(
      'bad-request',
      `--cluster names one cluster, and there are ${found.length} monitors: ${found.map(([name]) => name).join(', ')}`,
    )
  const clusters = found.map(([name]) => clusterOf(name, sections, wishes))
  const used = new Set(clusters.flatMap(({ parts }) => parts.map(({ entry }) => entry)))
  const others = entries
    .filter((entry) => !used.has(entry))
    .map((entry) => ({ kind: kindOf(entry.section, sections.get(entry.section) ?? new Map()), entry }))
  return ok({ clusters, others })
}

function clusterOf(monitor: string, sections: ReadonlyMap<string, Section>, wishes: Wishes): ClusterInput {
  const own = sections.get(monitor)
  const servers = listOf(text(own, 'servers'))
  const addressOf = (name: string): string | undefined => {
    const section = sections.get(name)
    const address = text(section, 'address')
    const port = text(section, 'port') || '3306'
    if (text(section, 'type') !== 'server' || address === '') return undefined
    const host = address.includes(':') ? `[${address}]` : address
    return port === '3306' ? host : `${host}:${port}`
  }
  const isServed = (section: Section): boolean =>
    text(section, 'cluster') === monitor ||
    [...listOf(text(section, 'servers')), ...listOf(text(section, 'targets'))].some((name) => servers.includes(name))
  const services = [...sections].filter(([, section]) => text(section, 'type') === 'service' && isServed(section))
  const listeners = [...sections].filter(
    ([, section]) =>
      text(section, 'type') === 'listener' && services.some(([name]) => name === text(section, 'service')),
  )
  const names = [monitor, ...servers, ...services.map(([name]) => name), ...listeners.map(([name]) => name), 'maxscale']
  const parts: readonly Sighting[] = names.flatMap((name) => {
    const section = sections.get(name)
    const address = addressOf(name)
    return [...(section?.values() ?? [])].map((entry) => ({
      kind: kindOf(name, section ?? new Map()),
      entry,
      ...(address === undefined ? {} : { address }),
    }))
  })
  const ports = listeners.flatMap(([, section]) => portOf(section, sections.get(text(section, 'service'))))
  const admin = sections.get('maxscale')?.get('admin_port')
  return {
    name: wishes.cluster ?? monitor,
    hosts: servers.flatMap((name) => {
      const entry = sections.get(name)?.get('address')
      const address = addressOf(name)
      return entry === undefined || address === undefined ? [] : [{ address, from: `${placeOf(entry)} [${name}]` }]
    }),
    parts,
    derived: services.length === 0 ? [] : proxyOf(wishes, admin, ports),
    missing: [
      ...servers
        .filter((name) => addressOf(name) === undefined)
        .map((name) => `db-servers-hosts: no section of a server with an address: ${name}`),
      ...(own?.has('user') ? [] : ['db-servers-credential: the monitor names no user']),
      ...(services.length > 0 && wishes.proxyHost === undefined
        ? [
            'maxscale-servers: the file does not name the host of MaxScale: give it by --proxy-host, else the manager does not use the proxy',
          ]
        : []),
      ...(services.length > 0
        ? ['maxscale-user, maxscale-pass: the account of its administration is not in the file']
        : []),
    ],
    sharesAccount: true,
    addressOf,
  }
}

const proxyOf = ({ proxyHost }: Wishes, admin: Entry | undefined, ports: readonly Derived[]): readonly Derived[] => [
  ...(proxyHost === undefined
    ? []
    : ([
        { setting: 'maxscale', value: true, from: 'services of the file' },
        { setting: 'maxscale-servers', value: proxyHost, from: '--proxy-host' },
      ] as const)),
  {
    setting: 'maxscale-port',
    value: Number(admin?.value ?? 8989),
    from: admin ? `${placeOf(admin)} admin_port` : 'its default',
  },
  ...ports,
]

function portOf(listener: Section, service: Section | undefined): readonly Derived[] {
  const port = listener.get('port')
  if (port === undefined) return []
  const router = text(service, 'router')
  const isWriting = listOf(text(service, 'router_options')).includes('master')
  const derived = (setting: Derived['setting']): readonly Derived[] => [
    { setting, value: Number(port.value), from: `${placeOf(port)} [${port.section}] port` },
  ]
  if (router === 'readwritesplit') return derived('maxscale-read-write-port')
  return router === 'readconnroute' ? derived(isWriting ? 'maxscale-write-port' : 'maxscale-read-port') : []
}

function copyNumber(name: 'failover-falsepositive-ping-counter'): Convert {
  return ({ value }) =>
    /^\d+$/.test(value) ? { settings: { [name]: Number(value) } } : { problem: 'no whole number: correct it there' }
}

export const maxscale: Foreign = {
  title: "MaxScale's monitor",
  rows,
  read: (file, name) => readIni(file, name, true),
  sort,
}
