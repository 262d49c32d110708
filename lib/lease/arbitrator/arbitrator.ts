// The arbitrator's memory: who may act on each cluster of each fleet, with terms that outlive a restart.
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { fail, ok, type Result } from '../../base/result.js'
import { steadyNow } from '../../base/time.js'
import { readState, type StateFormat, writeState } from '../../store/kit/state-file.js'
import { type Contest, decideRelease, decideRuling, noContest, type Ruling } from './decide.js'
import type { ArbitratorReply, ArbitratorRequest } from './message.js'

/** Sessions whose latest sequence is known: one of a fleet each time that a manager starts. */
const MOST_SESSIONS = 10_000
/** Clusters of all fleets. */
const MOST_CONTESTS = 100_000

const recordSchema = z.record(
  z.string(),
  z.object({
    term: z.number().int().min(0),
    leaseMs: z.number().min(0),
    session: z.string().optional(),
    uid: z.number().optional(),
  }),
)

/** Of each cluster its latest term, and who has it. */
type Records = z.infer<typeof recordSchema>

const format: StateFormat<Records> = {
  version: 1,
  accept: (value) => {
    const parsed = recordSchema.safeParse(value)
    return parsed.success ? parsed.data : undefined
  },
}

export interface ArbitratorParts {
  /** Its file. */
  readonly file: string
  readonly leaseMs: number
  /** The steady clock; another one in specs. */
  readonly clock?: () => number
}

export class Arbitrator {
  readonly #parts: ArbitratorParts
  readonly #challenge = randomBytes(16).toString('hex')
  readonly #clock: () => number
  /** Before then a grant of an earlier process, of which the file knows nothing, may be in force. */
  readonly #quietUntil: number
  readonly #contests = new Map<string, Contest>()
  readonly #sequences = new Map<string, number>()
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(parts: ArbitratorParts, records: Records) {
    this.#parts = parts
    this.#clock = parts.clock ?? steadyNow
    const startedAt = this.#clock()
    this.#quietUntil = startedAt + parts.leaseMs
    for (const [key, { term, leaseMs, session, uid }] of Object.entries(records)) {
      // How much of it was left is not known any more: it counts from the start again.
      const until = startedAt + Math.max(leaseMs, parts.leaseMs)
      const grant = session === undefined ? {} : { grant: { session, uid: uid ?? 0, until } }
      this.#contests.set(key, { term, candidates: [], ...grant })
    }
  }

  /** Failure: `file-unreadable`. A damaged file is refused: without the terms an earlier winner could act again. */
  static async open(parts: ArbitratorParts): Promise<Result<Arbitrator>> {
    const { value = {}, damage } = await readState(parts.file, format)
    const [problem] = damage
    if (problem !== undefined) return fail('file-unreadable', problem)
    return ok(new Arbitrator(parts, value))
  }

  /** Failures: `bad-request` for a repeated request; `file-unwritable`, and nothing is granted. */
  receive(fleet: string, request: ArbitratorRequest): Promise<Result<ArbitratorReply>> {
    const turn = this.#turn.then(() => this.#receiveNow(fleet, request))
    // One that ends by an error of the program must not end all that follow.
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #receiveNow(fleet: string, request: ArbitratorRequest): Promise<Result<ArbitratorReply>> {
    const { session, uid, sequence, reports, releases } = request
    if (request.challenge !== this.#challenge) return ok({ challenge: this.#challenge })
    const sender = `${fleet} ${session}`
    if (sequence <= (this.#sequences.get(sender) ?? 0)) return fail('bad-request', 'the request was sent before')
    this.#noteSequence(sender, sequence)
    const now = this.#clock()
    const next = new Map<string, Contest>()
    const at = (cluster: string): Contest =>
      next.get(keyOf(fleet, cluster)) ?? this.#contests.get(keyOf(fleet, cluster)) ?? noContest
    for (const { cluster, term } of releases) next.set(keyOf(fleet, cluster), decideRelease(at(cluster), session, term))
    const rulings = reports.map(({ cluster, ...sight }): { cluster: string; ruling: Ruling } => {
      const contest = at(cluster)
      const moment = { now, quietUntil: this.#quietUntil, leaseMs: this.#parts.leaseMs }
      const ruled = decideRuling(contest, { ...sight, session, uid }, moment)
      next.set(keyOf(fleet, cluster), ruled.contest)
      return { cluster, ruling: ruled.ruling }
    })
    const kept = await this.#keep(next)
    return kept.ok ? ok({ challenge: this.#challenge, rulings }) : kept
  }

  /** Terms and who has them, on disk before the reply leaves; not when each ends. */
  async #keep(next: ReadonlyMap<string, Contest>): Promise<Result<void>> {
    const isOther = [...next].some(([key, { term, grant }]) => {
      const before = this.#contests.get(key)
      return term !== (before?.term ?? 0) || grant?.session !== before?.grant?.session
    })
    const all = new Map([...this.#contests, ...next])
    if (all.size > MOST_CONTESTS) return fail('bad-request', `more than ${MOST_CONTESTS} clusters`)
    if (isOther) {
      const written = await writeState(this.#parts.file, format, this.#records(all))
      if (!written.ok) return written
    }
    for (const [key, contest] of next) this.#contests.set(key, contest)
    return ok(undefined)
  }

  #records(contests: ReadonlyMap<string, Contest>): Records {
    const { leaseMs } = this.#parts
    return Object.fromEntries(
      [...contests]
        .filter(([, { term }]) => term > 0)
        .map(([key, { term, grant }]) => [
          key,
          { term, leaseMs, ...(grant ? { session: grant.session, uid: grant.uid } : {}) },
        ]),
    )
  }

  #noteSequence(sender: string, sequence: number): void {
    this.#sequences.delete(sender)
    this.#sequences.set(sender, sequence)
    const [oldest] = this.#sequences.keys()
    if (this.#sequences.size > MOST_SESSIONS && oldest !== undefined) this.#sequences.delete(oldest)
  }
}

const keyOf = (fleet: string, cluster: string): string => `${fleet} ${cluster}`
