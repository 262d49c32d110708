// Names that files, flags and saved files of other systems bring and that have no effect here: accepted, counted, never set.
import type { SettingScope } from '../kit/row.js'
import type { PlainValue } from '../kit/shape.js'

/** What a value would be; `on` is a boolean whose fixed behaviour is that of true, `digits` a number shown as text. */
type Kind = 'boolean' | 'on' | 'number' | 'digits' | 'text' | 'secret'

/** Names of one reason, separated by blanks. */
interface Group extends Readonly<Partial<Record<SettingScope, Readonly<Partial<Record<Kind, string>>>>>> {
  /** Completes "no effect: …". */
  readonly reason: string
}

export interface RecognisedName {
  readonly name: string
  readonly kind: Kind
  readonly scope: SettingScope
  readonly reason: string
}

/** A row leaves this list when the setting gets its row in the table. */
const groups: readonly Group[] = [
  {
    reason: 'the pull project of a hosted service is not implemented',
    server: {
      text: 'git-url-pull',
    },
  },
  {
    reason: 'the marketplace is not implemented',
    server: {
      boolean: 'hosted-shared',
      text: 'hosted-platform-description',
    },
    cluster: {
      text: 'monitoring-tenant',
    },
  },
  {
    reason: 'sharding is not implemented',
    cluster: {
      boolean: `
        shardproxy shardproxy-copy-grants shardproxy-load-system`,
      text: `
        replication-multisource-head-clusters cluster-head shardproxy-servers shardproxy-universal-tables
        prov-proxy-docker-shardproxy-img`,
      secret: 'shardproxy-credential',
    },
  },
  {
    reason: 'options are those of sysbench 1.0 and later',
    server: { boolean: 'sysbench-v1' },
  },
  {
    reason:
      'a manager that cannot prove that it may act changes nothing, and manager-agent closes a primary that is cut off (isolated = close)',
    server: { boolean: 'arbitration-minority-freeze' },
  },
  {
    reason: 'this topology, check or read option is not implemented',
    cluster: {
      boolean: 'replication-multi-master-grouprep failover-mdev-check maxscale-binlog',
      number: 'db-servers-read-timeout',
      text: 'db-servers-locality topology-target failover-mdev-level',
    },
  },
  {
    reason: 'this orchestrator or resource option is not implemented',
    server: {
      text: 'opensvc-host opensvc-p12-certificate',
      secret: 'opensvc-p12-secret',
    },
    cluster: {
      boolean: 'prov-db-dynamic-resource prov-db-disk-snapshot-prefered-master prov-net-cni prov-docker-daemon-private',
      digits: 'prov-proxy-disk-size',
      text: `
        prov-db-compliance prov-db-agents prov-db-service-type prov-db-disk-fs prov-db-disk-pool prov-db-disk-type
        prov-db-disk-device prov-tls-server-ca prov-net-cni-cluster prov-orchestrator-cluster kube-config
        prov-proxy-agents prov-proxy-compliance prov-proxy-docker-proxysql-img prov-proxy-docker-haproxy-img
        prov-proxy-docker-maxscale-img prov-proxy-service-type prov-proxy-disk-fs prov-proxy-disk-pool
        prov-proxy-disk-type prov-proxy-disk-device prov-db-volume-data prov-proxy-volume-data`,
    },
  },
  {
    reason: 'terminals and embedded metric storage are not implemented',
    server: {
      boolean: 'graphite-embedded',
      number: `
        graphite-carbon-api-port graphite-carbon-server-port
        graphite-carbon-link-port graphite-carbon-pickle-port graphite-carbon-pprof-port`,
    },
    cluster: {
      boolean: 'terminal-session-enabled terminal-session-resume',
      text: 'terminal-session-manager',
    },
  },
  {
    reason: 'this proxy, registry or proxy option is not implemented',
    cluster: {
      boolean: `
        monitoring-write-heartbeat failover-falsepositive-maxscale haproxy-debug proxysql-debug maxscale-debug
        myproxy extproxy registry-consul proxyjanitor-debug`,
      number: `
        failover-falsepositive-maxscale-timeout haproxy-log-level proxysql-log-level maxscale-log-level myproxy-port
        proxyjanitor-log-level`,
      text: `
        haproxy-servers-ipv6 proxysql-servers-ipv6 maxscale-servers-ipv6 maxscale-get-info-method
        maxscale-binary-path myproxy-user extproxy-address registry-servers proxyjanitor-servers prov-sphinx-img`,
      secret: `
        monitoring-write-heartbeat-credential myproxy-password registry-credential registry-token
        proxyjanitor-password`,
    },
  },
  {
    reason: 'the manager serves no pages with a login or options of their own',
    server: { boolean: 'http-auth http-use-react http-bootstrap-button' },
  },
  {
    reason: 'the directories, the account and the socket of the process are set when it is started',
    server: { text: 'monitoring-basedir monitoring-sharedir monitoring-confdir user monitoring-socket' },
  },
  {
    reason: 'secrets are not read from a vault by this mode; each kind of backup has a setting of its own',
    cluster: { boolean: 'backup log-vault', number: 'log-vault-level', text: 'vault-mode' },
  },
  {
    reason: 'PostgreSQL is not monitored',
    cluster: { boolean: 'replication-master-slave-pg-stream replication-master-slave-pg-logical' },
  },
  {
    reason: 'always on: the topology is determined at every probe, and semi-sync and super_read_only follow the role',
    cluster: { on: 'replication-dynamic-topology failover-semisync-state failover-superreadonly-state' },
  },
  {
    reason: 'replicas are repointed by GTID only',
    cluster: { boolean: 'autorejoin-slave-positional-heartbeat force-slave-no-gtid-mode' },
  },
  {
    reason: 'the global read lock of a switchover stops all writers, so connections and accounts are left unchanged',
    cluster: {
      boolean: 'switchover-decrease-max-conn switchover-lock-user-on-freeze',
      number: 'switchover-decrease-max-conn-value',
    },
  },
  {
    reason: 'the new primary has every transaction of the old one, and replicas and proxies follow without a wait',
    cluster: {
      boolean: 'switchover-slave-wait-catch switchover-copy-old-leader-gtid',
      number: 'switchover-wait-route-change',
    },
  },
  {
    reason:
      'candidates are compared by received transactions, and lagging replicas are excluded by failover-max-slave-delay',
    cluster: { boolean: 'failover-check-delay-stat force-noslave-behind' },
  },
  {
    reason: 'WARN0057 and WARN0069 report a ring that does not log what it replicates',
    cluster: { boolean: 'replication-multi-master-ring-unsafe' },
  },
  {
    reason: 'replicas reconnect after force-slave-heartbeat-retry seconds',
    cluster: { number: 'replication-master-connect-retry' },
  },
  {
    reason: 'the size of relay logs cannot be changed on a running server',
    cluster: { boolean: 'force-disk-relaylog-size-limit' },
  },
]
/** Other spellings. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['dynamic-topology', 'replication-dynamic-topology'],
  ['multi-master-ring-unsafe', 'replication-multi-master-ring-unsafe'],
  ['shardproxy-servers-credential', 'shardproxy-credential'],
])

/** JSON keys where they are not the name in lower camel case, or where clients read several. */
const keys: ReadonlyMap<string, string> = new Map([
  ['http-use-react', 'httpUseReact http-use-react'],
  ['failover-superreadonly-state', 'failoverSuperReadOnlyState'],
  ['failover-falsepositive-maxscale', 'failoverFalsePositiveMaxscale'],
  ['failover-falsepositive-maxscale-timeout', 'failoverFalsePositiveMaxscaleTimeout'],
  ['haproxy-servers-ipv6', 'haproxyServersIpv6 haproxyServers-ipv6'],
  ['proxysql-servers-ipv6', 'proxysqlServersIpv6 proxysqlServers-ipv6'],
  ['maxscale-servers-ipv6', 'maxscaleServersIpv6 maxscaleServers-ipv6'],
  ['maxscale-binary-path', 'maxscaleBinaryPath maxscalemBinaryPath'],
  ['backup-myloader-options', 'backupMyLoaderOptions'],
  ['backup-mysqlclient-path', 'backupMysqlclientPath backupMysqlclientgPath'],
  ['prov-sphinx-img', 'provSphinxImg provSphinxDockerImg'],
  ['prov-db-compliance', 'provDBCompliance'],
  ['prov-proxy-compliance', 'provProxyCompliance'],
])

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const rows: readonly RecognisedName[] = groups.flatMap(({ reason, server = {}, cluster = {} }) =>
  [...kindsOf('server', server), ...kindsOf('cluster', cluster)].map((row) => ({ ...row, reason })),
)

function kindsOf(
  scope: SettingScope,
  kinds: Readonly<Partial<Record<Kind, string>>>,
): Omit<RecognisedName, 'reason'>[] {
  return Object.entries(kinds).flatMap(([kind, names]) =>
    words(names).map((name) => ({ name, kind: kind as Kind, scope })),
  )
}

const byName: ReadonlyMap<string, RecognisedName> = new Map(rows.map((row) => [row.name, row]))

/** All names, without other spellings. */
export const recognisedNames: readonly string[] = [...byName.keys()]

/** The row of a name in any spelling and case; undefined for settings and for unknown names. */
export function findRecognised(spelling: string): RecognisedName | undefined {
  const name = spelling.toLowerCase()
  return byName.get(name) ?? byName.get(spellings.get(name) ?? '')
}

const neutral: Readonly<Record<Kind, PlainValue>> = {
  boolean: false,
  on: true,
  number: 0,
  digits: '0',
  text: '',
  secret: '',
}

const camelCase = (name: string): string => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const keysOf = (name: string): readonly string[] => words(keys.get(name) ?? camelCase(name))

const valuesOf = (chosen: readonly RecognisedName[]): Readonly<Record<string, PlainValue>> =>
  Object.fromEntries(chosen.flatMap(({ name, kind }) => keysOf(name).map((key) => [key, neutral[kind]])))

const serverValues = valuesOf(rows.filter(({ scope }) => scope === 'server'))
const allValues = valuesOf(rows)

/** JSON keys that existing clients read, each with the value that is in force: of the server, or of a cluster, which has both. */
export const recognisedValues = (scope: SettingScope): Readonly<Record<string, PlainValue>> =>
  scope === 'server' ? serverValues : allValues
