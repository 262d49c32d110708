// orchestrator's JSON: the accounts and rules of its whole fleet; the servers are given on the command line.
import { ok, type Result } from '../../lib/base/result.js'
import { copy, half, matching, readPattern, seconds, structure, times } from './convert.js'
import {
  type Convert,
  type Entry,
  type Foreign,
  type ForeignRow,
  placeOf,
  type Sorted,
  type Wishes,
} from './foreign.js'
import { readIni } from './ini.js'
import { readJsonNames } from './json-names.js'

const row = (name: string, rest: Omit<ForeignRow, 'name' | 'in'>): ForeignRow => ({ name, in: [''], ...rest })
const hook = (name: string, ours: ForeignRow['ours'], remark: string): ForeignRow => row(name, { ours, remark })
const ignored = (name: string, remark: string): ForeignRow => row(name, { ours: [], ignored: true, remark })
const SCRIPTS = 'other arguments, one script, no placeholders: adapt it, see migration.md'

/** Automatic where one of the filters holds for this cluster. */
const automatic: Convert = ({ items = [] }, { cluster }) => {
  const matches = items.map((filter) => {
    const [, kind, text = ''] = /^(alias=|alias~=|)(.*)$/s.exec(filter) ?? []
    if (kind === 'alias=') return text === cluster
    return text === '*' ? true : readPattern(text)?.test(cluster)
  })
  if (matches.includes(true)) return { settings: { 'failover-mode': 'automatic' } }
  if (matches.includes(undefined)) return { problem: 'a pattern that cannot be read here: set failover-mode by hand' }
  return { settings: { 'failover-mode': 'manual' } }
}

/** Zero is: no limit. */
const lagLimit: Convert = (entry, context) =>
  entry.value === '0'
    ? { settings: { 'failover-max-slave-delay': -1 } }
    : times(60, 'failover-max-slave-delay')(entry, context)

/** With a whole list of names that hold the same. */
const rows: readonly ForeignRow[] = [
  row('MySQLTopologyUser', { ours: ['db-servers-credential'], convert: half('user'), remark: 'user of the account' }),
  row('MySQLTopologyPassword', { ours: ['db-servers-credential'], convert: half('password'), remark: 'its password' }),
  hook(
    'MySQLTopologyCredentialsConfigFile',
    ['db-servers-credential'],
    'user and password of its section [client]: give the file, too, as the second FILE',
  ),
  row('MySQLTopologySSLCAFile', {
    ours: ['db-servers-tls-ca-cert'],
    convert: copy('db-servers-tls-ca-cert'),
    remark: 'sessions then use TLS',
  }),
  row('MySQLTopologySSLCertFile', {
    ours: ['db-servers-tls-client-cert'],
    convert: copy('db-servers-tls-client-cert'),
    remark: '',
  }),
  row('MySQLTopologySSLPrivateKeyFile', {
    ours: ['db-servers-tls-client-key'],
    convert: copy('db-servers-tls-client-key'),
    remark: '',
  }),
  hook(
    'MySQLTopologySSLSkipVerify',
    ['db-servers-tls-ca-cert'],
    'certificates are always verified: name the authority',
  ),
  ignored('MySQLTopologyUseMutualTLS', 'TLS follows from the certificates'),
  hook('MySQLTopologyUseMixedTLS', ['db-servers-tls-ca-cert'], 'TLS holds for all servers of a cluster or for none'),
  row('DefaultInstancePort', {
    ours: ['db-servers-hosts'],
    convert: structure,
    remark: 'the port of servers given without one',
  }),
  row('InstancePollSeconds', { ours: ['monitoring-ticker'], convert: seconds(1000, 'monitoring-ticker'), remark: '' }),
  row('MySQLConnectTimeoutSeconds', {
    ours: ['db-servers-connect-timeout'],
    convert: seconds(1000, 'db-servers-connect-timeout'),
    remark: '',
  }),
  row('RecoverMasterClusterFilters', {
    ours: ['failover-mode'],
    convert: automatic,
    remark: 'automatic where one of them matches the name of the cluster, else manual',
  }),
  hook(
    'RecoverIntermediateMasterClusterFilters',
    ['replication-multi-tier-slave'],
    'a topology with relays is a setting of the cluster',
  ),
  row('PromotionIgnoreHostnameFilters', {
    ours: ['db-servers-ignored-hosts'],
    convert: matching('db-servers-ignored-hosts'),
    remark: 'the servers that a pattern matches',
  }),
  row('RecoveryPeriodBlockSeconds', {
    ours: ['failover-time-limit'],
    convert: times(1, 'failover-time-limit'),
    remark: '',
  }),
  row('RecoveryPeriodBlockMinutes', {
    ours: ['failover-time-limit'],
    convert: times(60, 'failover-time-limit'),
    remark: 'minutes × 60',
  }),
  row('FailMasterPromotionOnLagMinutes', {
    ours: ['failover-max-slave-delay'],
    convert: lagLimit,
    remark: 'minutes × 60; 0 becomes -1 (no limit)',
  }),
  ignored(
    'FailMasterPromotionIfSQLThreadNotUpToDate',
    'a candidate always applies what it received before it is promoted',
  ),
  ignored(
    'DelayMasterPromotionIfSQLThreadNotUpToDate',
    'a candidate always applies what it received before it is promoted',
  ),
  ignored('ApplyMySQLPromotionAfterMasterFailover', 'a promoted server is always made writable and stops replicating'),
  ignored('MasterFailoverDetachReplicaMasterHost', 'a promoted server never follows the old primary'),
  ignored('MasterFailoverDetachSlaveMasterHost', 'a promoted server never follows the old primary'),
  ignored('DetachLost*', 'a replica with transactions of its own is never repointed; a finding names it'),
  hook(
    'MasterFailoverLostInstancesDowntimeMinutes',
    ['autorejoin'],
    'an old primary that is not ahead comes back, any other stays out with a finding',
  ),
  hook('PreventCrossDataCenterMasterFailover', ['db-servers-ignored-hosts'], 'name the servers of the other site'),
  hook('PreventCrossRegionMasterFailover', ['db-servers-ignored-hosts'], 'name the servers of the other region'),
  hook(
    'RecoveryIgnoreHostnameFilters',
    ['failover-mode', 'db-servers-ignored-hosts'],
    'manual for the cluster, or servers that are never elected',
  ),
  hook(
    'CoMasterRecoveryMustPromoteOtherCoMaster',
    ['replication-multi-master', 'db-servers-prefered-master'],
    'set the topology and the preferred server',
  ),
  hook(
    'DetectPromotionRuleQuery',
    ['db-servers-prefered-master', 'db-servers-ignored-hosts'],
    'rules are lists, not a query',
  ),
  hook(
    'DetectSemiSyncEnforcedQuery',
    ['failover-at-sync', 'force-slave-semisync'],
    'the state is read from the servers',
  ),
  hook('OnFailureDetectionProcesses', ['monitoring-open-state-script'], SCRIPTS),
  hook('PreFailoverProcesses', ['failover-pre-script'], SCRIPTS),
  hook('PostFailoverProcesses', ['failover-post-script'], SCRIPTS),
  hook('PostMasterFailoverProcesses', ['failover-post-script'], SCRIPTS),
  hook('PostUnsuccessfulFailoverProcesses', ['monitoring-open-state-script'], SCRIPTS),
  hook('PostIntermediateMasterFailoverProcesses', ['replication-error-script'], SCRIPTS),
  hook('PreGracefulTakeoverProcesses', ['failover-pre-script'], SCRIPTS),
  hook('PostGracefulTakeoverProcesses', ['failover-post-script'], SCRIPTS),
  hook('PostTakeMasterProcesses', ['failover-post-script'], SCRIPTS),
  hook('UnreachableMasterWithStaleSlavesProcesses', ['monitoring-open-state-script'], SCRIPTS),
  ignored('ProcessesShellCommand', 'a script is started directly'),
  hook('ReplicationLagQuery', ['failover-max-slave-delay'], 'lag is what the server reports'),
  hook('SlaveLagQuery', ['failover-max-slave-delay'], 'lag is what the server reports'),
  hook('ReasonableReplicationLagSeconds', ['failover-max-slave-delay'], 'a limit for candidates'),
  ignored('DetectClusterAliasQuery', 'a cluster is named by its section: --cluster'),
  ignored('ClusterNameToAlias', 'a cluster is named by its section: --cluster'),
  ignored('Detect*', 'names, sites and domains are not read from the servers'),
  ignored('Discover*', 'members are listed in db-servers-hosts: --hosts'),
  ignored('HostnameResolveMethod', 'servers are addressed as db-servers-hosts names them'),
  ignored('MySQLHostnameResolveMethod', 'servers are addressed as db-servers-hosts names them'),
  hook('ReadOnly', ['monitoring-observe'], 'true in what is imported'),
  hook('ListenAddress', ['api-bind', 'api-port'], 'settings of the server (config.toml)'),
  hook('HTTPAuth*', ['api-credentials'], 'users of the API, in config.toml'),
  hook('PowerAuth*', ['api-credentials'], 'grants of users: acl.md'),
  hook('AuthenticationMethod', ['api-credentials'], 'every request needs a login, except role checks'),
  hook('Graphite*', ['graphite-metrics', 'graphite-carbon-host'], 'settings of the server'),
  hook('Raft*', ['cluster-store'], 'several managers share a fleet by etcd: several-managers.md'),
  hook('Consul*', ['failover-post-script'], 'a script or a role check of a proxy finds the primary: own-proxies.md'),
  hook('Zk*', ['failover-post-script'], 'a script or a role check of a proxy finds the primary: own-proxies.md'),
  hook('KV*', ['failover-post-script'], 'a script or a role check of a proxy finds the primary: own-proxies.md'),
  hook('AutoPseudoGTID', ['force-slave-gtid-mode'], 'replication by GTID takes its place'),
  hook('PseudoGTID*', ['force-slave-gtid-mode'], 'replication by GTID takes its place'),
  ...[
    'MySQLOrchestrator*',
    'BackendDB',
    'SQLite3*',
    'SkipOrchestratorDatabaseUpdate',
    'PanicIfDifferentDatabaseDeploy',
  ].map((name) => ignored(name, 'state is kept in the working directory')),
  ...['Agent*', 'ServeAgentsHttp', 'SeedAcceptableBytesDiff', 'StaleSeedFailMinutes'].map((name) =>
    ignored(name, 'its agent is not needed'),
  ),
  ...['UseSSL', 'UseMutualTLS', 'SSL*', 'OAuth*', 'AccessToken*', 'AuthUserHeader', 'URLPrefix', 'ListenSocket'].map(
    (name) => hook(name, ['api-bind'], 'how its page is served: hardening.md'),
  ),
  ...['Debug', 'EnableSyslog', 'Audit*', 'Instance*', 'BufferInstanceWrites', 'Unseen*', 'Snapshot*', 'Expiry*'].map(
    (name) => ignored(name, 'how it logs, stores and expires its own data'),
  ),
  ...['RemoteSSH*', 'Postpone*', 'Reduce*', 'FailureDetectionPeriodBlockMinutes', 'Skip*', 'Reject*', 'Verify*'].map(
    (name) => ignored(name, 'a part of how it recovers that has no equal here'),
  ),
  ...[
    'DataCenterPattern',
    'PhysicalEnvironmentPattern',
    'ProblemIgnore*',
    'OSC*',
    'RemoveText*',
    'MaxOutdated*',
    'Status*',
    'SupportFuzzy*',
    'Candidate*',
    'MySQLTopology*',
    'MySQLDiscovery*',
    'ReasonableMaintenance*',
    'Binlog*',
    'TLSCacheTTLFactor',
    'DefaultRaftPort',
    'ExpectFailureAnalysisConcensus',
  ].map((name) => ignored(name, 'display, limits and caches of its own')),
  {
    name: 'user',
    in: ['client'],
    ours: ['db-servers-credential'],
    convert: half('user'),
    remark: 'of its file of credentials',
  },
  {
    name: 'password',
    in: ['client'],
    ours: ['db-servers-credential'],
    convert: half('password'),
    remark: 'of its file of credentials',
  },
]

/** The servers of one cluster, with the port that the file gives to those without one. */
function sort(entries: readonly Entry[], { hosts, cluster }: Wishes): Result<Sorted> {
  const port = entries.find(({ name }) => name === 'DefaultInstancePort')
  const suffix = port === undefined || port.value === '3306' ? '' : `:${port.value}`
  const missing = hosts.length === 0 ? ['db-servers-hosts: the file names no servers: give them by --hosts'] : []
  return ok({
    clusters: [
      {
        name: cluster ?? 'imported',
        hosts: hosts.map((host) => ({
          address: /:\d+$/.test(host) ? host : `${host}${suffix}`,
          from: suffix === '' || port === undefined ? '--hosts' : `--hosts and ${placeOf(port)} DefaultInstancePort`,
        })),
        parts: entries.map((entry) => ({ kind: entry.section, entry })),
        derived: [],
        missing: [...missing, 'replication-credential: the file does not hold the account of replication'],
        addressOf: () => undefined,
      },
    ],
    others: [],
  })
}

export const orchestrator: Foreign = { title: 'orchestrator', rows, read, sort }

/** A file of credentials has sections. */
function read(text: string, file: string): Result<readonly Entry[]> {
  return /^\s*\[/.test(text) ? readIni(text, file) : readJsonNames(text, file)
}
