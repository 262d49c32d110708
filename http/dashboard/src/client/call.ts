// One request of the API by its method and path, with the session's token; a token that ended is renewed once.
import type { Values } from '../../../client/api/address.js'
import type { CallTraits } from '../../../client/api/client.js'
import type { Plan } from '../../../client/api/generated.js'
import type {
  Address,
  Given,
  Input,
  PlannedAddress,
  Reply as ReplyOf,
  ValueAddress,
} from '../../../client/api/types.js'
import { inPageWords, type Reply } from './failure.js'
import { client, refreshSession } from './session.js'

/** What a call is given where its address is known at run time only. */
export interface CallOptions extends CallTraits {
  readonly params?: Values
  readonly query?: Values
  readonly body?: unknown
}

/** Asks; every outcome is a value. */
export const call = <A extends ValueAddress>(
  address: A,
  ...[options]: Given<Input<A> & CallTraits>
): Promise<Reply<ReplyOf<A>>> => callAny(address, options) as Promise<Reply<ReplyOf<A>>>

/** Asks for the plan of an action. */
export const callPlan = (address: PlannedAddress, options: CallOptions): Promise<Reply<Plan>> =>
  callAny(address, { ...options, query: { ...options.query, plan: true } }) as Promise<Reply<Plan>>

/** The same where address and input come together from elsewhere, which has checked that they fit. */
export async function callAny(address: Address, options: CallOptions = {}): Promise<Reply<unknown>> {
  const send = async (): Promise<Reply<unknown>> => {
    const reply = await client.call(address as 'GET /api/status', options as CallTraits)
    return reply.ok ? reply : { ...reply, failure: await inPageWords(reply.failure) }
  }
  const first = await send()
  if (first.ok || first.failure.status !== 401) return first
  return (await refreshSession()) ? send() : first
}
