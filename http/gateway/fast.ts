// Role checks before koa: what load balancers ask many times a second costs no more than a bare server.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressText } from '../../lib/model/server.js'
import type { ManagerFace } from '../api/face.js'
import { judgeRole, parseRoleQuestion, type RoleAnswer } from '../api/role-check.js'

/** Answers the request when it is one of its kind; false leaves it to the chain. */
export type FastPath = (req: IncomingMessage, res: ServerResponse) => boolean

/**
 * Every method is answered alike, since balancers check with GET, HEAD or, by default in some, OPTIONS: a friendly 200
 * to an OPTIONS would send writes to any server. Only a browser's preflight is left to the chain.
 */
export const createRolePath =
  (manager: ManagerFace): FastPath =>
  (req, res) => {
    const question = parseRoleQuestion(req.url ?? '')
    if (!question || isPreflight(req)) return false
    const { status, text, members } = judgeRole(manager, question)
    res.writeHead(status, headersFor(text, members))
    res.end(text)
    return true
  }

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

function headersFor(text: string, members: RoleAnswer['members']): string[] {
  const headers = [
    ...['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(text.length)],
    ...['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', 'Access-Control-Allow-Origin', '*'],
  ]
  if (members.length > 0) headers.push('X-Servers', members.map(addressText).join(', '))
  return headers
}
