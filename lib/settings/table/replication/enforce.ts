// Settings of replicas that the manager enforces while they run.
import { setting } from '../../kit/row.js'
import { boolean, integer, oneOf } from '../../kit/shape.js'

export const enforceSettings = {
  'force-slave-readonly': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'As failover-readonly-state: replicas are set read-only when both are true.',
  }),
  'force-slave-heartbeat': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Gives replicas the heartbeat period of force-slave-heartbeat-time where they have another one.',
  }),
  'force-slave-heartbeat-time': setting({
    shape: integer({ min: 1, unit: 'seconds' }),
    default: 3,
    scope: 'cluster',
    apply: 'live',
    doc: 'The heartbeat period of replicas that the manager points to a source.',
  }),
  'force-slave-heartbeat-retry': setting({
    shape: integer({ min: 1, unit: 'seconds' }),
    default: 5,
    scope: 'cluster',
    apply: 'live',
    doc: 'Time between attempts of a replica to connect, as the manager sets it.',
  }),
  'force-slave-gtid-mode': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    was: ['force-slave-gtid'],
    doc: 'Moves replicas that replicate by position to GTID.',
  }),
  'force-slave-gtid-mode-strict': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sets gtid_strict_mode (MariaDB) on every server.',
  }),
  'force-slave-semisync': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Enables semi-synchronous replication on replicas and on the primary.',
  }),
  'force-slave-idempotent': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sets the exec mode of replicas to IDEMPOTENT, unless force-slave-strict is set.',
  }),
  'force-slave-strict': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sets the exec mode of replicas to STRICT.',
  }),
  'force-slave-parallel-mode': setting({
    shape: oneOf(['', 'serialized', 'minimal', 'conservative', 'optimistic', 'aggressive']),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Sets the parallel mode of replicas (MariaDB), for which their replication stops for a moment; empty: leaves it alone.',
  }),
  'force-sync-binlog': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sets sync_binlog to 1 on every server.',
  }),
  'force-sync-innodb': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sets innodb_flush_log_at_trx_commit to 1 on every server.',
  }),
}
