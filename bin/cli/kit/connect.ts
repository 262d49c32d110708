// From the common flags to a session, and from calls to their values: what fails ends the program with its status.
import type { Reply } from '../../../http/client/connection.js'
import { type CallOptions, createSession, type Session } from '../../../http/client/session.js'
import type { WireCluster } from '../../../http/client/wire.js'
import { suggest } from '../../../lib/base/suggest.js'
import { EXIT, Exit, exitOfFailure, exitOfReply } from '../output/exit.js'
import { talk } from '../output/output.js'
import { readHidden } from '../output/prompt.js'
import type { CommonFlags } from './flags.js'

export function connect({ host, port, insecure, cacert, user, password, apiToken }: CommonFlags): Session {
  let typed: Promise<string | undefined> | undefined
  const ask = () => {
    typed ??= readHidden(`Password of ${user}: `)
    return typed
  }
  return createSession(
    { host, port, insecure, ...(cacert === undefined ? {} : { caFile: cacert }) },
    { user, password: async () => password ?? (await ask()), ...(apiToken === undefined ? {} : { token: apiToken }) },
  )
}

/** Calls the API and gives the body as JSON (or text); anything but 2xx is thrown as an `Exit`. */
export async function call(
  session: Session,
  request: `${'GET' | 'POST'} /${string}`,
  options?: CallOptions,
): Promise<unknown> {
  const [method = 'GET', path = '/'] = request.split(' ', 2)
  const reply = await session.call(method, path, options)
  if (!reply.ok) throw exitOfFailure(reply.failure)
  if (reply.value.status >= 300) throw await withNearest(exitOfReply(reply.value), { session, path })
  return readBody(reply.value, request)
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
  ((await call(session, 'GET /api/clusters')) as readonly WireCluster[]).map(({ name }) => name)

/** The cluster named by --cluster, or the only one there is. */
export async function chooseCluster(session: Session, { cluster }: Pick<CommonFlags, 'cluster'>): Promise<string> {
  if (cluster !== undefined) return cluster
  const [first, ...others] = await readClusters(session)
  if (first === undefined) throw new Exit(EXIT.notFound, 'no cluster is visible to this user')
  if (others.length > 0) throw new Exit(EXIT.usage, `name one with --cluster: ${[first, ...others].join(', ')}`)
  return first
}
