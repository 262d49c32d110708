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
// answered by that function and does nothing, and `confirm=<id>`, which runs the action only if its plan is still that one.
//
// Every row whose answer has a body gives one example that its schemas accept; a spec holds it against them.

import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod'
import type { ClusterProtocol, GatewayView } from '../../../actors/protocol/cluster.js'
import type { ActorRef } from '../../../actors/protocol/envelope.js'
import type { Caller, ManagerFace, PublishedView } from '../../../actors/protocol/manager/face.js'
import type { FleetReader } from '../../../actors/protocol/manager/fleet.js'
import type { TokenRequest } from '../../../lib/access/api-token.js'
import type { Asker } from '../../../lib/access/asker.js'
import type { Grant } from '../../../lib/access/grants.js'
import type { FailureCode } from '../../../lib/base/failures.js'
import type { Result } from '../../../lib/base/result.js'
import type { ExpositionForm } from '../../../lib/metrics/index.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import type { Preview } from '../../../lib/model/operation/preview.js'
import { planSchema } from '../schemas/shapes.js'
import type { HistoryPlaces } from '../views/kit/me.js'
import type { TokenRecord } from '../views/kit/token.js'
import { flag } from './input.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** HTTP status and, when the contract fixes it, the text in place of the failure's message. */
export type WireFailure = readonly [status: number, text?: string]

/** `none`: no token; `token`: any user (of the cluster when the path has one); a list: any of these grants. */
export type RouteGrant = Grant | readonly Grant[] | 'none' | 'token'

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

/** Gives the reader what happened in the fleet after the event `since`, then each further change until `signal` aborts. */
export interface FleetSource {
  follow(since: string | undefined, reader: FleetReader, signal: AbortSignal): void
}

/** What `answer` gives, by the type of the reply. */
export interface ReplyValues {
  /** Serialised by the gateway: small answers only. */
  readonly json: unknown
  /** JSON bytes made by the owner; the ETag is the gateway's. `part`: of a list, how much there is and where the next part begins. */
  readonly view: PublishedView & { readonly part?: { readonly total: number; readonly next?: number } }
  /** The text; `reply.text` when the answer is not a string. */
  readonly text: unknown
  /** For people: HTML for a client whose Accept names text/html, else Markdown. */
  readonly page: PageForms
  /** The value is dropped, apart from `reply.location`. */
  readonly empty: unknown
  readonly bytes: Download
  readonly events: EventSource | FleetSource
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
  /** For `json`: the body for a client whose Accept names text/csv, or that asks for `form=csv`. The value is what the schema says. */
  readonly csv?: (value: never) => string
  /** For `json`: typed as JSON only where Accept names that type, else as text: an existing page parses the text itself. */
  readonly typedWhenAsked?: true
  /** For `text`: a GET is answered with an empty body: an existing page takes any other text as an error. */
  readonly emptyForGet?: true
  /** For `json`: a value that is text is sent as it is, as text/plain. */
  readonly orText?: true
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
  /** Whether the client speaks TLS. */
  readonly secure: boolean
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
  /** The token that `revoke` would end, or why it would refuse. */
  revocable(caller: Caller, id: string): Result<TokenRecord>
  /** `unknown-token`, or `no-grant` unless it is the caller's own or the caller manages the tokens of its clusters. */
  revoke(caller: Caller, id: string): Promise<Result<TokenRecord>>
}

/** How a request came by its token: `session` is that of a browser, `visitor` came in without a password. */
export type LoginKind = 'session' | 'login' | 'api-token' | 'visitor'

/** What a request's token says of its bearer. */
export interface LoginFacts {
  readonly kind: LoginKind
  /** Milliseconds since the epoch; infinite for an API token without an end. */
  readonly expiresAt: number
  /** Every action is refused. */
  readonly readOnly: boolean
  /** Of the password that was given. */
  readonly fingerprint?: string
  /** Id of the browser's session. */
  readonly browser?: string
  /** All grants that the token opens on the cluster, '' for things of no cluster; equal sets may be the same list. */
  grantsOn(cluster: string): readonly Grant[]
}

/** A token for a page; the cookie that gives the next one goes along. */
export interface BrowserLogin {
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly user: string
}

/** Sessions of browsers. All of them refuse pages of other origins: `foreign-page`. */
export interface BrowserLogins {
  /** `wrong-credentials`, `locked-out`, `login-queue-full`. */
  open(login: {
    readonly user: string
    readonly password: string
    readonly request: RequestFacts
  }): Promise<Result<BrowserLogin>>
  /** By a one-time code, which is used up. */
  link(code: string, request: RequestFacts): Promise<Result<BrowserLogin>>
  /** By the cookie alone: `not-logged-in` when its session has ended. */
  refresh(request: RequestFacts): Promise<Result<BrowserLogin>>
  /** Ends the session of the cookie and that of the token. */
  end(request: RequestFacts, login: LoginFacts | undefined): Promise<Result<object>>
  /** A one-time code for the caller itself; `no-grant` for an API token. */
  makeCode(
    caller: Caller,
    login: LoginFacts | undefined,
  ): Promise<Result<{ readonly code: string; readonly path: string; readonly expiresAt: number }>>
  beginSignOn(request: RequestFacts): Promise<Result<{ readonly location: string }>>
  signedOn(query: Readonly<Record<string, string>>, request: RequestFacts): Promise<Result<BrowserLogin>>
}

/** Logins and the tokens they give. */
export interface Sessions {
  readonly tokens: TokenIssuer
  readonly browser: BrowserLogins
  /** How often pages ask for what is not streamed, milliseconds. */
  refreshMs(): number
  /** Where pages link to for longer history. */
  history(): HistoryPlaces
  /** A token for a visitor who gives no password; `disabled` unless the settings ask for it. */
  admit(door: Door, request: RequestFacts): Promise<Result<{ readonly token: string }>>
  /** Single sign-on: where to send the user, and the token for what comes back. */
  signOn(): Promise<Result<{ readonly location: string }>>
  signedOn(query: Readonly<Record<string, string>>, request: RequestFacts): Promise<Result<{ readonly token: string }>>
  /** A token, or `wrong-credentials`, `locked-out`, `login-queue-full`. */
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
  /** What the token says; absent for a request without one. */
  readonly login: LoginFacts | undefined
  readonly manager: ManagerFace
  readonly sessions: Sessions
  readonly request: RequestFacts
  /** Aborts when the client goes away and when the gateway stops. */
  readonly signal: AbortSignal
  /** The cluster of the path; its asks fail with `quarantined` when it was stopped. Throws when the path has none. */
  readonly cluster: ActorRef<ClusterProtocol>
  /** The server of the path. Throws when the path has none. */
  readonly server: Member
  /** PEM of the certificate that the API is served with; undefined where it is served without TLS. */
  readonly listenerCertificate: string | undefined
  /** Who asks, as long work keeps it: asks of the cluster say it themselves. Absent for a request without a user. */
  readonly asker: Asker | undefined
  /** Of a confirmed plan: what the actor compares again in the moment in which it begins. */
  readonly confirmed: string | undefined
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
  /** Parameters of the query that may be given several times: the schema gets a list. */
  readonly repeated?: readonly string[]
  readonly body?: z.ZodType
  readonly reply: Reply
  readonly failures: Readonly<Partial<Record<FailureCode, WireFailure>>>
  /** The same for a client that sends no Accept header; what is absent is answered by `failures`. */
  readonly withoutAccept?: Readonly<Partial<Record<FailureCode, WireFailure>>>
  /** It may take minutes: one user waits for a few of them at once (`mailbox-full`). */
  readonly slow?: true
  /** It does something, though GET is its only method. */
  readonly acts?: true
  /** Only the owner of the cluster knows the answer, where several instances share the fleet. */
  readonly ofOwner?: true
  readonly example?: { readonly request?: unknown; readonly reply?: unknown }
  /** At most one ask: long work leaves a job behind. */
  answer(context: Context<unknown, unknown, unknown>): Result<unknown> | Promise<Result<unknown>>
  /** What `plan=true` is answered with: what `answer` would do. Every action that changes databases has it. */
  readonly plan?: (context: Context<unknown, unknown, unknown>) => Result<Preview> | Promise<Result<Preview>>
  /** Which of its fields are secrets in this request: the id of its plan is not made of them. */
  readonly secrets?: (inputs: { readonly params: unknown; readonly body: unknown }) => readonly string[]
  /** Its plans have ids of their own, which `answer` compares itself. */
  readonly ownsPlan?: true
}

/** How a plan is answered, whatever the row replies to the action itself. */
export const planReply = { status: 200, type: 'json', schema: planSchema } as const satisfies Reply

/** The query parameter of rows with a plan. */
export const planQuery = z.object({
  plan: flag().optional().describe('Only list what would be done.'),
  confirm: z.string().max(400).optional().describe('The id of a plan: run exactly that one, or refuse.'),
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
      failures: {
        ...(mayChange(row)
          ? { observing: [409] as const, 'not-owner': [409] as const, 'other-manager': [409] as const }
          : {}),
        ...(row.plan ? { 'plan-changed': [409] as const } : {}),
        ...row.failures,
      },
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
