// MHA's files: one with defaults for all, and one for each cluster with its servers.
import path from 'node:path'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { half, listed, seconds, structure, where } from './convert.js'
import type { ClusterInput, Entry, Foreign, ForeignRow, Host, Sorted, Wishes } from './foreign.js'
import { placeOf } from './foreign.js'
import { readIni } from './ini.js'

const SCRIPTS = 'other arguments: adapt it, see migration.md'

const everywhere = ['default', 'server']
const row = (name: string, rest: Omit<ForeignRow, 'name' | 'in'>): ForeignRow => ({ name, in: everywhere, ...rest })
const ignored = (name: string, remark: string): ForeignRow => row(name, { ours: [], ignored: true, remark })

const rows: readonly ForeignRow[] = [
  row('hostname', { ours: ['db-servers-hosts'], convert: structure, remark: 'a server of the cluster' }),
  row('port', { ours: ['db-servers-hosts'], convert: structure, remark: 'its port' }),
  ignored('ip', 'servers are addressed by hostname'),
  row('user', {
    ours: ['db-servers-credential'],
    convert: half('user'),
    remark: 'user of the account; root without it',
  }),
  row('password', { ours: ['db-servers-credential'], convert: half('password'), remark: 'its password' }),
  row('repl_user', {
    ours: ['replication-credential'],
    convert: half('replication-user'),
    remark: 'user of replication',
  }),
  row('repl_password', {
    ours: ['replication-credential'],
    convert: half('replication-password'),
    remark: 'its password',
  }),
  row('candidate_master', {
    ours: ['db-servers-prefered-master'],
    convert: listed('db-servers-prefered-master'),
    remark: '1: the server is preferred in elections',
  }),
  row('no_master', {
    ours: ['db-servers-ignored-hosts'],
    convert: listed('db-servers-ignored-hosts'),
    remark: '1: the server is never elected',
  }),
  row('multi_tier_slave', {
    ours: ['replication-multi-tier-slave'],
    convert: where(true, 'replication-multi-tier-slave', true),
    remark: '1: replicas may have replicas',
  }),
  row('check_repl_delay', {
    ours: ['failover-max-slave-delay'],
    convert: where(false, 'failover-max-slave-delay', -1),
    remark: '0 becomes -1 (any lag); 1 leaves the default, in seconds instead of bytes',
  }),
  row('ping_interval', {
    ours: ['monitoring-ticker'],
    convert: seconds(1000, 'monitoring-ticker'),
    remark: 'a lost connection is noticed at once in any case',
  }),
  row('ignore_fail', { ours: ['failover-mode'], remark: 'explain shows what prevents a failover, for every rule' }),
  row('master_ip_failover_script', { ours: ['failover-pre-script', 'failover-post-script'], remark: SCRIPTS }),
  row('master_ip_online_change_script', { ours: ['failover-pre-script', 'failover-post-script'], remark: SCRIPTS }),
  row('shutdown_script', {
    ours: ['failover-pre-script'],
    remark: `an old primary that can be reached is made read-only, none is powered off; ${SCRIPTS}`,
  }),
  row('report_script', { ours: ['failover-post-script', 'monitoring-open-state-script'], remark: SCRIPTS }),
  row('secondary_check_script', {
    ours: ['failover-falsepositive-heartbeat'],
    remark: 'replicas are asked whether they still hear the primary: on by default',
  }),
  row('init_conf_load_script', {
    ours: ['db-servers-credential', 'replication-credential'],
    remark: 'passwords that it prints: manager encrypt',
  }),
  row('check_repl_filter', { ours: ['check-replication-filters'], remark: 'compared by default' }),
  row('ping_type', { ours: [], ignored: true, remark: 'a probe is a query on a connection that stays open' }),
  ignored('latest_priority', 'the most advanced replica is always found first; preferred ones come next'),
  ignored('use_gtid_auto_pos', 'replication by GTID is recognised'),
  ignored('skip_reset_slave', 'a promoted server always ends its replication'),
  {
    name: '*',
    in: ['other'],
    ours: ['backup-binlogs', 'binlog-copy-mode'],
    remark: 'binary logs are stored by the manager, not by servers of binary logs',
  },
  ...[
    'ssh_*',
    'skip_init_ssh_check',
    'master_binlog_dir',
    'remote_workdir',
    'master_pid_file',
    'handle_raw_binlog',
  ].map((name) => ignored(name, 'a failover needs no SSH and no binary logs of the dead host')),
  ...['manager_*', 'log_level', 'client_*', 'mysqlbinlog', 'disable_log_bin'].map((name) =>
    ignored(name, 'how it runs and logs itself'),
  ),
]

const kindOf = (section: string): string =>
  /^server[_ ]default$/.test(section) ? 'default' : /^server/.test(section) ? 'server' : 'other'

/** Each file with servers is a cluster; those without hold defaults for all. */
function sort(entries: readonly Entry[], { cluster }: Wishes): Result<Sorted> {
  const files = [...new Set(entries.map(({ file }) => file))]
  const of = (file: string) => entries.filter((entry) => entry.file === file)
  const hasServers = (file: string) => of(file).some(({ section }) => kindOf(section) === 'server')
  const common = files.filter((file) => !hasServers(file)).flatMap(of)
  const clusters = files.filter(hasServers)
  if (clusters.length === 0)
    return fail(
      'bad-configuration',
      `${files.join(', ')}: no section [server1], [server2], …: give the file of the cluster, too`,
    )
  if (cluster !== undefined && clusters.length > 1)
    return fail('bad-request', `--cluster names one cluster, and ${clusters.join(', ')} are one each`)
  return ok({
    clusters: clusters.map((file) => clusterOf([...common, ...of(file)], cluster ?? nameOf(file))),
    others: [],
  })
}

const nameOf = (file: string): string => path.basename(file).replace(/\.(cnf|conf|cf|ini)$/, '')

function clusterOf(entries: readonly Entry[], name: string): ClusterInput {
  const defaults = entries.filter(({ section }) => kindOf(section) === 'default')
  const port = defaults.findLast((entry) => entry.name === 'port')
  const addresses = new Map<string, Host>()
  for (const host of entries) {
    if (kindOf(host.section) !== 'server' || host.name !== 'hostname') continue
    const own = entries.find((entry) => entry.section === host.section && entry.name === 'port') ?? port
    const address = own === undefined || own.value === '3306' ? host.value : `${host.value}:${own.value}`
    addresses.set(host.section, { address, from: `${placeOf(host)} hostname` })
  }
  const has = (wanted: string) => entries.some((entry) => entry.name === wanted)
  const isDefaultFirst = [...defaults, ...entries.filter((entry) => !defaults.includes(entry))]
  return {
    name,
    hosts: [...addresses.values()],
    parts: isDefaultFirst.map((entry) => {
      const address = addresses.get(entry.section)?.address
      return { kind: kindOf(entry.section), entry, ...(address === undefined ? {} : { address }) }
    }),
    derived: [],
    missing: [
      ...(has('user')
        ? []
        : ['db-servers-credential: no user is named (root by default there): create an account, see accounts.md']),
      ...(has('repl_user') && has('repl_password')
        ? []
        : ['replication-credential: repl_user or repl_password is not in the file: it is read from replicas there']),
    ],
    addressOf: (section) => addresses.get(section)?.address,
  }
}

export const mha: Foreign = { title: 'MHA', rows, read: readIni, sort }
