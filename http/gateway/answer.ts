// From a matched row to its response: caller, grant, target, schemas, answer, reply; the first refusal ends it.
import type { z } from 'zod'
import type { Caller, ManagerFace } from '../../actors/protocol/manager/face.js'
import type { Access } from '../../lib/access/index.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { type PartWish, partQuery, wishOf } from '../api/kit/part.js'
import type { EventSource, ListTraits, Route, Sessions } from '../api/kit/route.js'
import { type Authenticator, callerOf, nobody } from './authenticate.js'
import { authorise } from './authorise.js'
import { parseFields, readBody } from './body.js'
import { exchangeOf, type GatewayContext, RequestContext, resolveTarget } from './context.js'
import type { Match } from './match.js'
import type { GatewayLog, Limits } from './options.js'
import { refuse } from './problem.js'
import type { RefusalNote } from './refusal-log.js'
import { sendReply } from './reply.js'
import type { Session } from './sessions.js'

export interface AnswerParts {
  readonly manager: ManagerFace
  readonly sessions: Sessions
  readonly authenticate: Authenticator['authenticate']
  readonly access: () => Access
  /** Tells of a request that was refused for who made it. */
  readonly noteRefusal: RefusalNote
  /** Remembers when and from where an API token was used. */
  readonly noteUse: (session: Session, address: string) => void
  readonly log: GatewayLog
  readonly limits: Limits
  readonly stopping: AbortSignal
  /** Starts an event stream on the response. */
  readonly stream: (ctx: GatewayContext, source: EventSource) => Result<void>
}

/** Serves the row; every failure on the way is answered with the row's status and text. */
export async function answerRoute(parts: AnswerParts, ctx: GatewayContext, match: Match): Promise<void> {
  const { route } = match
  const result = await serve(parts, ctx, match)
  if (!result.ok) {
    refuse(ctx, result.failure, route)
    parts.noteRefusal(ctx, result.failure, match)
  }
  if (isAction(route)) logAction(parts.log, ctx, match)
}

async function serve(parts: AnswerParts, ctx: GatewayContext, { route, params }: Match): Promise<Result<void>> {
  const { manager, sessions, stopping, stream } = parts
  const found = findCaller(parts, ctx, route)
  const caller = found instanceof Promise ? await found : found
  if (!caller.ok) return caller
  ctx.state.caller = caller.value
  const granted = authorise(caller.value, route.grant, params.cluster)
  if (!granted.ok) return granted
  const target = resolveTarget(manager, params)
  if (!target.ok) return target
  const inputs = hasInputs(route)
    ? await readInputs(ctx, { route, params }, parts.limits.bodyBytes)
    : ok({ params, query: undefined, body: undefined })
  if (!inputs.ok) return inputs
  const wish = readWish(ctx, route.reply.list)
  if (!wish.ok) return wish
  const asked = { caller: caller.value, target: target.value, inputs: inputs.value }
  const context = new RequestContext({ exchange: exchangeOf(ctx), manager, sessions, stopping, ...asked })
  const answer = await route.answer(context)
  return answer.ok ? sendReply({ ctx, route, stream, wish: wish.value }, answer.value) : answer
}

/** A row that needs no token still learns who asks, when a good token is sent along. */
function findCaller(
  { authenticate, access, noteUse }: AnswerParts,
  ctx: GatewayContext,
  { grant }: Route,
): Result<Caller> | Promise<Result<Caller>> {
  const address = ctx.req.socket.remoteAddress ?? ''
  const open = grant === 'none'
  if (open && ctx.req.headers.authorization === undefined) return ok(nobody(address))
  const toCaller = (session: Result<Session>): Result<Caller> => {
    if (!session.ok) return open ? ok(nobody(address)) : session
    ctx.state.session = session.value
    noteUse(session.value, address)
    return ok(callerOf(session.value, address, access))
  }
  const session = authenticate(ctx)
  return session instanceof Promise ? session.then(toCaller) : toCaller(session)
}

interface Inputs {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** Most reads have none: their parameters are what the path says. */
export const hasInputs = ({ params, query, body }: Route): boolean => Boolean(params ?? query ?? body)

async function readInputs(ctx: GatewayContext, { route, params }: Match, limit: number): Promise<Result<Inputs>> {
  const needsQuery = route.query !== undefined || route.body !== undefined
  const fields = needsQuery ? parseFields(ctx.querystring) : {}
  const checkedParams = check(route.params, params)
  if (!checkedParams.ok) return checkedParams
  const query = check(route.query, fields)
  if (!query.ok) return query
  const body = route.body === undefined ? ok(undefined) : await readBodyOf(ctx, fields, limit)
  if (!body.ok) return body
  const checkedBody = check(route.body, body.value)
  if (!checkedBody.ok) return checkedBody
  return ok({ params: checkedParams.value, query: query.value, body: checkedBody.value })
}

/** The part of a long list that the query asks for. */
function readWish(ctx: GatewayContext, list: ListTraits | undefined): Result<PartWish | undefined> {
  if (!list || ctx.querystring === '') return ok(undefined)
  const query = check(partQuery(list), parseFields(ctx.querystring))
  return query.ok ? ok(wishOf(query.value as Readonly<Record<string, unknown>>, list)) : query
}

/** A GET gives the fields of the body in its query; a body's own fields win over it. */
async function readBodyOf(ctx: GatewayContext, fields: object, limit: number): Promise<Result<unknown>> {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return ok(fields)
  const body = await readBody(ctx.req, limit)
  if (!body.ok) return body
  const { value } = body
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return ok(isObject ? { ...fields, ...value } : value)
}

/** The message names the fields that are wrong, never their values. */
function check(schema: z.ZodType | undefined, value: unknown): Result<unknown> {
  if (!schema) return ok(value)
  const parsed = schema.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
  return fail('bad-request', issues.join('; '))
}

function isAction({ methods, grant }: Route): boolean {
  return methods.includes('POST') && grant !== 'none'
}

/** Who did what; values of settings may be secrets, so of the path only cluster and server are told. */
function logAction(log: GatewayLog, { state, status }: GatewayContext, { route, params }: Match): void {
  const { caller, id } = state
  const { cluster, server } = params
  log('info', 'action', {
    action: route.id,
    user: caller?.user,
    apiToken: caller?.apiToken,
    address: caller?.address,
    cluster,
    server,
    status,
    request: id,
  })
}
