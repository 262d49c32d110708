// Switchover: what it waits for and when it gives up.
import { setting } from '../../kit/row.js'
import { boolean, integer } from '../../kit/shape.js'

export const switchoverSettings = {
  'switchover-wait-kill': setting({
    shape: integer({ unit: 'milliseconds' }),
    default: 5000,
    scope: 'cluster',
    apply: 'live',
    doc: 'How long the freeze waits for running writes to end; after that the switchover is undone. Nothing is killed.',
  }),
  'switchover-wait-trx': setting({
    shape: integer({ min: 1, unit: 'seconds' }),
    default: 10,
    scope: 'cluster',
    apply: 'live',
    doc: 'How long the global lock waits for open transactions.',
  }),
  'switchover-wait-write-query': setting({
    shape: integer({ unit: 'seconds' }),
    default: 10,
    scope: 'cluster',
    apply: 'live',
    doc: 'A write that runs longer than this refuses the switchover.',
  }),
  'switchover-at-equal-gtid': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Only to a replica with the same GTID set as the primary.',
  }),
  'switchover-at-sync': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Only to a replica whose semi-synchronous replication is in sync.',
  }),
  'switchover-max-slave-delay': setting({
    shape: integer({ unit: 'seconds' }),
    default: 0,
    scope: 'cluster',
    apply: 'live',
    doc: 'Most lag a candidate may have; 0: the limit of failover-max-slave-delay.',
  }),
  'switchover-lower-release': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Allows a candidate of an older version.',
  }),
}
