// The request of an action as others repeat it: exactly this plan, or as a command of the client.
import { requestOf as addressed } from '../../../client/api/address.js'
import type { Plan } from '../model/plan.js'
import type { Action } from './action.js'

export interface ActionRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body?: unknown
}

/** With the id of the plan, so that a repeated request runs what was read or nothing. */
export function requestOf({ row, params, query, body, secrets }: Action, plan: Plan | undefined): ActionRequest {
  const [method, path] = addressed(row, { params, query: { ...query, confirm: plan?.id } })
  return { method, path, ...(body === undefined ? {} : { body: masked(body, secrets) }) }
}

/** What is copied lies in histories and chats: the secret is filled in where it is repeated. */
const masked = (body: unknown, secrets: readonly string[] = []): unknown =>
  secrets.length === 0
    ? body
    : Object.fromEntries(
        Object.entries(body as object).map(([key, value]) => [
          key,
          secrets.includes(key) && value !== '' ? '…' : value,
        ]),
      )

/** Undefined where the client has no command of its own for it. */
export const commandOf = ({ command, params }: Action): string | undefined =>
  command &&
  ['manager-cli', ...command, ...(params?.cluster === undefined ? [] : ['--cluster', params.cluster])]
    .map(quote)
    .join(' ')

const quote = (text: string): string => (/^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
