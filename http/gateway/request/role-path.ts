// Role checks before koa: what load balancers ask many times a second costs no more than a bare server.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ManagerFace } from '../../../actors/protocol/manager/face.js'
import { addressText } from '../../../lib/model/server/server.js'
import { judgeRole, parseRoleQuestion, type RoleAnswer, type RoleQuestion } from '../../api/kit/role-check.js'

export type Serve = (req: IncomingMessage, res: ServerResponse) => void

/**
 * These methods are answered alike, since balancers check with GET, HEAD or, by default in some, OPTIONS: a friendly 200
 * to an OPTIONS would send writes to any server. Only a browser's preflight is left to the others.
 */
export function createRolePath(manager: ManagerFace, otherwise: Serve): Serve {
  // Balancers ask the same few questions again and again.
  const asked = new Map<string, RoleQuestion>()
  const questionOf = (url: string): RoleQuestion | undefined => {
    const known = asked.get(url)
    if (known) return known
    const question = parseRoleQuestion(url)
    if (!question) return undefined
    if (asked.size >= MOST_QUESTIONS) asked.clear()
    asked.set(url, question)
    return question
  }
  return (req, res) => {
    if (echoes(req)) return refuseMethod(res)
    const question = questionOf(req.url ?? '')
    if (!question || isPreflight(req)) return otherwise(req, res)
    if (!methods.includes(req.method ?? '')) return refuseMethod(res)
    const { status, text, members } = judgeRole(manager, question)
    res.writeHead(status, members.length > 0 ? makeHeaders(text, members) : headersOf(text))
    res.end(text)
  }
}

/** Questions that are remembered: more than a fleet asks, and little memory for those who ask nonsense. */
const MOST_QUESTIONS = 10_000

/** TRACE gives back what was sent, with the tokens that a proxy or a browser has added. */
const echoes = ({ method }: IncomingMessage): boolean => method === 'TRACE' || method === 'TRACK'

/** With what balancers check. */
const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE']

function refuseMethod(res: ServerResponse): void {
  res.writeHead(405, ['Allow', methods.join(', '), 'Content-Length', '0'])
  res.end()
}

export const isPreflight = (req: IncomingMessage): boolean =>
  req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined

const made = new Map<string, string[]>()

/** The same array for the same text: there are few. */
function headersOf(text: string): string[] {
  const headers = made.get(text) ?? makeHeaders(text, [])
  made.set(text, headers)
  return headers
}

function makeHeaders(text: string, members: RoleAnswer['members']): string[] {
  const headers = [
    ...['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(text.length)],
    ...['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
  ]
  if (members.length > 0) headers.push('X-Servers', members.map(addressText).join(', '))
  return headers
}
