// Replication: account, connection, delayed replicas, topologies.
import { secret } from '../../../base/secret.js'
import { hosts } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, credential, integer, port, text } from '../../kit/shape.js'

export const replicationSettings = {
  'replication-credential': setting({
    shape: credential(),
    default: secret('root:mariadb'),
    scope: 'cluster',
    apply: 'live',
    doc: 'Account replicas connect to their source with.',
  }),
  'replication-use-ssl': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Replicas connect with TLS; those that do already keep it.',
  }),
  'replication-source-name': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Name of the replication connection (multi-source).',
  }),
  'replication-delayed-hosts': setting({
    shape: hosts(),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'Replicas that are kept behind on purpose.',
  }),
  'replication-delayed-time': setting({
    shape: integer({ unit: 'seconds' }),
    default: 3600,
    scope: 'cluster',
    apply: 'live',
    doc: 'How far behind.',
  }),
  'replication-error-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Runs when a replica no longer receives or applies, with its address, its old and its new state.',
  }),
  'replication-restart-on-sqlerror-match': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    jsonWas: ['eeplicationRestartOnSqlLErrorMatch'],
    doc: 'Regular expression, matched with number and text of an error, after which the SQL thread is started again.',
  }),
  'replication-active-passive': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Topology: one server takes writes, nothing is replicated between servers.',
  }),
  'replication-multi-master': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Topology: two servers replicate from each other, one takes writes.',
  }),
  'replication-multi-master-ring': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Topology: servers replicate in a ring.',
  }),
  'replication-multi-master-wsrep': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Topology: Galera.',
  }),
  'replication-multi-master-wsrep-sst-method': setting({
    shape: text(),
    default: 'mariabackup',
    scope: 'cluster',
    apply: 'live',
    json: 'replicationMultiMasterWsrepSSTMethod',
    doc: 'State transfer method of Galera.',
  }),
  'replication-multi-master-wsrep-port': setting({
    shape: port(),
    default: 4567,
    scope: 'cluster',
    apply: 'live',
    doc: "Port of Galera's group communication.",
  }),
  'replication-multi-master-grouprep-port': setting({
    shape: port(),
    default: 33061,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port of group replication.',
  }),
  'replication-multi-tier-slave': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Topology: replicas may have replicas.',
  }),
  'replication-master-slave-never-relay': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    was: ['replication-no-relay'],
    doc: 'Repoints replicas of replicas to the primary.',
  }),
}
