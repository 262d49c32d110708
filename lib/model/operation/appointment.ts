// A switchover at a moment or in a window: who asked for it, when it may begin, and what became of it. Plain data.
import type { Asker } from '../../access/index.js'
import type { ServerId } from '../server/server.js'
import type { Preview } from './preview.js'

export const appointmentPhases = ['waiting', 'running', 'succeeded', 'failed', 'missed', 'cancelled'] as const

export type AppointmentPhase = (typeof appointmentPhases)[number]

/** The latest scheduled switchover of a cluster; times in milliseconds since the epoch, by the clock of the wall. */
export interface Appointment {
  /** `scheduled-switchover-20261121T074012345`. */
  readonly id: string
  readonly owner: string
  /** Absent: asked for by an older version, which did not keep it. */
  readonly asker?: Asker
  readonly askedAt: number
  /** The server that is to become the primary; without one the manager elects it when the time comes. */
  readonly candidate?: ServerId
  /** It does not begin before. */
  readonly from: number
  /** It does not begin after: until then it is tried again while it is refused. */
  readonly until: number
  readonly phase: AppointmentPhase
  /** The primary when it began. */
  readonly primary?: ServerId
  /** The plan as it was last drawn up: when it was asked for, ahead of its time, and before it began. */
  readonly plan?: Preview
  readonly announced?: true
  /** Why it was refused, failed or missed, or what it came to. */
  readonly message?: string
  readonly cancelledBy?: string
  readonly endedAt?: number
}

/** It will begin, or is under way. */
export const isOpen = (
  appointment: Appointment | undefined,
): appointment is Appointment & { readonly phase: 'waiting' | 'running' } =>
  appointment?.phase === 'waiting' || appointment?.phase === 'running'
