// HTTP status of every failure, and the text where one text holds for all routes; a row may say otherwise.
import type { FailureCode } from '../../lib/base/failures.js'
import type { Route, WireFailure } from './route.js'

const statuses: Readonly<Partial<Record<FailureCode, WireFailure>>> = {
  'unknown-cluster': [500, 'No cluster'],
  'unknown-server': [500, 'Server Not Found'],
  'unknown-setting': [404],
  'unknown-tag': [404],
  'tag-conflict': [409],
  'unknown-route': [404],
  'unknown-change': [404],
  'setting-grant': [403],
  'unknown-topology': [400],
  'wrong-method': [405],
  'wrong-scope': [400],
  'wrong-value': [400],
  'cluster-exists': [400],
  'server-exists': [409],
  'bad-name': [400],
  'bad-request': [400],
  'too-large': [413],
  'not-logged-in': [401, 'Unauthenticated resource'],
  'wrong-credentials': [401, 'Invalid credentials'],
  'locked-out': [429],
  'no-grant': [403, 'No valid ACL'],
  'operation-running': [409],
  'primary-failed': [400, 'Master failed'],
  'primary-alive': [400],
  'no-primary': [500],
  'no-candidate': [409],
  vetoed: [409],
  'long-writes': [409],
  'is-primary': [409],
  'not-replicating': [409],
  'wrong-state': [409],
  unsupported: [501],
  'data-exists': [409],
  'unknown-job': [404],
  'unknown-proxy': [500, 'Server Not Found'],
  'archive-missing': [404, 'File not found'],
  'deadline-passed': [504],
  'actor-gone': [503],
  'mailbox-full': [503],
  quarantined: [503],
  'check-negative': [503],
}

/** Status and text of a failure on a route (or on none): the row's own, else the general one, else 500. */
export const wireFailure = (code: FailureCode, row?: Pick<Route, 'failures'>): WireFailure =>
  row?.failures[code] ?? statuses[code] ?? [500]
