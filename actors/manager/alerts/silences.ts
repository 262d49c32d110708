// Silences that users have set: kept over restarts, dropped when they have ended.
import { randomBytes } from 'node:crypto'
import { type Holder, judgeShare, SERVICE, type Share, sharedBounds } from '../../../lib/access/bound/index.js'
import { keepFairly } from '../../../lib/access/bound/keep-fairly.js'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { DAY, now } from '../../../lib/base/time.js'
import type { AlertSilence } from '../../../lib/model/alert.js'
import { readSilences, writeSilences } from '../../../lib/store/index.js'
import type { SilenceRequest } from '../../protocol/manager/alerts.js'

/** Ended silences are shown for so long, and at most so many: the oldest of the clusters with most are dropped first. */
const SHOWN_MS = 7 * DAY
export const ENDED_SHOWN = 500
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

  /** Those that have not ended are bounded: by cluster, by user, and in all. */
  add(request: SilenceRequest, holder: Holder): Promise<Result<AlertSilence>> {
    return this.#change((all) => {
      const at = Math.round(now())
      const { startsAt = at } = request
      if (request.endsAt <= Math.max(at, startsAt))
        return fail('wrong-value', 'until: the silence would end before it begins, or has ended already')
      if (request.endsAt - startsAt > LONGEST_MS) return fail('wrong-value', 'until: at most a year after its begin')
      const open = all.filter(({ endsAt }) => endsAt > at)
      const share = judgeShare(sharedBounds.silences, open.map(shareOf), holder)
      if (!share.ok) return share
      const counted = share.value.cluster === request.cluster ? {} : { countsFor: share.value.cluster }
      const silence = { ...request, ...counted, startsAt, createdAt: at, id: randomBytes(6).toString('hex') }
      return ok([[...shown(all, at), silence], silence])
    })
  }

  /** Ends it now. `unknown-silence` unless it is one of that cluster ('' for all clusters) that has not ended. */
  drop(cluster: string, id: string): Promise<Result<AlertSilence>> {
    return this.#change((all) => {
      const at = Math.round(now())
      const silence = all.find((each) => each.id === id && each.cluster === cluster && each.endsAt > at)
      if (!silence) return fail('unknown-silence', `no silence ${id} that has not ended`)
      const ended = { ...silence, startsAt: Math.min(silence.startsAt, at), endsAt: at }
      return ok([
        shown(
          all.map((each) => (each === silence ? ended : each)),
          at,
        ),
        ended,
      ])
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

/** Of one that an earlier version set, the cluster is known, and that only administrators silence all clusters. */
const shareOf = ({ cluster, countsFor = cluster === '' ? SERVICE : cluster, owner }: AlertSilence): Share => ({
  cluster: countsFor,
  user: owner,
})

/** Without the ended ones that are shown no longer. */
function shown(all: readonly AlertSilence[], at: number): readonly AlertSilence[] {
  const ended = all.filter(({ endsAt }) => endsAt <= at && at - endsAt < SHOWN_MS)
  const kept = new Set(keepFairly(ended, ENDED_SHOWN, ({ cluster }) => cluster))
  return all.filter((silence) => silence.endsAt > at || kept.has(silence))
}
