// Long statements and transactions: each is logged once and given once to the operator's script, wherever it was found.
import { now, SECOND } from '../../../lib/base/time.js'
import type { Rows } from '../../../lib/dialect/index.js'
import type { SlowReading } from '../../../lib/model/server/reading.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { LongSession } from '../../../lib/model/server/watched.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import { type LongNotice, longCall } from '../../../lib/notify/index.js'
import { readRequest } from '../handlers/read/read-request.js'
import { noteEnd, type Reading, readNow } from '../requests/reads.js'
import { mayNotify } from '../state/step/observed.js'
import type { Noticing } from './changes.js'

/** Lines of the log for one server and reading. */
const MOST_LOGGED = 5
/** Where a statement is cut in the log, characters. */
const LONGEST_TEXT = 200
/** Between two reads of a slow log. */
const REREAD_MS = 30 * SECOND

type Found = Omit<LongNotice, 'cluster' | 'address'>

export class LongWatch {
  readonly #actor: Noticing & Reading
  /** By server and kind: what was reported and is still running. */
  readonly #reported = new Map<string, ReadonlyMap<string, Begun>>()
  /** By server: the newest entry of its slow log that was seen. */
  readonly #newest = new Map<ServerId, string>()
  #readAt = 0

  constructor(actor: Noticing & Reading) {
    this.#actor = actor
  }

  /** Reports what a slow probe found and the one before did not. */
  note({ server: id, at, tookMs, longStatements, openTransactions }: SlowReading): void {
    const server = findServer(this.#actor.state.snapshot, id)
    if (!server) return
    // What could not be read shows the end of nothing.
    if (longStatements) this.#fresh(server, 'statement', { sessions: longStatements, at, tookMs })
    if (openTransactions) this.#fresh(server, 'transaction', { sessions: openTransactions, at, tookMs })
  }

  /** Reads the slow logs where a setting asks for them and that is due. */
  rereadWhenDue(): void {
    const { settings, snapshot } = this.#actor.state
    if (!settings['monitoring-long-query-with-table'] || now() - this.#readAt < REREAD_MS) return
    this.#readAt = now()
    for (const server of snapshot.servers) void this.#readLog(server)
  }

  #fresh(
    server: ServerSnapshot,
    kind: 'statement' | 'transaction',
    { sessions, ...time }: ReadTime & { readonly sessions: readonly LongSession[] },
  ): void {
    const key = `${server.id} ${kind}`
    const before = this.#reported.get(key)
    if (sessions.length === 0 && before === undefined) return
    const found = sessions.map((session) => [identityOf(kind, session), begunOf(session, time)] as const)
    this.#reported.set(key, new Map(found))
    const fresh = sessions.filter((_, index) => {
      const [identity = '', begun] = found[index] ?? []
      const known = before?.get(identity)
      return !known || !begun || begun.until < known.from || known.until < begun.from
    })
    this.#report(
      server,
      fresh.map((session) => ({ kind, ...session })),
    )
  }

  async #readLog(member: ServerSnapshot): Promise<void> {
    const request = readRequest(this.#actor.state, member, 'slow-queries')
    const answer = request.ok ? await readNow(this.#actor, request.value) : request
    if (request.ok) noteEnd(this.#actor, request.value, answer)
    if (!answer.ok) return
    const before = this.#newest.get(member.id)
    const newest = textIn(answer.value.rows[0], 'last_seen')
    this.#newest.set(member.id, newest === '' ? (before ?? '') : newest)
    // What was in the log before the manager read it for the first time is no news.
    if (before === undefined) return
    const leastSeconds = this.#actor.state.settings['monitoring-long-query-time'] / SECOND
    const fresh = answer.value.rows.filter(
      (row) => textIn(row, 'last_seen') > before && Number(row.seconds) >= leastSeconds,
    )
    this.#report(
      member,
      fresh.map((row) => ({
        ...{ kind: 'slow-log', id: 0, user: '' },
        ...{ seconds: Number(row.seconds), statement: textIn(row, 'statement') },
      })),
    )
  }

  #report(server: ServerSnapshot, found: readonly Found[]): void {
    const { state, init, scripts } = this.#actor
    for (const one of found.slice(0, MOST_LOGGED))
      this.#actor.tell('noted', { level: 'WARN', text: textOf(server, one) })
    if (found.length > MOST_LOGGED) {
      const text = `${found.length - MOST_LOGGED} more on ${server.name} are as long`
      this.#actor.tell('noted', { level: 'WARN', text })
    }
    if (!mayNotify(state)) return
    const script = state.settings['monitoring-long-query-script']
    for (const one of found) scripts.add(longCall(script, { cluster: init.name, address: server, ...one }))
  }
}

/** When a reading ended, and how long it took. */
type ReadTime = Pick<SlowReading, 'at' | 'tookMs'>

/** Between these moments it began. */
interface Begun {
  readonly from: number
  readonly until: number
}

/** Seconds are whole ones, and were counted at some moment of the reading, which takes seconds on a busy machine. */
const begunOf = ({ seconds }: LongSession, { at, tookMs }: ReadTime): Begun => ({
  from: at - tookMs - (seconds + 1) * SECOND,
  until: at - seconds * SECOND,
})

/** A session with what it does; one that does the same again has begun at another time. */
const identityOf = (kind: string, { id, statement }: LongSession): string =>
  `${id} ${kind === 'transaction' ? '' : statement}`

const texts: Readonly<Record<Found['kind'], string>> = {
  statement: 'Long statement on',
  transaction: 'Long transaction on',
  'slow-log': 'Long statement in the slow log of',
}

function textOf({ name }: ServerSnapshot, { kind, id, user, seconds, statement }: Found): string {
  const who = id === 0 ? '' : ` by ${user} (connection ${id})`
  const what = statement === '' ? 'no statement is running' : statement.replace(/\s+/g, ' ').slice(0, LONGEST_TEXT)
  return `${texts[kind]} ${name}${who}, ${Math.floor(seconds)} s: ${what}`
}

const textIn = (row: Rows[number] | undefined, column: string): string => {
  const value = row?.[column]
  return value instanceof Date ? value.toISOString() : String(value ?? '')
}
