// Changes of the primary as the API offers them: who is meant, what a dry run says, how an ended operation is answered.

import type { OperationTicket } from '../../../../actors/protocol/cluster.js'
import type { Caller, ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { MINUTE } from '../../../../lib/base/time.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import { findMember } from '../../kit/member.js'
import { asked, usual } from '../../kit/refusals.js'
import type { Context } from '../../kit/route.js'
import { renderOperation } from '../../views/cluster/operation.js'

/** Longest wait for an operation to end; operations have separate, much shorter deadlines. */
export const OPERATION_WAIT = 5 * MINUTE

/** Failures that a switchover or failover may answer besides those of its row. */
export const operationFailures = {
  ...asked,
  ...usual('operation-running', 'no-primary', 'no-candidate', 'vetoed', 'long-writes', 'rolled-back', 'step-failed'),
  ...usual('replication-login'),
  ...usual('wrong-state', 'sql-failed', 'sql-silent', 'sql-unresolved', 'sql-refused', 'sql-rejected'),
}

/** What the query says of any operation: `plan` asks for a dry run, `wait=false` for an answer at the start. */
export interface OperationQuery {
  readonly plan?: boolean | undefined
  readonly wait?: boolean | undefined
}

export interface Switchover {
  readonly cluster: Context<unknown, unknown, unknown>['cluster']
  readonly caller: Caller
  readonly query: OperationQuery
  readonly candidate: ServerId | undefined
}

/** A dry run, or the operation itself. */
export async function switchOver({ cluster, caller, query, candidate }: Switchover): Promise<Result<unknown>> {
  const target = candidate === undefined ? {} : { candidate }
  if (query.plan) return cluster.ask('plan-switchover', target)
  const wait = query.wait ?? true
  return ended(await cluster.ask('switchover', { user: caller.user, wait, ...target }, { deadlineMs: OPERATION_WAIT }))
}

export async function failOver({ cluster, caller, query }: Omit<Switchover, 'candidate'>): Promise<Result<unknown>> {
  if (query.plan) return cluster.ask('plan-failover', {})
  const wait = query.wait ?? true
  return ended(await cluster.ask('failover', { user: caller.user, wait }, { deadlineMs: OPERATION_WAIT }))
}

/** The server a form names by id, name or address; undefined when it names none. */
export function findCandidate(manager: ManagerFace, cluster: string, name = ''): Result<ServerId | undefined> {
  if (name === '') return ok(undefined)
  const view = manager.members(cluster)
  const member = view && findMember(view, name)
  return member ? ok(member.id) : fail('unknown-server', `prefmaster: ${name} is not a server of ${cluster}`)
}

/** An operation that did not succeed is a failure, whatever it left behind. */
export function ended(ticket: Result<OperationTicket>): Result<OperationTicket> {
  if (!ticket.ok) return ticket
  const { phase, message, id } = ticket.value.operation
  if (phase === 'rolled-back') return fail('rolled-back', message ?? `${id} was rolled back`)
  if (phase === 'failed') return fail('step-failed', message ?? `${id} failed`)
  return ok({ ...ticket.value, operation: renderOperation(ticket.value.operation) })
}
