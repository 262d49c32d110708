// Sessions of browsers on disk: one file of records with hashes of their refresh secrets, so that they survive a restart.
import { createHmac, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Holder, placeShare, type Share } from '../../access/bound/fair-bound.js'
import { keepFairly } from '../../access/bound/keep-fairly.js'
import { type BrowserSession, isOver, judgeRefresh, type LoginWay } from '../../access/refresh.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { readState, type StateFormat, writeState } from '../kit/state-file.js'
import { checkOf, hashOf, newSecret, openNext, sealNext } from './session-secrets.js'

/** Sessions that one user of a cluster may have; the one unused for longest ends first. */
export const SESSIONS_EACH = 100
/** Of all users; of the clusters with most, those unused for longest end first. */
export const SESSIONS = 10_000
/** Attempts at a session that others refresh at the same time. */
const ATTEMPTS = 8

/** Revision of one that others know, too, as of an earlier life of this instance. */
const SOME_REVISION = -1

/** Where several instances share the fleet: what one of them does with a session holds at all. */
export interface SessionPlace {
  /** As all instances know it; undefined: it has ended. Failure: `store-unreachable`. */
  read(id: string): Promise<Result<PlacedSession | undefined>>
  /**
   * Keeps it in place of what was read (revision 0: it is new). Answers the revision by then; 0: another instance was
   * faster. Failure: `store-unreachable`: whether it is kept may be unknown.
   */
  put(placed: PlacedSession): Promise<Result<number>>
  /** Ends it, or only what was read of it. Answers the revision by then; 0: it is another one by now. Failure: `store-unreachable`. */
  end(id: string, read?: PlacedSession): Promise<Result<number>>
}

/** A session and the revision of its latest change; 0: only this instance knows it. */
export interface PlacedSession {
  readonly session: BrowserSession
  readonly revision: number
}

interface Stored {
  /** Makes digests of passwords comparable with those of an earlier start; no digest itself is on disk. */
  readonly key: string
  readonly sessions: readonly BrowserSession[]
  /** Ids of those that no other instance knows yet. */
  readonly alone?: readonly string[]
}

const format: StateFormat<Stored> = {
  version: 1,
  accept: (value) => (isStored(value) ? value : undefined),
}

function isStored(value: unknown): value is Stored {
  if (typeof value !== 'object' || value === null || !('sessions' in value) || !('key' in value)) return false
  return typeof value.key === 'string' && Array.isArray(value.sessions) && value.sessions.every(isBrowserSession)
}

export const isBrowserSession = (value: unknown): value is BrowserSession =>
  typeof value === 'object' &&
  value !== null &&
  ['id', 'user', 'by', 'from', 'hash', 'check'].every((name) => typeof Reflect.get(value, name) === 'string') &&
  ['createdAt', 'usedAt'].every((name) => typeof Reflect.get(value, name) === 'number')

export interface BeginWish {
  readonly user: string
  readonly fingerprint?: string
  readonly by: LoginWay
  readonly from: string
  readonly at: number
  readonly lifetimeMs: number
  /** Absent: the user, without a cluster. */
  readonly holder?: Holder
}

export interface PresentedSecret {
  readonly text: string
  readonly at: number
  readonly lifetimeMs: number
  /** Fingerprints that the user has now. */
  readonly fingerprintsOf: (user: string) => readonly string[]
}

/** A session and the text of its current secret: `<id>.<secret>`. */
export interface OpenedSession {
  readonly session: BrowserSession
  readonly fingerprint?: string
  readonly text: string
}

export type PresentedOutcome =
  | { readonly type: 'opened'; readonly opened: OpenedSession }
  /** Nothing is known of it. */
  | { readonly type: 'unknown' }
  /** The session ended with this: `reuse` of a replaced secret, `expired`, or the `password` is another one now. */
  | { readonly type: 'ended'; readonly session: BrowserSession; readonly why: 'reuse' | 'expired' | 'password' }

/** What became of a secret, and whether that would survive a restart. */
export interface Presented {
  readonly outcome: PresentedOutcome
  readonly saved: Result<void>
}

export class BrowserSessions {
  readonly #file: string
  #key: Buffer
  readonly #byId = new Map<string, PlacedSession>()
  /** In memory only: fingerprints of those that were used here since the start. */
  readonly #usedHere = new Map<string, string | undefined>()
  /** Ended here, and at which revision in the place that is shared: until then nothing that was read there brings it back. */
  readonly #ended = new Map<string, number>()
  readonly #alone: ReadonlySet<string>
  #writing: Promise<Result<void>> = Promise.resolve(done)
  /** Absent: this instance alone knows the sessions. */
  #place: SessionPlace | undefined
  #keyTaken: () => void = () => undefined

  private constructor(file: string, { key, sessions, alone = [] }: Stored) {
    this.#file = file
    this.#key = Buffer.from(key, 'base64url')
    this.#alone = new Set(alone)
    for (const session of sessions) this.#byId.set(session.id, { session, revision: 0 })
  }

  /** Reads the file; damage is reported, and the last good copy is read instead. */
  static async open(
    file: string,
  ): Promise<{ readonly browserSessions: BrowserSessions; readonly damage: readonly string[] }> {
    const { value, damage } = await readState(file, format)
    const stored = value ?? { key: randomBytes(32).toString('base64url'), sessions: [] }
    return { browserSessions: new BrowserSessions(file, stored), damage }
  }

  /** From now on other instances share the sessions; the file keeps what was last known. */
  share(place: SessionPlace): void {
    this.#place = place
    for (const [id, { session }] of this.#byId)
      this.#byId.set(id, { session, revision: this.#alone.has(id) ? 0 : SOME_REVISION })
  }

  /** The key that others need to check these sessions: for the place that is shared, and nobody else. */
  get key(): string {
    return this.#key.toString('base64url')
  }

  get isAny(): boolean {
    return this.#byId.size > 0
  }

  /** The others have none yet: they take this one, and every session with it. */
  leaveAll(): void {
    for (const [id, { session }] of this.#byId) this.#byId.set(id, { session, revision: 0 })
  }

  /** The key of the others, in place of that of this instance, whose own sessions cannot be checked by it: they end. */
  async takeKey(key: string): Promise<void> {
    this.#key = Buffer.from(key, 'base64url')
    for (const id of [...this.#byId.keys()]) this.#drop(id)
    this.#keyTaken()
    await this.#write()
  }

  /** Calls it when the key is another one. */
  onKey(taken: () => void): void {
    this.#keyTaken = taken
  }

  /** What all instances know as of a revision, in place of what was known here. */
  async adopt(placed: readonly PlacedSession[], revision: number): Promise<Result<void>> {
    const before = this.#stored()
    const theirs = new Map(placed.map((one) => [one.session.id, one]))
    for (const [id, known] of [...this.#byId]) {
      const isSame = theirs.get(id)?.session.hash === known.session.hash
      const isLater = known.revision > revision || (known.revision === 0 && !isSame)
      if (isLater) theirs.delete(id)
      else if (!theirs.has(id)) this.#drop(id)
    }
    for (const [id, one] of theirs) if (!this.#ended.has(id)) this.#byId.set(id, one)
    for (const [id, at] of this.#ended) if (at <= revision) this.#ended.delete(id)
    return isDeepStrictEqual(before, this.#stored()) ? done : this.#write()
  }

  /** Brings in what the others do not know yet: sessions that began, and ended, while they could not be reached. */
  async bringIn(): Promise<Result<void>> {
    const place = this.#place
    if (!place) return done
    for (const [id, at] of this.#ended) {
      const ended = at === Infinity ? await place.end(id) : ok(at)
      if (!ended.ok) return ended
      this.#ended.set(id, ended.value)
    }
    for (const [id, { session, revision }] of this.#byId) {
      if (revision !== 0) continue
      // From now on the others may have it: whether they do is read at its next use, whatever becomes of the reply.
      this.#byId.set(id, { session, revision: SOME_REVISION })
      const put = await place.put({ session, revision })
      if (!put.ok) return put
      if (put.value === 0) await this.end(id)
      else if (this.#byId.get(id)?.session === session) this.#byId.set(id, { session, revision: put.value })
    }
    return done
  }

  /** The key of fingerprints, and of the name of the cookie: two managers of one host do not take each other's. */
  derive(purpose: 'fingerprint' | 'cookie'): Buffer {
    return createHmac('sha256', this.#key).update(purpose).digest()
  }

  get(id: string): BrowserSession | undefined {
    return this.#byId.get(id)?.session
  }

  /** The session whose secret this is, or was a moment ago. Failure: `store-unreachable`: it may be one of another instance. */
  async match(text: string): Promise<Result<BrowserSession | undefined>> {
    const [id = '', secret = ''] = text.split('.')
    const fits = (session: BrowserSession | undefined) =>
      session && [session.hash, session.previous?.hash].includes(hashOf(secret)) ? session : undefined
    const current = await this.#current(id)
    if (current.ok) return ok(fits(current.value?.session))
    const known = fits(this.get(id))
    return known ? ok(known) : current
  }

  /**
   * A new session, always with an id and a secret of its own. `saved`: whether it would survive a restart; `store-unreachable`:
   * only this instance knows it.
   */
  async begin(wish: BeginWish): Promise<{ readonly opened: OpenedSession; readonly saved: Result<void> }> {
    const share = this.#forget(wish)
    let made = newSession(wish, share)
    const put = this.#place ? await this.#place.put({ session: made.session, revision: 0 }) : ok(0)
    // Whether the others have that one may be unknown: nobody gets its secret.
    if (!put.ok) made = newSession(wish, share)
    const { session, secret } = made
    this.#byId.set(session.id, { session, revision: put.ok ? put.value : 0 })
    this.#usedHere.set(session.id, wish.fingerprint)
    const saved = await this.#write()
    return { opened: openedOf(session, secret, wish.fingerprint), saved: put.ok ? saved : put }
  }

  /** What a secret opens; it is replaced by another one. `store-unreachable`: nothing is changed, others may know more of it. */
  async present(wish: PresentedSecret): Promise<Result<Presented>> {
    const [id = '', secret = ''] = wish.text.split('.')
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const current = await this.#current(id)
      if (!current.ok) return current
      if (!current.value) return ok({ outcome: { type: 'unknown' }, saved: done })
      const { session } = current.value
      const judged = judge(session, secret, wish)
      if (judged.type === 'ended') return ok({ outcome: { ...judged, session }, saved: await this.end(id) })
      const { fingerprint, next } = judged
      const kept = await this.#keep({ ...current.value, session: judged.session }, session)
      if (!kept.ok) return kept
      if (!kept.value) continue
      this.#usedHere.set(id, fingerprint)
      const saved = judged.session === session ? done : await this.#write()
      return ok({ outcome: { type: 'opened', opened: openedOf(judged.session, next, fingerprint) }, saved })
    }
    return fail('store-unreachable', 'other instances refresh the same session again and again')
  }

  /**
   * Ended from this moment on. `file-unwritable`: it would be valid again after a restart. `store-unreachable`: the other
   * instances may accept it until this one reaches them again.
   */
  async end(...ids: readonly string[]): Promise<Result<void>> {
    const known = ids.flatMap((id) => this.#byId.get(id) ?? [])
    for (const { session } of known) {
      this.#drop(session.id)
      if (this.#place) this.#ended.set(session.id, Infinity)
    }
    const saved = known.length === 0 ? done : await this.#write()
    for (const { session } of known) {
      const ended = await this.#place?.end(session.id)
      if (ended && !ended.ok) return ended
      if (ended) this.#ended.set(session.id, ended.value)
    }
    return saved
  }

  /** Ends those of users that are gone, and of passwords that were changed; those not used since the start are checked when used. */
  async keepKnown(
    knows: (identity: { readonly user: string; readonly fingerprint?: string }) => boolean,
  ): Promise<readonly BrowserSession[]> {
    const all = [...this.#byId.values()].map(({ session }) => session)
    // A user that was added elsewhere may not be known here yet.
    const gone = all
      .filter(({ id }) => !this.#place || this.#usedHere.has(id))
      .filter(({ id, user }) => {
        const fingerprint = this.#usedHere.get(id)
        return !knows({ user, ...(fingerprint === undefined ? {} : { fingerprint }) })
      })
    await this.end(...gone.map(({ id }) => id))
    return gone
  }

  async close(): Promise<void> {
    await this.#writing
  }

  /** As all instances know it. */
  async #current(id: string): Promise<Result<PlacedSession | undefined>> {
    const known = this.#byId.get(id)
    if (!this.#place || known?.revision === 0) return ok(known)
    if (!ID.test(id) || this.#ended.has(id)) return ok(undefined)
    const read = await this.#place.read(id)
    if (!read.ok || (read.value && this.#ended.has(id))) return read.ok ? ok(undefined) : read
    if (!read.value) this.#drop(id)
    else if ((this.#byId.get(id)?.revision ?? 0) <= read.value.revision) this.#byId.set(id, read.value)
    return read
  }

  /** Answers whether it is kept: another instance, or another request, may have been faster. */
  async #keep({ session, revision }: PlacedSession, read: BrowserSession): Promise<Result<boolean>> {
    if (session === read) return ok(true)
    const put = this.#place && revision !== 0 ? await this.#place.put({ session, revision }) : ok(0)
    if (!put.ok) return put
    const isKept = revision === 0 ? this.#byId.get(session.id)?.session === read : put.value > 0
    if (isKept && !this.#ended.has(session.id)) this.#byId.set(session.id, { session, revision: put.value })
    return ok(isKept)
  }

  /** Makes room for one more, and answers in whose part of the sessions it is. */
  #forget({ user, at, lifetimeMs, holder }: BeginWish): Share {
    const all = [...this.#byId.values()]
    const rest = all
      .filter(({ session }) => !isOver(session, { at, lifetimeMs }))
      .toSorted((left, right) => left.session.usedAt - right.session.usedAt)
    const held = rest.map(({ session }) => shareOf(session))
    const share = placeShare(held, holder ?? { user, clusters: [], isGlobal: false, mayName: () => false })
    const own = rest.filter(({ session }) => session.user === user && shareOf(session).cluster === share.cluster)
    const surplus = new Set(own.slice(0, Math.max(0, own.length - SESSIONS_EACH + 1)))
    const others = rest.filter((one) => !surplus.has(one))
    const kept = new Set(keepFairly(others, SESSIONS - 1, ({ session }) => shareOf(session).cluster))
    for (const one of all.filter((each) => !kept.has(each)))
      if (this.#place && one.revision !== 0) void this.#forgetPlaced(one)
      else this.#drop(one.session.id)
    return share
  }

  /** One that was used elsewhere meanwhile stays. */
  async #forgetPlaced(one: PlacedSession): Promise<void> {
    const { id } = one.session
    const ended = await this.#place?.end(id, one)
    if (!ended?.ok || ended.value === 0) return
    this.#ended.set(id, ended.value)
    this.#drop(id)
  }

  #drop(id: string): void {
    this.#byId.delete(id)
    this.#usedHere.delete(id)
  }

  #stored(): Stored {
    const all = [...this.#byId.values()]
    const alone = this.#place ? all.filter(({ revision }) => revision === 0).map(({ session }) => session.id) : []
    const sessions = all.map(({ session }) => session)
    return { key: this.key, sessions, ...(alone.length === 0 ? {} : { alone }) }
  }

  /** One after the other; each writes the state at that time. */
  #write(): Promise<Result<void>> {
    this.#writing = this.#writing.then(() => writeState(this.#file, format, this.#stored()))
    return this.#writing
  }
}

const shareOf = ({ user, countsFor = '' }: BrowserSession): Share => ({ cluster: countsFor, user })

function newSession({ user, by, from, at, fingerprint }: BeginWish, { cluster: countsFor }: Share) {
  const secret = newSecret()
  const session: BrowserSession = {
    ...{ id: randomBytes(12).toString('hex'), user, by, from, createdAt: Math.floor(at), usedAt: Math.floor(at) },
    ...{ hash: hashOf(secret), check: checkOf(secret, fingerprint), countsFor },
  }
  return { session, secret }
}

/** What is asked of the place that is shared; nothing else is a session. */
const ID = /^[0-9a-f]{24}$/

type Judged =
  | { readonly type: 'ended'; readonly why: 'reuse' | 'expired' | 'password' }
  | { readonly type: 'opened'; readonly session: BrowserSession; readonly next: string; readonly fingerprint?: string }

/** What the secret is worth, and the session by then: the same one where the secret was replaced a moment ago. */
function judge(session: BrowserSession, secret: string, wish: PresentedSecret): Judged {
  const judged = judgeRefresh(session, { ...wish, hash: hashOf(secret) })
  if (judged === 'reuse' || judged === 'expired') return { type: 'ended', why: judged }
  const { previous } = session
  const check = judged === 'repeat' ? (previous?.check ?? '') : session.check
  // The fingerprint of the login, as far as it is still one of the user's.
  const fingerprint = wish.fingerprintsOf(session.user).find((one) => checkOf(secret, one) === check)
  if (fingerprint === undefined && check !== '') return { type: 'ended', why: 'password' }
  const marks = fingerprint === undefined ? {} : { fingerprint }
  const replaced = judged === 'repeat' ? openNext(secret, previous?.sealed, session.hash) : undefined
  if (replaced !== undefined) return { type: 'opened', session, next: replaced, ...marks }
  const next = newSecret()
  const at = Math.floor(wish.at)
  const before = judged === 'repeat' && previous ? previous : { hash: session.hash, check, at }
  const rotated = {
    ...session,
    ...{ usedAt: at, hash: hashOf(next), check: checkOf(next, fingerprint) },
    previous: { ...before, sealed: sealNext(secret, next) },
  }
  return { type: 'opened', session: rotated, next, ...marks }
}

const openedOf = (session: BrowserSession, secret: string, fingerprint: string | undefined): OpenedSession => ({
  session,
  text: `${session.id}.${secret}`,
  ...(fingerprint === undefined ? {} : { fingerprint }),
})
