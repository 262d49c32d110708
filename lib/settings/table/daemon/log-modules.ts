// Modules of the log: which are written, and how much of each; `log-level` and `log-file-level` bound all of them.
import { setting } from '../../kit/row.js'
import { boolean, integer, text } from '../../kit/shape.js'

/** Whether lines of a module are written. */
const on = (what: string) =>
  setting({ shape: boolean(), default: true, scope: 'cluster', apply: 'live', doc: `Writes lines about ${what}.` })

/** How much of a module is written. */
const verbosity = (initial: number, what: string) =>
  setting({
    shape: integer({ max: 4 }),
    default: initial,
    scope: 'cluster',
    apply: 'live',
    doc: `Verbosity of lines about ${what}: 0 none, 1 errors, 2 warnings, 3 events, 4 everything.`,
  })

const tasks = 'scheduled work and delay statistics'
const copies = 'copies of data from one server to another (reprovisioning)'
const heartbeats = 'which manager acts on each server'
const elections = 'the candidate of a failover, whenever it is another one'
const jobs = 'jobs of services: provision, start, stop, restart'
const topology = 'sources and roles of servers, whenever they change'
const proxies = 'states of proxies, whenever they change'
const streams = 'backups, their copies elsewhere, and the storing of binary logs'

export const logModuleSettings = {
  'log-task-level': verbosity(3, tasks),
  'log-sst': on(copies),
  'log-sst-level': verbosity(3, copies),
  'log-heartbeat': on(heartbeats),
  'log-heartbeat-level': verbosity(1, heartbeats),
  'log-writer-election': on(elections),
  'log-writer-election-level': verbosity(1, elections),
  'log-orchestrator': on(jobs),
  'log-orchestrator-level': verbosity(3, jobs),
  'log-topology': on(topology),
  'log-topology-level': verbosity(2, topology),
  'log-proxy': on(proxies),
  'log-proxy-level': verbosity(2, proxies),
  'log-backup-stream': on(streams),
  'log-backup-stream-level': verbosity(4, streams),
  'log-binlog-purge-level': verbosity(3, 'binary logs of servers that are deleted, and what holds them back'),
  'log-git': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Writes lines about the configuration repository; the value of [Default] counts.',
  }),
  'log-git-level': verbosity(
    3,
    'the configuration repository: pushes, changes of others, outages; the value of [Default] counts',
  ),
  'log-graphite-level': verbosity(3, 'the connection to carbon; the value of [Default] counts'),
  'log-config-load': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Writes, when the configuration is read, how many values come from each file, the environment, flags and saved changes.',
  }),
  'log-config-load-level': verbosity(3, 'where the values of the configuration come from'),
  'log-sql-in-monitoring': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Writes every statement of the probes, at verbosity 4 of log-level or log-file-level; not into the log that the API shows.',
  }),
  'log-syslog': setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'restart',
    doc: 'Sends the log to syslog as well: RFC 5424 over UDP, with the verbosity of log-level.',
  }),
  'log-syslog-address': setting({
    shape: text(),
    default: '127.0.0.1:514',
    scope: 'server',
    apply: 'restart',
    doc: 'Where syslog listens, host:port.',
  }),
}
