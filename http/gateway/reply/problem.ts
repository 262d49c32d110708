// The wire form of a failure: a line of text, or an RFC 9457 problem for a client that asks for one.
import { type FailureCode, failures, hintOf } from '../../../lib/base/failures.js'
import type { Failure } from '../../../lib/base/result.js'
import type { Route } from '../../api/kit/route.js'
import { wireFailure } from '../../api/kit/statuses.js'
import type { GatewayContext } from '../kit/context.js'

/** Seconds after which it is worth trying again. */
const retryAfter: Readonly<Partial<Record<FailureCode, number>>> = {
  'locked-out': 180,
  'login-queue-full': 5,
  'too-often': 600,
  'mailbox-full': 1,
  'actor-gone': 1,
}

const PROBLEM = 'application/problem+json'

/** Answers with the failure: status and text of the row, headers of the code. */
export function sendFailure(
  ctx: GatewayContext,
  failure: Failure,
  row?: Pick<Route, 'failures' | 'withoutAccept'>,
): void {
  const { accept } = ctx.req.headers
  const [status, text] =
    (accept === undefined ? row?.withoutAccept?.[failure.code] : undefined) ?? wireFailure(failure.code, row)
  for (const name of ['ETag', 'Content-Encoding', 'Content-Disposition']) ctx.remove(name)
  const seconds = retryAfter[failure.code]
  if (seconds !== undefined) ctx.set('Retry-After', String(seconds))
  if (status === 401) ctx.set('WWW-Authenticate', 'Bearer')
  if (status === 413 && ctx.req.httpVersionMajor < 2) ctx.set('Connection', 'close')
  ctx.set('Cache-Control', 'no-store')
  ctx.status = status
  const asked = accept?.includes(PROBLEM)
  ctx.set('Content-Type', asked ? PROBLEM : 'text/plain; charset=utf-8')
  ctx.body = asked ? renderProblem(failure, status) : renderText(text ?? failure.message)
}

function renderProblem({ code, message }: Failure, status: number): string {
  const { sentence } = failures[code]
  const hint = hintOf(code, 'api')
  return JSON.stringify({ type: `urn:manager:failure:${code}`, title: sentence, status, detail: message, code, hint })
}

/** The bodies of checks begin with a status and are exact; other messages end their line. */
function renderText(text: string): string {
  return /^\d{3} -/.test(text) ? text : `${text}\n`
}
