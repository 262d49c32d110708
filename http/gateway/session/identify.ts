// Who logs in: by a password, unless too many were tried or the shipped one comes from elsewhere; by a one-time code; at a
// provider; or, where the settings ask for it, a visitor who gives nothing.
import { type Identity, isLocal, type Origin } from '../../../lib/access/index.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { now } from '../../../lib/base/time.js'
import { spendLoginCode } from '../../../lib/store/index.js'
import type { Door, RequestFacts } from '../../api/kit/route.js'
import { limitLines } from '../kit/line-limit.js'
import { type Attempt, createLockout } from './lockout.js'
import type { SessionParts } from './session-parts.js'
import { createSignOn } from './sign-on.js'
import { createTurns } from './turns.js'

export interface Password {
  readonly user: string
  readonly password: string
  readonly request: RequestFacts
}

export interface Identify {
  /** `wrong-credentials`, `locked-out`, `login-queue-full`. */
  byPassword(login: Password): Promise<Result<Identity>>
  /** `wrong-credentials`, `locked-out`, `login-queue-full`. The code is used up. */
  byCode(code: string, request: RequestFacts): Promise<Result<Identity>>
  /** Where to send the user, and what the provider will send back with it. */
  signOn(): Promise<Result<{ readonly location: string; readonly state: string }>>
  bySignOn(query: Readonly<Record<string, string>>, request: RequestFacts): Promise<Result<Identity>>
  /** Whether the door is open for such a request. */
  opens(door: Door, origin: Origin): boolean
  /** `disabled` unless the settings ask for it. */
  byDoor(door: Door, request: RequestFacts): Promise<Result<Identity>>
}

/** Codes have no user to count by: those of an address count together. */
const CODES = ''

export function createIdentify({ log, live, workingDir }: SessionParts): Identify {
  const lockout = createLockout()
  const turns = createTurns()
  const complain = limitLines(log)
  const signOn = createSignOn(() => live().provider)

  /** Waits for the turn of the attempt. Many of one user and address may wait at once: the lock is judged again then. */
  const refuseLocked = async (attempt: Attempt, who: Readonly<Record<string, unknown>>): Promise<Result<void>> => {
    const locked = () => {
      complain('warn', 'login-locked', who)
      return fail('locked-out', 'too many failed logins; wait three minutes')
    }
    if (lockout.isLocked(attempt)) return locked()
    const { lines, leave } = lockout.enter(attempt)
    for (const line of lines)
      if (!(await turns.wait(line))) {
        leave('refused')
        complain('warn', 'login-locked', who)
        return fail('login-queue-full', 'too many logins wait for their turn; try again in a few seconds')
      }
    leave('admitted')
    return lines.length > 0 && lockout.isLocked(attempt) ? locked() : ok(undefined)
  }

  return {
    byPassword: async ({ user, password, request }) => {
      const { address } = request
      const who = { user, address, request: request.id }
      const attempt = { user, address, local: isLocal(request) }
      const open = await refuseLocked(attempt, who)
      if (!open.ok) return open
      const { access } = live()
      const identity = access.login(user, password)
      if (!identity || isShippedElsewhere(access.isShipped(identity), request)) {
        lockout.failed(attempt)
        const why = identity ? 'the shipped password works locally only' : 'user or password is wrong'
        complain('warn', 'login-failed', { ...who, why })
        return fail('wrong-credentials', why)
      }
      lockout.succeeded(attempt)
      log('info', 'login', who)
      return ok(identity)
    },
    byCode: async (code, request) => {
      const { address } = request
      const who = { address, by: 'link', request: request.id }
      const attempt = { user: CODES, address, local: isLocal(request) }
      const open = await refuseLocked(attempt, who)
      if (!open.ok) return open
      const owner = await spendLoginCode(workingDir, code, now())
      const { access } = live()
      const identity = owner && ownerIdentity(owner, access.fingerprintsOf(owner.user))
      if (!identity || isShippedElsewhere(access.isShipped(identity), request)) {
        lockout.failed(attempt)
        const why = identity ? 'the shipped password works locally only' : 'the code is unknown, used or expired'
        complain('warn', 'login-failed', { ...who, user: owner?.user, why })
        return fail('wrong-credentials', why)
      }
      log('info', 'login', { ...who, user: identity.user })
      return ok(identity)
    },
    opens: (door, origin) => {
      const { access, visitors } = live()
      const identity = access.find(visitors[door] ?? '')
      return identity !== undefined && !isShippedElsewhere(access.isShipped(identity), origin)
    },
    byDoor: async (door, request) => {
      const { access, visitors } = live()
      const user = visitors[door]
      if (user === undefined) return fail('disabled', `${switchOf[door]} is off`)
      const identity = access.find(user)
      const who = { user, address: request.address, by: door, request: request.id }
      if (!identity || isShippedElsewhere(access.isShipped(identity), request)) {
        const why = identity ? 'its password is the shipped one, which works locally only' : 'it is no user'
        complain('warn', 'login-failed', { ...who, why })
        return fail('disabled', `${settingOf[door]} names ${user}: ${why}`)
      }
      log('info', 'login-admitted', who)
      return ok(identity)
    },
    signOn: signOn.begin,
    bySignOn: async (query, request) => {
      const who = { address: request.address, by: 'single sign-on', request: request.id }
      const name = await signOn.finish(query)
      if (!name.ok) {
        complain('warn', 'login-failed', { ...who, why: name.failure.message })
        return name
      }
      const { access } = live()
      const user = name.value
      if (!access.knows({ user }) || isShippedElsewhere(access.isShipped({ user }), request)) {
        complain('warn', 'login-failed', { ...who, user, why: 'it is no user here' })
        return fail('wrong-credentials', `${user} is no user here`)
      }
      log('info', 'login-admitted', { ...who, user })
      return ok({ user })
    },
  }
}

type CodeOwner = NonNullable<Awaited<ReturnType<typeof spendLoginCode>>>

/** As the user is now: with another password than when the code was made, it opens nothing. */
function ownerIdentity({ user, fits }: CodeOwner, fingerprints: readonly string[]): Identity | undefined {
  const fingerprint = fingerprints.find(fits)
  return fingerprint === undefined ? undefined : { user, fingerprint }
}

/** What opens a door, and what names who comes in through it. */
const switchOf = { autologin: 'api-autologin', dashboard: 'api-dashboard-user' } as const
const settingOf = { autologin: 'api-autologin-user', dashboard: 'api-dashboard-user' } as const

/** The shipped password is public, so it is refused for remote clients. */
function isShippedElsewhere(shipped: boolean, origin: Origin): boolean {
  return shipped && !isLocal(origin)
}
