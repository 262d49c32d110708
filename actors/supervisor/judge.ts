// Faults and the ends of threads: records them, decides what happens to each actor, and carries it out.
import { now } from '../../lib/base/time.js'
import type { ThreadEnd } from '../kernel/thread.js'
import type { Fault } from '../kernel/wire.js'
import type { Child } from './child.js'
import type { CrashCause, CrashRecord } from './crash-record.js'
import { judgeOffender, type Offence, type Sentence, splitSuspects } from './quarantine.js'
import type { Seat } from './seat.js'
import type { Seats } from './seats.js'

export interface Charge {
  readonly cause: CrashCause
  readonly fault: Fault
  readonly thread: string
}

/** A life that ended with its thread. */
export interface Victim {
  readonly child: Child
  readonly generation: number
}

export interface JudgeOptions {
  readonly seats: Seats
  readonly onCrash: (record: CrashRecord) => void
  readonly onQuarantine: (id: string, reason: string) => void
  /** The actor's work is done; it is not to be started again. */
  readonly onForget: (id: string) => void
}

export class Judge {
  readonly #options: JudgeOptions

  constructor(options: JudgeOptions) {
    this.#options = options
  }

  /** One actor failed. */
  fault(child: Child, { cause, fault, thread }: Charge): void {
    const at = now()
    const offence: Offence = { at, clean: false, reason: fault.reason, tookThread: cause === 'thread-ended' }
    const { offences, alone } = child.standing
    const recent = [...offences, offence].filter((past) => at - past.at < child.spec.periodMs)
    const sitsAlone = !child.seat.shared && child.seat.actors === 1
    child.standing = { offences: recent, alone: alone || sitsAlone }
    const sentence = judgeOffender(child.spec, child.standing)
    const { id, kind, generation } = child
    this.#options.onCrash({ at, thread, actor: id, kind, generation, cause, ...fault, ...consequence(sentence) })
    this.#carryOut(child, sentence)
  }

  /** A thread ended: the actor that caused it, where known, is judged; the others continue as soon as there is a thread. */
  threadEnd(seat: Seat, end: ThreadEnd, victims: readonly Victim[]): void {
    const { offender: guilty, reason } = end
    const named = victims.find(({ generation }) => generation === guilty)
    const offender = named ?? (guilty === 0 && victims.length === 1 ? victims[0] : undefined)
    if (offender) this.fault(offender.child, { cause: 'thread-ended', fault: { reason }, thread: seat.name })
    else this.#unsolved(seat, end, victims)
    for (const { child, generation } of victims) {
      if (child !== offender?.child && child.generation === generation) child.rest(0)
    }
  }

  #unsolved(seat: Seat, { reason, offender }: ThreadEnd, victims: readonly Victim[]): void {
    const at = now()
    const suspects = victims.map(({ child }) => child)
    if (offender === 0) seat.deaths = [...seat.deaths, at].slice(-10)
    const periodMs = suspects[0]?.spec.periodMs ?? 0
    const moving = splitSuspects(suspects, seat.deaths, periodMs)
    const apart = moving.length > 0 ? this.#options.seats.own() : undefined
    if (apart) {
      apart.deaths = seat.deaths
      for (const child of moving) child.move(apart)
    }
    const consequence = apart ? 'isolate' : 'restart'
    this.#options.onCrash({ at, thread: seat.name, cause: 'thread-ended', reason, consequence })
  }

  #carryOut(child: Child, sentence: Sentence): void {
    switch (sentence.type) {
      case 'forget':
        this.#options.onForget(child.id)
        break
      case 'quarantine':
        this.#lockUp(child, sentence.reason)
        break
      case 'isolate':
        this.#isolate(child)
        child.rest(sentence.delayMs)
        break
      case 'restart':
        child.rest(sentence.delayMs)
        break
    }
  }

  /** Where no further thread is available it stays, and is stopped at its next faults all the same. */
  #isolate(child: Child): void {
    child.standing = { offences: [], alone: true }
    const own = this.#options.seats.own()
    if (own) child.move(own)
  }

  #lockUp(child: Child, reason: string): void {
    const { seats } = this.#options
    const { seat } = child
    child.quarantine(reason)
    this.#options.onQuarantine(child.id, reason)
    if (seat.shared) return
    child.move(seats.place())
    void seats.tidy(seat)
  }
}

function consequence(sentence: Sentence): Pick<CrashRecord, 'consequence' | 'delayMs'> {
  switch (sentence.type) {
    case 'forget':
      return { consequence: 'none' }
    case 'quarantine':
      return { consequence: 'quarantine' }
    default:
      return { consequence: sentence.type, delayMs: sentence.delayMs }
  }
}
