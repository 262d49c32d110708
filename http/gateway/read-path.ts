// Reads of published views before koa: what dashboards ask again and again costs little more than a bare server.
import type { IncomingMessage } from 'node:http'
import type { PublishedView } from '../../actors/protocol/manager/face.js'
import { isRead, type Route } from '../api/kit/route.js'
import { type AnswerParts, hasInputs } from './answer.js'
import { type Authenticator, callerOf } from './authenticate.js'
import { authorise } from './authorise.js'
import { createNumbering, type Exchange, RequestContext, resolveTarget } from './context.js'
import { createMatcher, type Match } from './match.js'
import type { Serve } from './role-path.js'
import type { Session } from './sessions.js'
import { sendPublished } from './view.js'

export interface ReadParts extends Pick<AnswerParts, 'manager' | 'sessions' | 'access' | 'noteUse' | 'stopping'> {
  readonly recall: Authenticator['recall']
  readonly routes: readonly Route[]
}

/**
 * Takes the plain case only: a GET without query or body, of a row that answers with a view to whom a token opens it,
 * by a connection that has sent this token before. The token must still be live and the grants still open the row:
 * both are asked every time, with the words of the chain. Whatever is refused, fails or has more to it is the chain's.
 */
export function createReadPath(parts: ReadParts, otherwise: Serve): Serve {
  const find = rememberMatches(parts.routes)
  const nextId = createNumbering()
  return (req, res) => {
    const session = isPlain(req) ? parts.recall(req) : undefined
    const match = session && find(req.url ?? '')
    const exchange = match && { id: nextId(), req, res }
    const context = exchange && openRow(parts, { exchange, session, match })
    if (!context) return otherwise(req, res)
    answerView(match.route, context, exchange).then(
      (isAnswered) => isAnswered || otherwise(req, res),
      () => otherwise(req, res),
    )
  }
}

/** A body is read, or found too large, by the chain. */
const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers['content-length'] === undefined && headers['transfer-encoding'] === undefined

const isPlainView = (route: Route): boolean =>
  route.reply.type === 'view' && route.grant !== 'none' && isRead(route) && !hasInputs(route)

const MOST_REMEMBERED = 10_000
const LONGEST_REMEMBERED = 256

/** Finds the row of a plain view by its URL, which has no query then; the same few are asked again and again. */
function rememberMatches(routes: readonly Route[]): (url: string) => Match | undefined {
  const find = createMatcher(routes.filter(isPlainView))
  const known = new Map<string, Match>()
  return (url) => {
    const match = known.get(url)
    if (match || url.length > LONGEST_REMEMBERED || url.includes('?')) return match
    const found = find('GET', url)
    if (found.type !== 'found' || !found.match.ok) return undefined
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.set(url, found.match.value)
    return found.match.value
  }
}

interface Asked {
  readonly exchange: Exchange
  readonly session: Session
  readonly match: Match
}

/** What the row's answer is given; undefined when the caller may not have it or its cluster is not there. */
function openRow(parts: ReadParts, { exchange, session, match }: Asked): RequestContext | undefined {
  const { manager, sessions, stopping, access, noteUse } = parts
  const { route, params } = match
  const caller = callerOf(session, exchange.req.socket.remoteAddress ?? '', access)
  if (!authorise(caller, route.grant, params.cluster).ok) return undefined
  const target = resolveTarget(manager, params)
  if (!target.ok) return undefined
  noteUse(session, caller.address)
  const inputs = { params, query: undefined, body: undefined }
  return new RequestContext({ exchange, manager, sessions, stopping, caller, target: target.value, inputs })
}

async function answerView(route: Route, context: RequestContext, exchange: Exchange): Promise<boolean> {
  const answer = await route.answer(context)
  if (!answer.ok) return false
  await sendPublished(exchange, answer.value as PublishedView) // what rows of this type answer with
  return true
}
