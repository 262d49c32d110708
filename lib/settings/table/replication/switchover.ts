// Switchover: what it waits for and when it gives up.
import { setting } from '../../kit/row.js'
import { boolean, integer } from '../../kit/shape.js'

export const switchoverSettings = {
  'switchover-wait-kill': setting({
    shape: integer({ unit: 'milliseconds' }),
    default: 5000,
    scope: 'cluster',
    apply: 'live',
    doc: 'How long the freeze (read_only, then the global read lock) waits for running writes and commits to end, and for the sessions of users whom read_only does not stop, which it ends; after that the switchover is undone. Less than 1000 counts as 1000.',
  }),
  'switchover-wait-trx': setting({
    shape: integer({ min: 1, unit: 'seconds' }),
    default: 10,
    scope: 'cluster',
    apply: 'live',
    doc: 'How long a switchover waits, before it changes anything, for the writes and transactions of switchover-wait-write-query to end; after that it is refused and names them.',
  }),
  'switchover-wait-write-query': setting({
    shape: integer({ unit: 'seconds' }),
    default: 10,
    scope: 'cluster',
    apply: 'live',
    doc: 'A statement that writes, or a transaction that has changed rows, of this age or older holds up the switchover for switchover-wait-trx. 0: any.',
  }),
  'switchover-end-sessions': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Ends the sessions of clients on the old primary when the new one takes writes, so that pools connect again rather than keep sessions whose writes are refused (error 1290). Idle sessions end at once, others when their statement ends, within 5 s; sessions of the accounts of the manager and of replication stay. Not for Galera, where every node takes writes.',
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
  'switchover-unjudged-login': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Allows a new source on which the manager cannot judge whether the replication account can log in: for switchovers, also those of the manager (failover-switch-to-prefered), and for replicas that run and get another source. An account that requires a certificate which the manager does not have is judged by a replica that runs with one, where the accounts are equal. A server that refuses the login is never allowed; an account for the addresses of the replicas only is a risk that the plan names.',
  }),
}
