// Sends an action: to learn what it would do, or to do it.
import type { CallTraits } from '../../../client/api/client.js'
import { type CallOptions, callAny, callPlan } from '../client/call.js'
import type { Reply } from '../client/failure.js'
import type { Action } from './action.js'

export const planAction = (action: Action, traits: CallTraits): Promise<Reply<unknown>> =>
  callPlan(action.row, { ...inputOf(action), ...traits })

/** With a plan, exactly that one runs or nothing does. An operation answers when it has begun. */
export function runAction(
  action: Action,
  plan: { readonly id?: string } = {},
  traits: CallTraits = {},
): Promise<Reply<unknown>> {
  const { query, ...input } = inputOf(action)
  const wait = action.follow === 'operation' ? { wait: false } : {}
  return callAny(action.row, { ...input, query: { ...query, confirm: plan.id, ...wait }, ...traits })
}

const inputOf = ({ params, query, body }: Action): Pick<CallOptions, 'params' | 'query' | 'body'> => ({
  ...(params === undefined ? {} : { params }),
  ...(query === undefined ? {} : { query }),
  ...(body === undefined ? {} : { body }),
})
