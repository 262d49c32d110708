// Sessions of browsers that all instances of a fleet know: kept in etcd, read there at each use, with the local file as the last known copy.
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import { type Etcd, sessionKey, sessionKeys, sessionsKey } from '../../../lib/lease/index.js'
import {
  type BrowserSessions,
  isBrowserSession,
  type PlacedSession,
  type SessionPlace,
} from '../../../lib/store/index.js'

export interface FleetSessionsParts {
  readonly etcd: Etcd
  readonly prefix: string
  readonly browsers: BrowserSessions
  readonly log: WriteLog
}

/** Reads of single sessions at once: a cookie is a stranger's until it was read. */
const READS = 32

/** How long is asked again after a failure: an election takes a second or two, and a user waits no longer for a page. */
const ELECTION_MS = 4 * SECOND
const AGAIN_MS = 100

export class FleetSessions implements SessionPlace {
  readonly #parts: FleetSessionsParts
  /** One reading after the other, and the one that has not begun yet. */
  #turn: Promise<Result<void>> = Promise.resolve(done)
  #next: Promise<Result<void>> | undefined
  #isShared = true
  #reads = 0

  constructor(parts: FleetSessionsParts) {
    this.#parts = parts
  }

  async read(id: string): Promise<Result<PlacedSession | undefined>> {
    if (this.#reads >= READS) return refused(`${READS} sessions are being read already`)
    this.#reads += 1
    const { etcd, prefix } = this.#parts
    const read = await settled(() => etcd.range(sessionKey(prefix, id)))
    this.#reads -= 1
    if (!read.ok) return read
    const [stored] = read.value
    return ok(stored && placed(id, stored))
  }

  async put({ session, revision }: PlacedSession): Promise<Result<number>> {
    const { etcd, prefix } = this.#parts
    const key = sessionKey(prefix, session.id)
    const value = JSON.stringify(session)
    return settled(async () => {
      const committed = await etcd.commit([{ key, changed: revision }], [{ type: 'put', key, value }])
      if (!committed.ok) return committed
      if (committed.value.done) return ok(committed.value.revision)
      // It may be there by an attempt whose reply was lost.
      const read = await etcd.range(key)
      if (!read.ok) return read
      const [stored] = read.value
      return ok(stored?.value === value ? stored.changed : 0)
    })
  }

  async end(id: string, read?: PlacedSession): Promise<Result<number>> {
    const { etcd, prefix } = this.#parts
    const key = sessionKey(prefix, id)
    return settled(async () => {
      const committed = await etcd.commit(read ? [{ key, changed: read.revision }] : [], [{ type: 'delete', key }])
      if (!committed.ok) return committed
      if (committed.value.done) return ok(committed.value.revision)
      const left = await etcd.snapshot(key)
      if (!left.ok) return left
      return ok(left.value.keys.length === 0 ? left.value.revision : 0)
    })
  }

  /** Adopts what the others know, and brings in what they do not know yet. */
  refresh(): Promise<Result<void>> {
    this.#next ??= this.#turn.then(async () => {
      this.#next = undefined
      const agreed = await this.#agree()
      if (!agreed.ok && this.#isShared) {
        const code = agreed.failure.code === 'store-unreachable' ? 'sessions-not-shared' : 'sessions-unsaved'
        this.#parts.log('warn', code, { why: agreed.failure.message })
      }
      this.#isShared = agreed.ok
      return agreed
    })
    this.#turn = this.#next
    return this.#turn
  }

  async #agree(): Promise<Result<void>> {
    const { etcd, prefix, browsers } = this.#parts
    const stored = await etcd.snapshot(sessionKeys(prefix))
    if (!stored.ok) return refused(stored.failure.message)
    const { keys, revision } = stored.value
    const key = await this.#agreeOnKey(keys.find(({ key }) => key === sessionsKey(prefix))?.value)
    if (!key.ok) return key
    const start = sessionKeys(prefix).length
    const adopted = await browsers.adopt(
      keys.flatMap((one) => placed(one.key.slice(start), one) ?? []),
      revision,
    )
    const brought = await browsers.bringIn()
    return brought.ok ? adopted : brought
  }

  /** The first instance leaves its own to all. */
  async #agreeOnKey(theirs: string | undefined): Promise<Result<void>> {
    const { etcd, prefix, browsers, log } = this.#parts
    if (theirs === browsers.key) return done
    if (theirs !== undefined) {
      const isAny = browsers.isAny
      await browsers.takeKey(theirs)
      if (isAny) log('info', 'sessions-ended-by-key', {})
      return done
    }
    const key = sessionsKey(prefix)
    const left = await etcd.commit([{ key, changed: 0 }], [{ type: 'put', key, value: browsers.key }])
    if (!left.ok) return refused(left.failure.message)
    if (left.value.done) {
      browsers.leaveAll()
      return done
    }
    const read = await etcd.range(key)
    if (!read.ok) return refused(read.failure.message)
    return read.value[0] ? this.#agreeOnKey(read.value[0].value) : refused('the key of sessions was deleted')
  }
}

/** Asked again until etcd has answered: its members elect a leader when one died. Failure: `store-unreachable`. */
async function settled<T>(ask: () => Promise<Result<T>>): Promise<Result<T>> {
  const until = now() + ELECTION_MS
  for (;;) {
    const asked = await ask()
    if (asked.ok) return asked
    if (now() > until) return refused(asked.failure.message)
    await sleep(AGAIN_MS)
  }
}

/** Undefined unless the value is a session of this id. */
function placed(id: string, { value, changed }: { readonly value: string; readonly changed: number }) {
  try {
    const session: unknown = JSON.parse(value)
    return isBrowserSession(session) && session.id === id ? { session, revision: changed } : undefined
  } catch {
    return undefined
  }
}

const refused = (why: string): Result<never> =>
  fail(
    'store-unreachable',
    `${why}; the instances share their sessions by etcd: repeat it when etcd answers, or log in at this instance`,
  )
