// What happens to an actor that failed: restarted in place, then on a separate thread, then stopped. Pure.
import { type ChildSpec, type Exit, judgeExit } from '../kernel/restart.js'

export interface Offence extends Exit {
  /** It ended its thread, and so its neighbours. */
  readonly tookThread: boolean
}

export type Sentence =
  | { readonly type: 'forget' }
  | { readonly type: 'restart'; readonly delayMs: number }
  /** Restart on a separate thread, with a clean record. */
  | { readonly type: 'isolate'; readonly delayMs: number }
  | { readonly type: 'quarantine'; readonly reason: string }

/** An actor that ends its thread this often within the period is isolated. */
const MOST_THREADS_TAKEN = 1

export interface Standing {
  /** Newest last; emptied by isolation. */
  readonly offences: readonly Offence[]
  /** It has a separate thread already, or none is available. */
  readonly alone: boolean
}

export function judgeOffender(spec: ChildSpec, { offences, alone }: Standing): Sentence {
  const verdict = judgeExit(spec, offences)
  if (alone || verdict.type === 'forget') return verdict
  if (verdict.type === 'quarantine') return { type: 'isolate', delayMs: spec.backoffMs }

  const at = offences.at(-1)?.at ?? 0
  const taken = offences.filter((offence) => offence.tookThread && at - offence.at < spec.periodMs).length
  return taken > MOST_THREADS_TAKEN ? { type: 'isolate', delayMs: verdict.delayMs } : verdict
}

/**
 * A thread ended for an unknown reason. Once is ignored; from the second time on (`deaths` holds the times,
 * newest last, that any of the actors has lived through) half of them move, until the offender sits alone and has a name.
 */
export function splitSuspects<T>(suspects: readonly T[], deaths: readonly number[], periodMs: number): readonly T[] {
  const last = deaths.at(-1) ?? 0
  const recent = deaths.filter((at) => last - at < periodMs).length
  return recent < 2 ? [] : suspects.slice(Math.ceil(suspects.length / 2))
}
