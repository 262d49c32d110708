// Sessions of browsers: a short token for the page, and a cookie, which no script can read, that gives the next one.
import { type Holder, holderOf } from '../../../lib/access/bound/index.js'
import { type Identity, isLocal, type LoginWay } from '../../../lib/access/index.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, now } from '../../../lib/base/time.js'
import { makeLoginCode, type OpenedSession } from '../../../lib/store/index.js'
import { withCookie } from '../../api/kit/cookie.js'
import type { BrowserLogin, BrowserLogins, RequestFacts } from '../../api/kit/route.js'
import { limitLines } from '../kit/line-limit.js'
import type { Identify } from './identify.js'
import type { GiveToken } from './login.js'
import { refuseForeignPage } from './same-origin.js'
import { createSessionCookie } from './session-cookie.js'
import type { SessionParts } from './session-parts.js'

/** A page that is closed or cut off leaves a token behind for so long at most. */
const TOKEN_MS = 15 * MINUTE

/** How long a login at the provider may take. */
const SIGN_ON_MS = 10 * MINUTE

export interface BrowserParts extends Pick<SessionParts, 'live' | 'log' | 'browsers' | 'workingDir' | 'clusters'> {
  readonly identify: Identify
  readonly give: GiveToken
}

interface Identified {
  readonly identity: Result<Identity>
  readonly by: LoginWay
  readonly request: RequestFacts
}

export function createBrowserLogins(parts: BrowserParts): BrowserLogins {
  const { live, log, browsers, workingDir, clusters, identify, give } = parts
  // Instances that share the sessions share the names, and take them over while they run.
  const suffix = () => browsers.derive('cookie').toString('hex').slice(0, 8)
  const cookie = createSessionCookie(() => `manager-session-${suffix()}`)
  const stateCookie = createSessionCookie(() => `manager-sign-on-${suffix()}`)
  const complain = limitLines(log)
  const note = (saved: Result<void>): void => {
    if (saved.ok) return
    const code = saved.failure.code === 'store-unreachable' ? 'sessions-not-shared' : 'sessions-unsaved'
    complain('error', code, { why: saved.failure.message })
  }

  /** The answer to a login or a refresh: a token, and the cookie with the current secret. */
  const answer = async (
    { session, text, fingerprint }: OpenedSession,
    request: RequestFacts,
  ): Promise<Result<BrowserLogin>> => {
    const { id, user } = session
    const { sessionMs } = live()
    const identity = { user, ...(fingerprint === undefined ? {} : { fingerprint }) }
    const given = await give(identity, { lifetimeMs: Math.min(TOKEN_MS, sessionMs), sid: id })
    return given.ok ? ok(withCookie({ ...given.value, user }, cookie.header(text, request, sessionMs))) : given
  }

  /** A login in a browser that has a session replaces it: its cookie could not be used any more. */
  const endCarried = async (request: RequestFacts): Promise<void> => {
    const text = cookie.read(request)
    const carried = text === undefined ? ok(undefined) : await browsers.match(text)
    if (!carried.ok) note(carried)
    else if (carried.value) note(await browsers.end(carried.value.id))
  }

  const holderOfSession = (identity: Identity, { address }: RequestFacts): Holder => {
    const { access } = live()
    const may = (grant: string, cluster: string) => access.may(identity, grant, cluster)
    const sees = (cluster: string) => access.sees(identity, cluster)
    return holderOf({ user: identity.user, address, may, sees }, undefined, clusters)
  }

  const begin = async ({ identity, by, request }: Identified): Promise<Result<BrowserLogin>> => {
    if (!identity.ok) return identity
    await endCarried(request)
    const holder = holderOfSession(identity.value, request)
    const { opened, saved } = await browsers.begin({
      ...{ ...identity.value, by, from: request.address },
      ...{ at: now(), lifetimeMs: live().sessionMs, holder },
    })
    note(saved)
    return answer(opened, request)
  }

  return {
    open: async (login) => {
      const own = refuseForeignPage(login.request.headers)
      if (!own.ok) return own
      return begin({ identity: await identify.byPassword(login), by: 'password', request: login.request })
    },
    link: async (code, request) => {
      const own = refuseForeignPage(request.headers)
      if (!own.ok) return own
      return begin({ identity: await identify.byCode(code, request), by: 'link', request })
    },
    refresh: async (request) => {
      const own = refuseForeignPage(request.headers)
      if (!own.ok) return own
      const text = cookie.read(request)
      if (text === undefined) return fail('not-logged-in', 'the browser has no session')
      const { access, sessionMs } = live()
      const presented = { text, at: now(), lifetimeMs: sessionMs, fingerprintsOf: access.fingerprintsOf }
      const judged = await browsers.present(presented)
      if (!judged.ok) return judged
      const { outcome, saved } = judged.value
      note(saved)
      if (outcome.type === 'unknown') return fail('not-logged-in', 'the session has ended')
      if (outcome.type === 'ended') {
        const { id, user } = outcome.session
        const fields = { user, session: id, address: request.address, why: outcome.why, request: request.id }
        complain(outcome.why === 'reuse' ? 'warn' : 'info', 'session-ended', fields)
        return fail('not-logged-in', `the session has ended: ${reasons[outcome.why]}`)
      }
      const { session, fingerprint } = outcome.opened
      const identity = { user: session.user, ...(fingerprint === undefined ? {} : { fingerprint }) }
      if (access.knows(identity) && (!access.isShipped(identity) || isLocal(request)))
        return answer(outcome.opened, request)
      note(await browsers.end(session.id))
      return fail('not-logged-in', 'the session has ended: its user may not log in from here')
    },
    end: async (request, login) => {
      const allowed = refuseForeignPage(request.headers)
      if (!allowed.ok) return allowed
      const text = cookie.read(request)
      const matched = text === undefined ? ok(undefined) : await browsers.match(text)
      const own = [browsers.get(login?.browser ?? ''), matched.ok ? matched.value : undefined]
      const ending = [...new Set(own.filter((session) => session !== undefined))]
      for (const { id, user } of ending)
        log('info', 'logout', { user, session: id, address: request.address, request: request.id })
      const saved = await browsers.end(...ending.map(({ id }) => id))
      if (!matched.ok) return matched
      return saved.ok ? ok(withCookie({}, cookie.header('', request, 0))) : saved
    },
    makeCode: async (caller, login) => {
      if (caller.apiToken !== undefined || login === undefined || login.readOnly)
        return fail('no-grant', 'a code is made for a user who has logged in')
      const { fingerprint } = login
      const holder = holderOf(caller, undefined, clusters)
      const wish = { user: caller.user, at: now(), holder, ...(fingerprint === undefined ? {} : { fingerprint }) }
      const made = await makeLoginCode(workingDir, wish)
      if (!made.ok) return made
      log('info', 'login-code-created', { user: caller.user, address: caller.address })
      const { secret, expiresAt } = made.value
      return ok({ code: secret, path: `/login#code=${secret}`, expiresAt: Math.floor(expiresAt) })
    },
    beginSignOn: async (request) => {
      const own = refuseForeignPage(request.headers)
      if (!own.ok) return own
      const begun = await identify.signOn()
      if (!begun.ok) return begun
      const { location, state } = begun.value
      return ok(withCookie({ location }, stateCookie.header(state, request, SIGN_ON_MS)))
    },
    signedOn: async (query, request) => {
      const own = refuseForeignPage(request.headers)
      if (!own.ok) return own
      if (query.state === undefined || stateCookie.read(request) !== query.state)
        return fail('wrong-credentials', 'this login did not begin in this browser')
      return begin({ identity: await identify.bySignOn(query, request), by: 'sign-on', request })
    },
  }
}

const reasons = {
  reuse: 'its cookie was used twice, perhaps by someone else',
  expired: 'it was not used for too long',
  password: 'the password was changed',
} as const
