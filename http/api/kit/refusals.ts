// Failures that many rows share, with the statuses and texts the contract gives them.
import type { FailureCode } from '../../../lib/base/failures.js'
import type { WireFailure } from './route.js'
import { wireFailure } from './statuses.js'

type Refusals = Readonly<Partial<Record<FailureCode, WireFailure>>>

/** Failures that a row may answer with the general status and text of http/api/statuses.ts. */
export const usual = (...codes: readonly FailureCode[]): Refusals =>
  Object.fromEntries(codes.map((code) => [code, wireFailure(code)]))

/** What becomes of a statement, or of the login before it: a row whose answer takes one may fail so. */
export const statementCodes = [
  'sql-failed',
  'sql-silent',
  'sql-unresolved',
  'sql-refused',
  'sql-rejected',
  'sql-key-unproven',
] as const satisfies readonly FailureCode[]

/** The same as refusals of a row. */
export const notStated = usual(...statementCodes)

/** Reads of a cluster. */
export const noCluster = { 'unknown-cluster': [500, 'No cluster'] } as const

/** Actions on a cluster. */
export const clusterNotFound = { 'unknown-cluster': [500, 'Cluster Not Found'] } as const

/** Reads of and actions on a server. */
export const serverNotFound = { ...clusterNotFound, 'unknown-server': [500, 'Server Not Found'] } as const

/** Whatever is asked of an actor may meet one that is gone, full or stopped. */
export const asked = usual('deadline-passed', 'actor-gone', 'mailbox-full', 'quarantined')
