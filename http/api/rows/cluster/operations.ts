// Changes of the primary as the API offers them: who is meant, what a dry run says, how an ended operation is answered.

import type { OperationTicket } from '../../../../actors/protocol/cluster.js'
import type { Caller, ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { MINUTE } from '../../../../lib/base/time.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import { findMember } from '../../kit/member.js'
import { PLAN_WAIT } from '../../kit/plan/planned.js'
import { asked, notStated, usual } from '../../kit/refusals.js'
import type { Context } from '../../kit/route.js'
import { renderOperation } from '../../views/cluster/operation.js'

/** Longest wait for an operation to end; operations have separate, much shorter deadlines. */
export const OPERATION_WAIT = 5 * MINUTE

/** Failures that a switchover or failover may answer besides those of its row. */
export const operationFailures = {
  ...asked,
  ...usual('operation-running', 'no-primary', 'no-candidate', 'vetoed', 'long-writes', 'rolled-back', 'step-failed'),
  ...usual('replication-login', 'event-scheduler', 'wrong-state'),
  ...notStated,
}

/** What the query says of any operation: `wait=false` asks for an answer at the start. */
export interface OperationQuery {
  readonly wait?: boolean | undefined
}

export interface Switchover {
  readonly cluster: Context<unknown, unknown, unknown>['cluster']
  readonly caller: Caller
  readonly query: OperationQuery
  readonly candidate: ServerId | undefined
  readonly confirmed: string | undefined
}

export const planSwitchover = (cluster: Switchover['cluster'], candidate: ServerId | undefined) =>
  cluster.ask('plan-switchover', candidate === undefined ? {} : { candidate }, { deadlineMs: PLAN_WAIT })

export async function switchOver({ candidate, ...asking }: Switchover): Promise<Result<OperationTicket>> {
  const target = candidate === undefined ? {} : { candidate }
  return ended(
    await asking.cluster.ask('switchover', { ...requestOf(asking), ...target }, { deadlineMs: OPERATION_WAIT }),
  )
}

export async function failOver(asking: Omit<Switchover, 'candidate'>): Promise<Result<OperationTicket>> {
  return ended(await asking.cluster.ask('failover', requestOf(asking), { deadlineMs: OPERATION_WAIT }))
}

/** Who asks, whether the answer waits for the end, and the plan that was confirmed. */
export const requestOf = ({
  caller,
  query: { wait = true },
  confirmed,
}: Pick<Switchover, 'caller' | 'query' | 'confirmed'>) => ({
  ...{ user: caller.user, wait },
  ...(confirmed === undefined ? {} : { confirmed }),
})

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
