// The middlewares of one row: path values, caller, then grant, target, inputs, answer and reply; the first refusal ends it.

import type { Middleware } from 'koa'
import type * as z from 'zod'
import type { ManagerFace } from '../../../actors/protocol/manager/face.js'
import { type FairShares, holderOf } from '../../../lib/access/bound/index.js'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { changesSince } from '../../../lib/model/plan-id.js'
import { type PartRequest, partQuery, partRequestOf } from '../../api/kit/part.js'
import { completePlan } from '../../api/kit/plan/complete-plan.js'
import {
  type EventSource,
  type FleetSource,
  isAction,
  type ListTraits,
  type LoginFacts,
  pathNames,
  planReply,
  type Route,
  type Sessions,
} from '../../api/kit/route.js'
import type { GatewayContext, GatewayState, PathValues, Session } from '../kit/context.js'
import type { Limits } from '../kit/options.js'
import { sendFailure } from '../reply/problem.js'
import { sendReply } from '../reply/reply.js'
import { authorise } from './authorise.js'
import { parseFields, readBody } from './body.js'
import type { Forward } from './forward.js'
import type { LogRefusal } from './refusal-log.js'
import type { RowMiddleware } from './router.js'
import { RowContext, resolveTarget } from './row-context.js'
import { refuseUnknown } from './unknown-fields.js'
import type { Vigil } from './vigil.js'

export interface RowParts {
  readonly manager: ManagerFace
  readonly sessions: Sessions
  /** What the session of a request means to rows. */
  readonly describe: (session: Session) => LoginFacts
  /** The middlewares that set `state.caller`; `isOpen`: a token is not required. */
  readonly authenticate: (isOpen: boolean) => readonly Middleware<GatewayState>[]
  /** Passes on what only the owner of a cluster can do; absent: this manager has all clusters. */
  readonly forward?: Forward
  readonly logRefusal: LogRefusal
  readonly log: WriteLog
  readonly limits: Limits
  /** Of slow rows. */
  readonly slow: FairShares
  /** PEM of the certificate of the listener with TLS. */
  readonly listenerCertificate: string | undefined
  readonly stopping: AbortSignal
  /** Ends what goes on after the end of what permitted it. */
  readonly vigil: Pick<Vigil, 'during' | 'relay'>
  /** Starts an event stream on the response. */
  readonly stream: (ctx: GatewayContext, source: EventSource | FleetSource) => Result<void>
}

/** What the router mounts for a row; every failure on the way is answered with the row's status and text. */
export const createRowMiddleware =
  (parts: RowParts): RowMiddleware =>
  (route, path) => {
    const steps = [receive(parts, route, path), ...parts.authenticate(route.grant === 'none'), serve(parts, route)]
    return chain(steps, async () => {})
  }

/** One middleware of several, put together once: the router would do it again for each request. */
const chain = (steps: readonly Middleware<GatewayState>[], end: Middleware<GatewayState>): Middleware<GatewayState> =>
  steps.reduceRight<Middleware<GatewayState>>((rest, step) => (ctx, next) => step(ctx, () => rest(ctx, next)), end)

/** Reads the path, runs the rest, and makes the response when that was refused. */
function receive({ log, logRefusal }: RowParts, route: Route, path: string): Middleware<GatewayState> {
  const names = pathNames(path)
  return async (ctx, next) => {
    const { state } = ctx
    const params = readPath(names, { captures: ctx.captures, params: ctx.params })
    if (!params.ok) return sendFailure(ctx, params.failure)
    state.route = route
    state.params = params.value
    try {
      await next()
    } catch (error) {
      if (!isUnauthenticated(error)) throw error
      state.failure = { code: 'not-logged-in', message: 'no valid token' }
    }
    if (state.failure) {
      sendFailure(ctx, state.failure, route)
      logRefusal(ctx, state.failure)
    }
    if (isAction(route)) logAction(log, ctx)
  }
}

/** Set by the router: segments of parameters as they were sent, and decoded where that is possible. */
interface CapturedPath {
  readonly captures: readonly string[]
  readonly params: PathValues
}

/** The router leaves a segment that cannot be decoded as it is; here it is refused. */
function readPath(names: readonly string[], { captures, params }: CapturedPath): Result<PathValues> {
  const index = captures.findIndex((segment) => segment.includes('%') && !isDecodable(segment))
  return index < 0 ? ok(params) : fail('bad-request', `${names[index]}: cannot be decoded`)
}

/** Not so are broken escapes, control characters and names of folders. */
function isDecodable(segment: string): boolean {
  try {
    const text = decodeURIComponent(segment)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    return !/[\u0000-\u001f\u007f]/.test(text) && text !== '.' && text !== '..'
  } catch {
    return false
  }
}

/** What koa-jwt throws for a token with a wrong signature. */
const isUnauthenticated = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 401

function serve(parts: RowParts, route: Route): Middleware<GatewayState> {
  return async (ctx) => {
    const result = await answerRow(parts, ctx, route)
    if (!result.ok) ctx.state.failure = result.failure
  }
}

async function answerRow(parts: RowParts, ctx: GatewayContext, route: Route): Promise<Result<void>> {
  const { manager, sessions, describe, listenerCertificate, stopping, stream, limits, vigil } = parts
  const { caller, params = {} } = ctx.state
  if (!caller) return fail('not-logged-in', 'no valid token')
  const granted = authorise(caller, route.grant, params.cluster)
  if (!granted.ok) return granted
  if (ctx.state.session?.readOnly && (isAction(route) || route.acts))
    return fail('no-grant', 'the session of a visitor of the dashboard is read-only')
  const forwarded = parts.forward && (await vigil.during(ctx, forwardedBy(parts.forward, ctx, route)))
  if (forwarded && !forwarded.ok) return forwarded
  if (forwarded?.value) {
    vigil.relay(ctx)
    return done
  }
  const target = resolveTarget(manager, params)
  if (!target.ok) return target
  const inputs = hasInputs(route) ? await readInputs(ctx, { route, params }, limits.bodyBytes) : withoutInputs(params)
  if (!inputs.ok) return inputs
  const part = readPart(ctx, route.reply.list)
  if (!part.ok) return part
  const asked = { caller, target: target.value, inputs: inputs.value }
  const context = new RowContext({
    ...{ ctx, manager, sessions, describe, listenerCertificate, stopping, grant: route.grant },
    ...asked,
  })
  const { plan: isPlanned = false, confirm } = (inputs.value.query ?? {}) as PlanInputs
  if (route.plan && (isPlanned || (confirm !== undefined && !route.ownsPlan))) {
    if (isPlanned) ctx.state.planned = true
    const preview = await route.plan(context)
    if (!preview.ok) return preview
    const subject = { route, ...inputs.value, server: target.value.server?.id }
    const plan = completePlan({ ...subject, secrets: route.secrets?.(inputs.value) ?? [] }, preview.value)
    if (isPlanned) return sendReply({ ctx, route: { ...route, reply: planReply }, stream }, plan)
    if (plan.id !== confirm) return refuseChanged(confirm ?? '', { id: plan.id, preview: preview.value })
  }
  const slow = route.slow ? parts.slow.take(holderOf(caller, params.cluster, () => manager.clusters())) : undefined
  if (slow && !slow.ok) return slow
  const answer = Promise.resolve(route.answer(context)).finally(slow?.value)
  const value = await vigil.during(ctx, answer)
  return value.ok ? sendReply({ ctx, route, stream, part: part.value }, value.value) : value
}

/** Whether another instance answered. */
async function forwardedBy(forward: Forward, ctx: GatewayContext, route: Route): Promise<Result<boolean>> {
  const forwarded = await forward(ctx, route)
  return forwarded === undefined || forwarded.ok ? ok(forwarded !== undefined) : forwarded
}

const refuseChanged = (confirmed: string, present: Parameters<typeof changesSince>[1]): Result<never> =>
  fail('plan-changed', `${changesSince(confirmed, present)} (now ${present.id})`)

/** What the query of a row with a plan says of it. */
interface PlanInputs {
  readonly plan?: boolean
  readonly confirm?: string
}

interface Inputs {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** Most reads have none: their parameters are what the path says. An action refuses those that it does not know. */
const hasInputs = (route: Route): boolean => isAction(route) || Boolean(route.params ?? route.query ?? route.body)

const withoutInputs = (params: PathValues): Result<Inputs> => ok({ params, query: undefined, body: undefined })

interface RowPath {
  readonly route: Route
  readonly params: PathValues
}

async function readInputs(ctx: GatewayContext, { route, params }: RowPath, limit: number): Promise<Result<Inputs>> {
  const checkedParams = check(route.params, params)
  if (!checkedParams.ok) return checkedParams
  const sent = await readSent(ctx, route, limit)
  if (!sent.ok) return sent
  const { fields, body } = sent.value
  const query = check(route.query, { ...(isAction(route) ? fieldsOf(body) : {}), ...fields })
  if (!query.ok) return query
  const given = isObject(body) ? { ...fields, ...body } : body
  const checkedBody = check(route.body, given)
  if (!checkedBody.ok) return checkedBody
  return ok({ params: checkedParams.value, query: query.value, body: checkedBody.value })
}

/** Fields of the query, and the body as it was sent. */
interface Sent {
  readonly fields: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** A GET gives the fields of the body in its query; a body's own fields win over it. */
async function readSent(ctx: GatewayContext, route: Route, limit: number): Promise<Result<Sent>> {
  const fields = { ...parseFields(ctx.querystring), ...repeatedFields(ctx.querystring, route.repeated) }
  const hasBody = ctx.method !== 'GET' && ctx.method !== 'HEAD' && (route.body !== undefined || isAction(route))
  const body = hasBody ? await readBody(ctx.req, limit) : ok({})
  if (!body.ok) return body
  if (!isAction(route)) return ok({ fields, body: body.value })
  if (!isObject(body.value)) return fail('bad-request', 'body: an object or form fields are expected')
  const known = refuseUnknown(route, { query: fields, body: body.value })
  return known.ok ? ok({ fields, body: body.value }) : known
}

/** Every value of the parameters that may be given several times. */
function repeatedFields(text: string, names: readonly string[] = []): Readonly<Record<string, readonly string[]>> {
  if (names.length === 0) return {}
  const given = new URLSearchParams(text)
  return Object.fromEntries(names.filter((name) => given.has(name)).map((name) => [name, given.getAll(name)]))
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldsOf = (body: unknown): object => (isObject(body) ? body : {})

/** The part of a long list that the query asks for. */
function readPart(ctx: GatewayContext, list: ListTraits | undefined): Result<PartRequest | undefined> {
  if (!list || ctx.querystring === '') return ok(undefined)
  const query = check(partQuery(list), parseFields(ctx.querystring))
  return query.ok ? ok(partRequestOf(query.value as Readonly<Record<string, unknown>>, list)) : query
}

/** The message names the fields that are wrong, never their values. */
function check(schema: z.ZodType | undefined, value: unknown): Result<unknown> {
  if (!schema) return ok(value)
  const parsed = schema.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
  return fail('bad-request', issues.join('; '))
}

/** Who did what. Values of settings may be secrets, so of the path only cluster and server are logged. */
function logAction(log: WriteLog, { state, status }: GatewayContext): void {
  const { user, apiToken, address } = state.caller ?? {}
  const { cluster, server } = state.params ?? {}
  log('info', 'action', {
    action: state.route?.id,
    user,
    apiToken,
    address,
    cluster,
    server,
    status,
    ...(state.planned ? { plan: true } : {}),
    request: state.id,
  })
}
