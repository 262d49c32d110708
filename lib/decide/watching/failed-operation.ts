// The latest operation, reported while it is one that did not succeed.
import { MINUTE } from '../../base/time.js'
import type { Finding } from '../../model/finding.js'
import { isMinor, type Operation } from '../../model/operation/operation.js'

/** So long after its end it is reported. */
const SHOWN_MS = 60 * MINUTE

/** A rejoin or repair that gave way to a failover is no failure. */
export function judgeOperation(operation: Operation | undefined, now: number): readonly Finding[] {
  if (operation === undefined || gaveWay(operation)) return []
  const { phase, endedAt, id, owner, message = '' } = operation
  if (endedAt === undefined || now - endedAt > SHOWN_MS || (phase !== 'failed' && phase !== 'rolled-back')) return []
  const result = phase === 'failed' ? 'failed' : 'was undone'
  return [{ code: 'WARN0238', detail: `${id} by ${owner} ${result}: ${message}` }]
}

const gaveWay = (operation: Operation): boolean => isMinor(operation) && operation.failure === 'deadline-passed'
