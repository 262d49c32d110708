// What is checked before a server may be elected.
import { setting } from '../../kit/row.js'
import { boolean } from '../../kit/shape.js'

export const checkSettings = {
  'check-replication-filters': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Candidates have the same replication filters as the primary (MariaDB).',
  }),
  'check-replication-state': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Candidates replicate without error and within the lag limit.',
  }),
  'check-replication-errant-trx': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Candidates have no transactions of their own.',
  }),
  'check-binlog-filters': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Candidates have the same binary log filters as the primary.',
  }),
  'check-grants': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'The accounts of the manager and of replication have their privileges.',
  }),
}
