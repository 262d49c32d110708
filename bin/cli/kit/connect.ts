// From the common flags to a session, and from calls to their values: what fails ends the program with its status.
import { requestOf, type Values } from '../../../http/client/api/address.js'
import type { Plan } from '../../../http/client/api/generated.js'
import type {
  Address,
  Given,
  Input,
  PlannedAddress,
  Reply as ReplyOf,
  ValueAddress,
} from '../../../http/client/api/types.js'
import type { Reply } from '../../../http/client/connection.js'
import { type CallOptions, createFleetSession, type Session } from '../../../http/client/session.js'
import { candidateField } from '../../../http/client/wire.js'
import { suggest } from '../../../lib/base/suggest.js'
import { EXIT, Exit, exitOfFailure, exitOfReply } from '../output/exit.js'
import { talk } from '../output/output.js'
import type { OwnNames } from '../output/own-words.js'
import { readHidden } from '../output/prompt.js'
import { endpointsOf } from './endpoints.js'
import type { CommonFlags } from './flags.js'

export function connect(flags: CommonFlags): Session {
  const { user, password, apiToken } = flags
  let typed: Promise<string | undefined> | undefined
  const ask = () => {
    typed ??= readHidden(`Password of ${user}: `)
    return typed
  }
  return createFleetSession(endpointsOf(flags), {
    user,
    password: async () => password ?? (await ask()),
    ...(apiToken === undefined ? {} : { token: apiToken }),
  })
}

/** The same, and where a password is missing the call fails instead of asking for it. */
export const connectUnasked = (flags: CommonFlags): Session =>
  createFleetSession(endpointsOf(flags), {
    user: flags.user,
    password: async () => flags.password,
    ...(flags.apiToken === undefined ? {} : { token: flags.apiToken }),
  })

type Traits = Omit<CallOptions, 'body'>

/** An action with its input, where a command chooses one of several. */
export type Act = { [A in PlannedAddress]: { readonly address: A } & Input<A> }[PlannedAddress]

/** Calls the API and gives the body as JSON (or text); anything but 2xx is thrown as an `Exit`. */
export const call = <A extends ValueAddress>(
  session: Session,
  address: A,
  ...[options]: Given<Input<A> & Traits>
): Promise<ReplyOf<A>> => send(session, address, options) as Promise<ReplyOf<A>>

/** Does the same with an action; with the id of a plan it is that plan, or refused. */
export const run = (
  { address, ...input }: Act,
  confirm: string | undefined,
  { session, ...traits }: Sent,
): Promise<unknown> => send(session, address, { ...input, query: { ...input.query, confirm }, ...traits })

/** What the action would do. */
export const planOf = ({ address, ...input }: Act, { session, ...traits }: Sent): Promise<Plan> =>
  send(session, address, { ...input, query: { ...input.query, plan: true }, ...traits }) as Promise<Plan>

interface Sent extends Traits {
  readonly session: Session
}

/** Input and traits as they are at run time. */
type Options = CallOptions & { readonly params?: Values; readonly query?: Values }

async function send(session: Session, address: Address, options: Options = {}): Promise<unknown> {
  const { params, query, ...rest } = options
  const [method, path] = requestOf(address, { params, query })
  const reply = await session.call(method, path, rest)
  if (!reply.ok) throw exitOfFailure(reply.failure)
  if (reply.value.status >= 300) throw await withNearest(exitOfReply(reply.value, ownNames), { session, path })
  return readBody(reply.value, `${method} ${path}`)
}

/** What commands that are written by hand call fields of their requests. */
const ownNames: OwnNames = {
  force: '--force',
  replace: '--replace',
  everywhere: '--everywhere',
  [candidateField]: '--to',
  at: '--at',
  until: '--until',
  backupMethod: '--method',
  file: '--of-file',
  time: '--time',
  gtid: '--gtid',
  position: '--position',
  backup: '--backup',
  topology: '--topology',
  filter: '<words>',
  address: '--new-server',
}

/** Of a cluster that there is not: the nearest, or those that there are. */
async function withNearest(
  exit: Exit,
  { session, path }: { readonly session: Session; readonly path: string },
): Promise<Exit> {
  const [, word] = /^\/api\/clusters\/([^/?]+)/.exec(path) ?? []
  if (word === undefined || !exit.message.startsWith('no cluster is named')) return exit
  const names = await readClusters(session).catch(() => [])
  const near = suggest(decodeURIComponent(word), names)
  if (names.length === 0) return exit
  const [first] = exit.message.split('\n', 1)
  return new Exit(
    exit.status,
    `${first}\n${near === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${near}?`}`,
  )
}

/** The body of a reply as JSON where it is said to be that, else as text. */
export function readBody({ body, headers }: Reply, request: string): unknown {
  const reason = headers['x-empty-reason']
  if (typeof reason === 'string') talk(`Empty: ${reason}`)
  if (!headers['content-type']?.includes('json') || body === '') return body
  try {
    return JSON.parse(body)
  } catch {
    throw new Exit(EXIT.error, `${request}: the answer is not JSON`)
  }
}

export const readClusters = async (session: Session): Promise<readonly string[]> =>
  (await call(session, 'GET /api/clusters')).map(({ name }) => name)

/** The cluster named by --cluster, or the only one there is. */
export async function chooseCluster(session: Session, { cluster }: Pick<CommonFlags, 'cluster'>): Promise<string> {
  if (cluster !== undefined) return cluster
  const [first, ...others] = await readClusters(session)
  if (first === undefined) throw new Exit(EXIT.notFound, 'no cluster is visible to this user')
  if (others.length > 0) throw new Exit(EXIT.usage, `name one with --cluster: ${[first, ...others].join(', ')}`)
  return first
}
