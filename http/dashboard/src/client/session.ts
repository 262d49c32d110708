// The session of this browser: the access token lives in this module's memory only, its renewal in a cookie that scripts cannot read.
import { computed, signal } from '@preact/signals'
import { type CallTraits, createClient } from '../../../client/api/client.js'
import type { BrowserLogin } from '../../../client/api/generated.js'
import type { Failure, Reply } from './failure.js'

type State =
  | { readonly type: 'starting' }
  | { readonly type: 'closed'; readonly reason?: string }
  | { readonly type: 'open'; readonly user: string; readonly token: string; readonly kind: 'login' | 'visitor' }

const state = signal<State>({ type: 'starting' })

/** What the shell shows: nothing yet, the login page, or the pages. */
export const sessionState = computed(() => state.value.type)
export const sessionUser = computed(() => (state.value.type === 'open' ? state.value.user : undefined))
/** Why the last session ended, when that needs a word. */
export const endedBecause = computed(() => (state.value.type === 'closed' ? state.value.reason : undefined))

const tokenNow = (): string | undefined => {
  const now = state.peek()
  return now.type === 'open' ? now.token : undefined
}

/** The value of the Authorization header. */
export function authorization(): string | undefined {
  const token = tokenNow()
  return token === undefined ? undefined : `Bearer ${token}`
}

/** The API, asked with the token of this session. */
export const client = createClient({ token: tokenNow, credentials: 'same-origin' })

/** Requests that open a session carry no token. */
const opening = { anonymous: true, timeoutMs: 15_000 } as const satisfies CallTraits

/** Opens a session: from a one-time link or what a provider sent back in the address, else from the cookie of an earlier visit. */
export async function startSession(): Promise<void> {
  const arrival = takeArrival()
  const opened = arrival && keep(await arrival.open())
  if (opened?.ok) return
  const why = opened ? `${arrival?.failed} ${opened.failure.text}` : undefined
  if (await refreshSession()) return
  if (state.peek().type === 'open' || why === undefined) return
  state.value = { type: 'closed', reason: why }
}

export async function logIn(username: string, password: string): Promise<Failure | undefined> {
  const reply = keep(await client.call('POST /api/session', { ...opening, body: { username, password } }))
  return reply.ok ? undefined : reply.failure
}

/** The address of the provider to go to; undefined where none is set. */
export async function beginSignOn(): Promise<string | undefined> {
  const reply = await client.call('POST /api/session/sign-on', opening)
  return reply.ok ? reply.value.location : undefined
}

export async function logOut(): Promise<void> {
  clearTimeout(timer)
  const ended = client.call('DELETE /api/session', { timeoutMs: opening.timeoutMs })
  state.value = { type: 'closed' }
  await ended
}

let refreshing: Promise<boolean> | undefined

/** Renews the token once for all who ask at the same time. False: it was not renewed. */
export function refreshSession(): Promise<boolean> {
  refreshing ??= refresh().finally(() => {
    refreshing = undefined
  })
  return refreshing
}

async function refresh(): Promise<boolean> {
  const before = state.peek()
  if (before.type === 'open' && before.kind === 'visitor') return admitVisitor()
  const reply = keep(await client.call('POST /api/session/refresh', opening))
  if (reply.ok) return true
  // No answer ends nothing: the pages keep what they show, and the next attempt follows.
  if (reply.failure.status === 0 || reply.failure.status >= 500) {
    if (before.type === 'starting') state.value = { type: 'closed', reason: reply.failure.text }
    else retryLater()
    return false
  }
  if (visitorPaths.has(location.pathname) && before.type !== 'open' && (await admitVisitor())) return true
  state.value = closedAfter(before)
  return false
}

/** A request that was on its way when the session ended is refused later, and asks for a renewal, too: the reason stays. */
const closedAfter = (before: State): State => {
  if (before.type === 'open') return { type: 'closed', reason: 'Your session has ended.' }
  return before.type === 'closed' ? before : { type: 'closed' }
}

/** Pages that open for the read-only user without a login. */
const visitorPaths: ReadonlySet<string> = new Set(['/dashboard', '/slides'])

const MINUTE = 60_000

/** The read-only user of `api-dashboard-user`, where one is set; its token is asked for again long before it ends. */
async function admitVisitor(): Promise<boolean> {
  const reply = await client.call('GET /api/dashboard-token', opening)
  if (!reply.ok) return false
  state.value = { type: 'open', user: 'visitor', token: reply.value.token, kind: 'visitor' }
  renewAfter(10 * MINUTE)
  return true
}

/** Opens the session that the answer gives. */
function keep(reply: Reply<BrowserLogin>): Reply<BrowserLogin> {
  if (!reply.ok) return reply
  const { token, user, expiresAt } = reply.value
  state.value = { type: 'open', token, user, kind: 'login' }
  renewAfter(expiresAt - Date.now() - MINUTE)
  return reply
}

let timer: ReturnType<typeof setTimeout> | undefined

/** Before the token ends, so that no request meets an expired one. */
function renewAfter(ms: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void refreshSession(), Math.max(ms, 5_000))
}

const retryLater = (): void => renewAfter(5_000)

interface Arrival {
  readonly open: () => Promise<Reply<BrowserLogin>>
  readonly failed: string
}

/** `/login#code=…` of a one-time link, `/login?state=…` of a provider: both leave the address at once. */
function takeArrival(): Arrival | undefined {
  if (location.pathname !== '/login') return undefined
  const linked = new URLSearchParams(location.hash.slice(1)).get('code')
  const sent = Object.fromEntries(new URLSearchParams(location.search))
  history.replaceState(null, '', '/')
  if (linked !== null) {
    const body = { code: linked }
    return {
      open: () => client.call('POST /api/session/link', { ...opening, body }),
      failed: 'The link cannot be used:',
    }
  }
  const { state } = sent
  if (state === undefined) return undefined
  const open = () => client.call('POST /api/session/signed-on', { ...opening, body: { ...sent, state } })
  return { open, failed: 'Single sign-on failed:' }
}
