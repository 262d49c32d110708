// The route kit: a route is a row of data; koa, sockets and tokens are the gateway's affair.
//
// A row of http/api/clusters.ts (the key is its id; tables are joined by `listRoutes` in http/api/index.ts;
// the login is in http/api/session.ts):
//
//   export const clusterRoutes = {
//     'cluster.switchover': route({
//       methods: ['GET', 'POST'],
//       paths: ['/api/clusters/:cluster/actions/switchover'],
//       summary: 'Switch over to a slave without losing a transaction.',
//       grant: 'cluster-switchover',
//       body: z.object({ prefmaster: z.string().optional() }),     // a GET gives the same fields in its query
//       reply: { status: 200, type: 'empty' },
//       failures: { 'unknown-cluster': [500, 'No cluster'], 'primary-failed': [400, 'Master failed'] },
//       answer: ({ cluster, body, caller }) => cluster.ask('switchover', { user: caller.user, wait: true, ... }),
//     }),
//     'cluster.slaves': route({
//       methods: ['GET'],
//       paths: ['/api/clusters/:cluster/topology/slaves'],
//       summary: 'The slaves of the cluster.',
//       grant: 'token',
//       reply: { status: 200, type: 'view', schema: z.array(serverSchema) },   // bytes of the owner, ETag, 304
//       failures: { 'unknown-cluster': [500, 'No cluster'] },
//       answer: ({ manager, params }) => manager.view(params.cluster, 'slaves'),
//     }),
//   }
//
// What the gateway does for every row before `answer`: token, grant, schemas; `:cluster` must be a cluster
// (`unknown-cluster`) and gives `context.cluster`; `:server` must be an id, a name or, with `:port`, a host of it
// (`unknown-server`) and gives `context.server`. HEAD and OPTIONS are added automatically. A failure is answered with the
// status and text of the row's `failures`, else with those of http/api/statuses.ts; `text` in a row replaces the
// failure's own message for plain clients, who ask for `application/problem+json` get both. A path with `toogle-` is
// served as `toggle-` too. Answers of rows that only read carry an ETag and are spared a client that has them.
//
// A long list takes `limit`, `offset`, `filter` and the fields it names from the query, with one line in its row:
//
//       reply: { status: 200, type: 'json', schema: logSchema, list: { at: 'buffer', fields: ['level'] } },
//
// An action refuses parameters and body fields that its row does not name. A row with `plan` takes `plan=true`, which is
// answered by that function and does nothing.
//
// Every row whose answer has a body gives one example that its schemas accept; a spec holds it against them.

import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { ClusterProtocol, GatewayView } from '../../../actors/protocol/cluster.js'
import type { ActorRef } from '../../../actors/protocol/envelope.js'
import type { Caller, ManagerFace, PublishedView } from '../../../actors/protocol/manager/face.js'
import type { TokenRequest } from '../../../lib/access/api-token.js'
import type { Grant } from '../../../lib/access/grants.js'
import type { FailureCode } from '../../../lib/base/failures.js'
import type { Result } from '../../../lib/base/result.js'
import type { ExpositionForm } from '../../../lib/metrics/index.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { Preview } from '../../../lib/model/operation/preview.js'
import type { TokenRecord } from '../views/kit/token.js'
import { flag } from './input.js'
import { planSchema } from './schemas.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** HTTP status and, when the contract fixes it, the text in place of the failure's message. */
export type WireFailure = readonly [status: number, text?: string]

/** `none`: no token; `token`: any user (of the cluster when the path has one); a list: any of these grants. */
export type RouteGrant = Grant | readonly Grant[] | 'none' | 'token'

/** What changes settings of the whole service. */
export const globalGrants = ['global-settings', 'global-admin-config'] as const

/** The bytes of one moment, sent as they are; `etag` (without quotes) belongs to them. */
export interface Download {
  readonly bytes: Buffer
  readonly etag: string
  /** The name offered to the client. */
  readonly name?: string
}

/** One page in two forms. */
export interface PageForms {
  readonly markdown: string
  readonly html: string
}

/** Calls the listener for each event after `after` (undefined: new ones only) until `signal` aborts. */
export type EventSource = (
  after: number | undefined,
  listener: (event: ClusterEvent) => void,
  signal: AbortSignal,
) => void

/** What `answer` gives, by the type of the reply. */
export interface ReplyValues {
  /** Serialised by the gateway: small answers only. */
  readonly json: unknown
  /** JSON bytes made by the owner; the ETag is the gateway's. */
  readonly view: PublishedView
  /** The text; `reply.text` when the answer is not a string. */
  readonly text: unknown
  /** For people: HTML for a client whose Accept names text/html, else Markdown. */
  readonly page: PageForms
  /** The value is dropped, apart from `reply.location`. */
  readonly empty: unknown
  readonly bytes: Download
  readonly events: EventSource
  /** Packed by who makes it, who knows it better than a packer of any bytes. */
  readonly metrics: (form: ExpositionForm) => AsyncIterable<Buffer>
}

/** What of a long list a client may ask for by its query; see http/api/part.ts. */
export interface ListTraits {
  /** The field that holds the list, where the body is no list itself. */
  readonly at?: string
  /** Fields of the entries that a parameter of the same name picks by. */
  readonly fields?: readonly string[]
}

export interface Reply {
  readonly status: number
  readonly type: keyof ReplyValues
  /** Shape of a `json` or `view` body. */
  readonly schema?: z.ZodType
  /** For `json` and `view`: a list that clients may ask a part of; without these parameters the reply is complete. */
  readonly list?: ListTraits
  /** The body opens something (a token): it is not cached and has no ETag. */
  readonly secret?: true
  /** Body of a `text` reply when the contract fixes it. */
  readonly text?: string
  /** For `json`: the body for a client whose Accept names text/html. */
  readonly html?: (value: unknown) => string
  /** Path of the job that the answer started: the `Location` header. */
  readonly location?: (value: unknown) => string | undefined
}

/** The request beyond its schemas. */
export interface RequestFacts {
  /** Also in the log and the `X-Request-Id` header. */
  readonly id: string
  readonly method: string
  readonly path: string
  /** Of the client: of the connection, or what a proxy of `api-trusted-proxies` says. */
  readonly address: string
  /** By lower-case name. */
  readonly headers: IncomingHttpHeaders
}

/** Ways in without a password: `api-autologin` and `api-dashboard-user`. */
export type Door = 'autologin' | 'dashboard'

/** API tokens: made, shown, revoked. */
export interface TokenIssuer {
  /** Makes one for the caller; `no-grant` says why not, `bad-request` what cannot be given. */
  issue(caller: Caller, request: TokenRequest): Promise<Result<TokenRecord>>
  own(caller: Caller): readonly TokenRecord[]
  /** Those that reach the cluster. */
  on(cluster: string): readonly TokenRecord[]
  /** `unknown-token`, or `no-grant` unless it is the caller's own or the caller manages the tokens of its clusters. */
  revoke(caller: Caller, id: string): Promise<Result<TokenRecord>>
}

/** Logins and the tokens they give. */
export interface Sessions {
  readonly tokens: TokenIssuer
  /** A token for a visitor who gives no password; `disabled` unless the settings ask for it. */
  admit(door: Door, request: RequestFacts): Promise<Result<{ readonly token: string }>>
  /** Single sign-on: where to send the user, and the token for what comes back. */
  signOn(): Promise<Result<{ readonly location: string }>>
  signedOn(query: Readonly<Record<string, string>>, request: RequestFacts): Promise<Result<{ readonly token: string }>>
  /** A token, or `wrong-credentials`, `locked-out`. */
  open(login: {
    readonly user: string
    readonly password: string
    readonly request: RequestFacts
  }): Promise<Result<{ readonly token: string }>>
}

/** The members of a cluster as paths name them. */
export type Member = GatewayView['servers'][number]

type Names<Path extends string> = Path extends `${infer Part}/${infer Rest}`
  ? Names<Part> | Names<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never
type Missing<Path extends string, Name> = Path extends string ? (Name extends Names<Path> ? never : Name) : never

/** Parameters of a row's paths: those of every spelling are strings, those of some are optional. */
export type PathParams<Path extends string> = {
  readonly [Name in Names<Path> as Name extends Missing<Path, Name> ? never : Name]: string
} & { readonly [Name in Names<Path> as Name extends Missing<Path, Name> ? Name : never]?: string }

export interface Context<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Anonymous (`user` is empty, `may` is false) for a row that needs no token and a request without one. */
  readonly caller: Caller
  readonly manager: ManagerFace
  readonly sessions: Sessions
  readonly request: RequestFacts
  /** Aborts when the client goes away and when the gateway stops. */
  readonly signal: AbortSignal
  /** The cluster of the path; its asks fail with `quarantined` when it was stopped. Throws when the path has none. */
  readonly cluster: ActorRef<ClusterProtocol>
  /** The server of the path. Throws when the path has none. */
  readonly server: Member
}

/** One address of the interface with everything known about it. */
export interface Route {
  readonly id: string
  readonly methods: readonly Method[]
  /** The first is canonical, the others are further spellings. */
  readonly paths: readonly [string, ...string[]]
  readonly summary: string
  /** Noun and verb of the command line, where those of the id do not read well: `server list`. */
  readonly cli?: `${string} ${string}`
  readonly grant: RouteGrant
  /** Stricter shapes for parameters; what they refuse is a bad request. */
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly reply: Reply
  readonly failures: Readonly<Partial<Record<FailureCode, WireFailure>>>
  /** It may take minutes: one user waits for a few of them at once (`mailbox-full`). */
  readonly slow?: true
  readonly example?: { readonly request?: unknown; readonly reply?: unknown }
  /** At most one ask: long work leaves a job behind. */
  answer(context: Context<unknown, unknown, unknown>): Result<unknown> | Promise<Result<unknown>>
  /** What `plan=true` is answered with: what `answer` would do. Every action that changes databases has it. */
  readonly plan?: (context: Context<unknown, unknown, unknown>) => Result<Preview> | Promise<Result<Preview>>
}

/** How a plan is answered, whatever the row replies to the action itself. */
export const planReply = { status: 200, type: 'json', schema: planSchema } as const satisfies Reply

/** The query parameter of rows with a plan. */
export const planQuery = z.object({
  plan: flag().optional().describe('Only list what would be done.'),
})

type Parsed<Schema, Otherwise> = Schema extends z.ZodType ? z.output<Schema> : Otherwise

type Row<Path extends string, Query, Body, Type extends keyof ReplyValues> = Omit<
  Route,
  'id' | 'paths' | 'query' | 'body' | 'reply' | 'answer' | 'plan'
> & {
  readonly paths: readonly [Path, ...Path[]]
  readonly query?: Query & z.ZodObject
  readonly body?: Body & z.ZodType
  readonly reply: Reply & { readonly type: Type }
  readonly answer: (
    context: Context<PathParams<Path>, Parsed<Query, unknown>, Parsed<Body, unknown>>,
  ) => Result<ReplyValues[Type]> | Promise<Result<ReplyValues[Type]>>
  readonly plan?: (
    context: Context<PathParams<Path>, Parsed<Query, unknown>, Parsed<Body, unknown>>,
  ) => Result<Preview> | Promise<Result<Preview>>
}

/** Types the answer of a row by its own paths, schemas and reply; the value is the row itself. */
export const route = <const Path extends string, Type extends keyof ReplyValues, Query = undefined, Body = undefined>(
  row: Row<Path, Query, Body, Type>,
): Omit<Route, 'id'> => row as Omit<Route, 'id'>

/** The rows of several tables as one list, with every spelling of their paths; the key of a row is its id. */
export const listRoutes = (...tables: readonly Readonly<Record<string, Omit<Route, 'id'>>>[]): readonly Route[] =>
  tables.flatMap((table) =>
    Object.entries(table).map(([id, row]) => ({
      ...{ ...row, id, paths: spellings(row.paths), ...queryOf(row) },
      failures: { ...(mayChange(row) ? { observing: [409] as const } : {}), ...row.failures },
    })),
  )

const queryOf = ({ query, plan }: Omit<Route, 'id'>): Pick<Route, 'query'> =>
  plan ? { query: planQuery.extend(query?.shape ?? {}) } : query ? { query } : {}

/** An action on a cluster, which is refused while that is only observed. */
const mayChange = ({ paths: [path] }: Pick<Route, 'paths'>): boolean =>
  path.includes('/:cluster/') &&
  path.includes('/actions/') &&
  !path.includes('/settings/actions/') &&
  !path.includes('/actions/need-')

/** Clients write `toogle-` and `toggle-`. */
function spellings(paths: Route['paths']): Route['paths'] {
  const respelt = paths.filter((path) => path.includes('/toogle-')).map((path) => path.replace('/toogle-', '/toggle-'))
  const [first, ...others] = paths
  return [first, ...new Set([...others, ...respelt])]
}

/** Whether the row only reads: no POST or DELETE, and no token in its reply. */
export const isRead = ({ methods, reply }: Pick<Route, 'methods' | 'reply'>): boolean =>
  !methods.includes('POST') && !methods.includes('DELETE') && reply.secret === undefined

/** Whether the row does something on request of a user. */
export const isAction = ({ methods, grant }: Pick<Route, 'methods' | 'grant'>): boolean =>
  grant !== 'none' && (methods.includes('POST') || methods.includes('DELETE') || methods.includes('PUT'))

/** Names of a path's parameters, in order. */
export const pathNames = (path: string): readonly string[] =>
  path
    .split('/')
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1))
