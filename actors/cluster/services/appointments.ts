// Carries out the scheduled switchover: waits for its time, draws up the plan again, asks for the switchover, records its end.
import { ok, type Result } from '../../../lib/base/result.js'
import { MINUTE } from '../../../lib/base/time.js'
import {
  judgeAppointment,
  makeAppointment,
  nextLook,
  settleAppointment,
} from '../../../lib/decide/upkeep/appointment.js'
import { type Appointment, isOpen } from '../../../lib/model/operation/appointment.js'
import type { Preview } from '../../../lib/model/operation/preview.js'
import { findServer } from '../../../lib/model/snapshot.js'
import { writeAppointment } from '../../../lib/store/index.js'
import type { ClusterProtocol } from '../../protocol/cluster.js'
import type { Cluster } from '../state/message/cluster.js'
import type { Permits } from './permits.js'

/** A running cluster whose primary can be changed. */
export interface Switching extends Cluster {
  readonly permits: Pick<Permits, 'ask'>
  planSwitchover(request: ClusterProtocol['plan-switchover']['in']): Promise<Result<Preview>>
  switchover(request: ClusterProtocol['switchover']['in']): Promise<Result<unknown>>
}

/** A clock that is set, or a machine that slept, is noticed within this time. */
const LONGEST_SLEEP_MS = MINUTE

export class Appointments {
  readonly #actor: Switching
  readonly #clock: () => number
  #timer: NodeJS.Timeout | undefined
  #lookAt = 0

  /** `clock` is that of the wall: people name moments by it. */
  constructor(actor: Switching, clock: () => number = Date.now) {
    this.#actor = actor
    this.#clock = clock
    actor.context.signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true })
  }

  /** Goes on with what was scheduled before a restart; called when the servers were probed and the journal is settled. */
  async resume(): Promise<void> {
    const { appointment, memory } = this.#actor.state
    if (appointment?.phase === 'running')
      await this.#keep(settleAppointment(appointment, { primary: memory.primary, now: this.#clock() }))
    this.#sleep()
  }

  /** Failures: those of `makeAppointment`; `file-unwritable`: it would not survive a restart, and is not scheduled. */
  async schedule(wish: ClusterProtocol['schedule-switchover']['in']): Promise<Result<Appointment>> {
    const made = makeAppointment(wish, { known: this.#actor.state.appointment, now: this.#clock() })
    if (!made.ok) return made
    const planned = await this.#planned(made.value)
    // Another one may have been scheduled while the plan was drawn up.
    const again = makeAppointment(wish, { known: this.#actor.state.appointment, now: this.#clock() })
    if (!again.ok) return again
    const written = await this.#keep(planned)
    if (!written.ok) return written
    this.#sleep()
    return ok(planned)
  }

  /** Takes back what waits; dismisses what failed or was missed. Undefined when there is neither. */
  async cancel({ user }: ClusterProtocol['cancel-switchover']['in']): Promise<Result<Appointment | undefined>> {
    const { appointment } = this.#actor.state
    if (!appointment || appointment.phase === 'cancelled' || appointment.phase === 'succeeded') return ok(undefined)
    const cancelled: Appointment = { ...appointment, phase: 'cancelled', cancelledBy: user, endedAt: this.#clock() }
    const written = await this.#keep(cancelled)
    return written.ok ? ok(cancelled) : written
  }

  #sleep(): void {
    clearTimeout(this.#timer)
    const { appointment } = this.#actor.state
    const now = this.#clock()
    const next = appointment && nextLook(appointment, now)
    if (next === undefined || this.#actor.context.signal.aborted) return
    this.#lookAt = next
    this.#timer = setTimeout(() => void this.#wake(), Math.min(Math.max(next - now, 1), LONGEST_SLEEP_MS))
  }

  async #wake(): Promise<void> {
    const { appointment } = this.#actor.state
    const now = this.#clock()
    if (appointment && now >= this.#lookAt) {
      const due = judgeAppointment(appointment, now)
      if (due === 'announce') await this.#announce(appointment)
      if (due === 'begin') await this.#begin(appointment)
      if (due === 'miss')
        await this.#keep({ ...appointment, phase: 'missed', endedAt: now, message: missedText(appointment) })
    }
    this.#sleep()
  }

  /** With the plan as it is now: what is shown before it runs is what runs. */
  async #planned(appointment: Appointment): Promise<Appointment> {
    const { candidate } = appointment
    const plan = await this.#actor.planSwitchover(candidate === undefined ? {} : { candidate })
    return plan.ok ? { ...appointment, plan: plan.value } : appointment
  }

  async #announce(waiting: Appointment): Promise<void> {
    const planned = await this.#planned(waiting)
    if (await this.#isPermitted(planned)) await this.#keep({ ...planned, announced: true })
  }

  /** It may be cancelled, or replaced, while its plan is drawn up. */
  #isOpen({ id }: Appointment): boolean {
    const { appointment } = this.#actor.state
    return appointment?.id === id && isOpen(appointment)
  }

  /** The user that asked for it may be gone, or may not have it any more: then it is cancelled. Without an answer it is tried again. */
  async #isPermitted(waiting: Appointment): Promise<boolean> {
    const permit = await this.#actor.permits.ask(waiting.asker)
    if (!this.#isOpen(waiting)) return false
    if (permit.type === 'unanswered')
      await this.#refused(waiting, `nothing answers whether ${waiting.owner} may have it`)
    if (permit.type !== 'refused') return permit.type === 'granted'
    const { reason } = permit
    const ended = { ...waiting, phase: 'cancelled', endedAt: this.#clock(), message: reason } as const
    const written = await this.#keep(ended)
    if (written.ok) this.#actor.tell('note-revoked', { work: waiting.id, reason })
    return false
  }

  async #begin(waiting: Appointment): Promise<void> {
    const planned = await this.#planned(waiting)
    if (!(await this.#isPermitted(planned))) return
    // What was not checked in time is checked by the switchover itself.
    if (planned.plan?.possible === false && planned.plan.unchecked === undefined)
      return this.#refused(planned, planned.plan.refusal ?? 'no reason given')
    const { primary } = this.#actor.state.snapshot
    const running: Appointment = { ...planned, phase: 'running', ...(primary === undefined ? {} : { primary }) }
    const written = await this.#keep(running)
    if (!written.ok) return this.#refused(planned, written.failure.message)
    const { owner: user, candidate } = waiting
    const moved = await this.#actor.switchover({ user, wait: true, ...(candidate === undefined ? {} : { candidate }) })
    if (this.#actor.context.signal.aborted) return
    const endedAt = this.#clock()
    const { snapshot } = this.#actor.state
    const name = findServer(snapshot, snapshot.primary)?.name ?? 'no server'
    if (moved.ok) await this.#keep({ ...running, phase: 'succeeded', endedAt, message: `${name} is the primary` })
    else if (snapshot.primary === primary && endedAt <= waiting.until)
      await this.#refused({ ...planned, phase: 'waiting' }, moved.failure.message)
    else await this.#keep({ ...running, phase: 'failed', endedAt, message: moved.failure.message })
  }

  /** It is tried again until its window ends. */
  async #refused(appointment: Appointment, message: string): Promise<void> {
    if (message !== this.#actor.state.appointment?.message || this.#actor.state.appointment.phase !== appointment.phase)
      await this.#keep({ ...appointment, message })
  }

  /** On disk first: what is not recorded is not begun. */
  async #keep(appointment: Appointment): Promise<Result<void>> {
    const known = this.#actor.state.appointment
    // Cancelled, or replaced, while it was being worked on.
    if (known?.id === appointment.id && !isOpen(known) && isOpen(appointment)) return ok(undefined)
    const written = await writeAppointment(this.#actor.init.directory, appointment)
    if (written.ok) this.#actor.decide('keep-appointment', { appointment })
    else this.#actor.tell('noted', { level: 'ERROR', text: written.failure.message })
    return written
  }
}

const missedText = ({ message }: Appointment): string =>
  message === undefined
    ? 'the manager did not run, or was busy, at its time'
    : `it was refused until its window ended: ${message}`
