// What goes on after its request was admitted (streams, long answers) ends within a second of the end of session, token, user or grant.
import { Readable } from 'node:stream'
import type { Access } from '../../../lib/access/index.js'
import { type Failure, fail, type Result } from '../../../lib/base/result.js'
import { now, SECOND } from '../../../lib/base/time.js'
import type { GatewayContext } from '../kit/context.js'
import type { SessionStore } from '../session/sessions.js'
import { originOf } from './authenticate.js'
import { authorise } from './authorise.js'

/** Between two checks. */
const CHECK_MS = 0.4 * SECOND
/** An answer is not checked before its request is so old: one that ends its own session or user is answered. */
const ANSWER_MS = 5 * SECOND

export interface Vigil {
  /** Calls `ended` once, with the reason. What is returned ends the watch. */
  watch(ctx: GatewayContext, ended: (why: Failure) => void): () => void
  /** The answer, or why it is not given any more. What was begun goes on by the rules of long work. */
  during<T>(ctx: GatewayContext, answer: Promise<Result<T>>): Promise<Result<T>>
  /** Ends a reply of another instance that is passed on. */
  relay(ctx: GatewayContext): void
  close(): void
}

export interface VigilParts {
  readonly sessions: Pick<SessionStore, 'isLive' | 'hasEnded'>
  readonly access: () => Access
}

interface Watched {
  readonly ctx: GatewayContext
  /** When the first check is due. */
  readonly from: number
  readonly ended: (why: Failure) => void
}

export function createVigil(parts: VigilParts): Vigil {
  const watched = new Set<Watched>()
  const check = () => {
    const at = now()
    for (const one of watched) {
      const why = at < one.from ? undefined : judgeStanding(one.ctx, parts)
      if (!why) continue
      watched.delete(one)
      one.ended(why)
    }
  }
  const timer = setInterval(check, CHECK_MS).unref()
  const watchFrom = (from: number, ctx: GatewayContext, ended: Watched['ended']) => {
    const one = { ctx, ended, from }
    watched.add(one)
    return () => watched.delete(one)
  }
  const watch: Vigil['watch'] = (ctx, ended) => watchFrom(now() + CHECK_MS, ctx, ended)
  return {
    watch,
    during: (ctx, answer) =>
      new Promise((resolve, reject) => {
        const stop = watchFrom(now() + ANSWER_MS, ctx, ({ code, message }) => resolve(fail(code, message)))
        answer.then(resolve, reject).finally(stop)
      }),
    relay: (ctx) => {
      const { body, res } = ctx
      if (!(body instanceof Readable)) return
      const stop = watch(ctx, () => {
        body.unpipe(res)
        body.destroy()
        res.end()
      })
      res.once('close', stop)
    },
    close: () => clearInterval(timer),
  }
}

/** Why a request that was admitted would not be admitted now; undefined: it would. */
function judgeStanding({ state, req }: GatewayContext, { sessions, access }: VigilParts): Failure | undefined {
  const { session, caller, route, params, isForwarded } = state
  if (!session || !caller || !route) return undefined
  const { apiToken, expiresAt } = session
  // Another instance knows the session of a request that it passes on.
  const isLive = isForwarded
    ? expiresAt > now() && access().knows(session) && !(apiToken && sessions.hasEnded(apiToken.id))
    : sessions.isLive(session, originOf({ req, state }))
  if (!isLive) return { code: 'not-logged-in', message: 'the session or the token of this request has ended' }
  const granted = authorise(caller, route.grant, params?.cluster)
  return granted.ok ? undefined : granted.failure
}
