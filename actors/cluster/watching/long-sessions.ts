// Long statements and transactions: each is logged once and given once to the operator's script, wherever it was found.
import { now, SECOND } from '../../../lib/base/time.js'
import type { Rows } from '../../../lib/dialect/index.js'
import type { SlowReading } from '../../../lib/model/server/reading.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { LongSession } from '../../../lib/model/server/watched.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import { type LongNotice, longCall } from '../../../lib/notify/index.js'
import { readRequest } from '../handlers/read-request.js'
import { noteEnd, type Reading, readNow } from '../requests/reads.js'
import { isObserved } from '../state/observed.js'
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
  readonly #reported = new Map<string, ReadonlySet<string>>()
  /** By server: the newest entry of its slow log that was seen. */
  readonly #newest = new Map<ServerId, string>()
  #readAt = 0

  constructor(actor: Noticing & Reading) {
    this.#actor = actor
  }

  /** Reports what a slow probe found and the one before did not. */
  note({ server: id, at, longStatements = [], openTransactions = [] }: SlowReading): void {
    const server = findServer(this.#actor.state.snapshot, id)
    if (!server) return
    this.#fresh(server, 'statement', { sessions: longStatements, at })
    this.#fresh(server, 'transaction', { sessions: openTransactions, at })
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
    { sessions, at }: { readonly sessions: readonly LongSession[]; readonly at: number },
  ): void {
    const key = `${server.id} ${kind}`
    const before = this.#reported.get(key)
    if (sessions.length === 0 && before === undefined) return
    const known = sessions.map((session) => [identityOf(kind, session, at), session] as const)
    this.#reported.set(key, new Set(known.map(([identity]) => identity)))
    // Seconds are whole ones: the beginning that is worked out from them may be one earlier or later.
    const isKnown = (identity: string) => before?.has(identity) ?? false
    const fresh = known.filter(
      ([identity, session]) =>
        !isKnown(identity) &&
        !isKnown(identityOf(kind, session, at - SECOND)) &&
        !isKnown(identityOf(kind, session, at + SECOND)),
    )
    this.#report(
      server,
      fresh.map(([, session]) => ({ kind, ...session })),
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
    if (isObserved(state)) return
    const script = state.settings['monitoring-long-query-script']
    for (const one of found) scripts.add(longCall(script, { cluster: init.name, address: server, ...one }))
  }
}

/** A session with what it began, and when. */
const identityOf = (kind: string, { id, seconds, statement }: LongSession, at: number): string =>
  `${id} ${Math.round(at / SECOND - seconds)} ${kind === 'transaction' ? '' : statement}`

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
