// Silences that users have set: kept over restarts, dropped when they have ended.
import { randomBytes } from 'node:crypto'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { DAY, now } from '../../../lib/base/time.js'
import type { AlertSilence } from '../../../lib/model/alert.js'
import { readSilences, writeSilences } from '../../../lib/store/index.js'
import type { SilenceRequest } from '../../protocol/manager/alerts.js'

/** Ended silences are shown for so long. */
const SHOWN_MS = 7 * DAY
const MOST = 500
const LONGEST_MS = 366 * DAY

export class Silences {
  readonly #directory: string
  readonly #log: WriteLog
  #all: readonly AlertSilence[] = []
  /** One change after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(directory: string, log: WriteLog) {
    this.#directory = directory
    this.#log = log
  }

  async open(): Promise<void> {
    const { value = [], damage } = await readSilences(this.#directory)
    for (const problem of damage) this.#log('warn', 'alert-unreadable', { problem })
    this.#all = value
  }

  /** Those of the cluster and of all clusters; '' for the latter only. Ended ones of the last days among them. */
  list(cluster: string): readonly AlertSilence[] {
    return this.#all.filter((silence) => silence.cluster === '' || silence.cluster === cluster)
  }

  /** All that may hold now or later. */
  all(): readonly AlertSilence[] {
    return this.#all
  }

  add(request: SilenceRequest): Promise<Result<AlertSilence>> {
    return this.#change((all) => {
      const at = Math.round(now())
      const { startsAt = at } = request
      if (request.endsAt <= Math.max(at, startsAt))
        return fail('wrong-value', 'until: the silence would end before it begins, or has ended already')
      if (request.endsAt - startsAt > LONGEST_MS) return fail('wrong-value', 'until: at most a year after its begin')
      const kept = all.filter(({ endsAt }) => at - endsAt < SHOWN_MS)
      if (kept.length >= MOST) return fail('wrong-value', `there are ${MOST} silences already`)
      const silence = { ...request, startsAt, createdAt: at, id: randomBytes(6).toString('hex') }
      return ok([[...kept, silence], silence])
    })
  }

  /** Ends it now. `unknown-silence` unless it is one of that cluster ('' for all clusters) that has not ended. */
  drop(cluster: string, id: string): Promise<Result<AlertSilence>> {
    return this.#change((all) => {
      const at = Math.round(now())
      const silence = all.find((each) => each.id === id && each.cluster === cluster && each.endsAt > at)
      if (!silence) return fail('unknown-silence', `no silence ${id} that has not ended`)
      const ended = { ...silence, startsAt: Math.min(silence.startsAt, at), endsAt: at }
      return ok([all.map((each) => (each === silence ? ended : each)), ended])
    })
  }

  /** In force once it is on disk. */
  #change(
    make: (all: readonly AlertSilence[]) => Result<readonly [readonly AlertSilence[], AlertSilence]>,
  ): Promise<Result<AlertSilence>> {
    const turn = this.#turn.then(async (): Promise<Result<AlertSilence>> => {
      const made = make(this.#all)
      if (!made.ok) return made
      const [all, silence] = made.value
      const written = await writeSilences(this.#directory, all)
      if (!written.ok) return written
      this.#all = all
      return ok(silence)
    })
    this.#turn = turn
    return turn
  }
}
