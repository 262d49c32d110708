// When a scheduled switchover begins, is announced or is missed. Pure: `now` is the clock of the wall.
import type { Asker } from '../../access/index.js'
import { fail, ok, type Result } from '../../base/result.js'
import { DAY, isoTime, MINUTE, SECOND } from '../../base/time.js'
import { type Appointment, isOpen } from '../../model/operation/appointment.js'
import type { Preview } from '../../model/operation/preview.js'
import type { ServerId } from '../../model/server/server.js'

export interface AppointmentWish {
  readonly user: string
  readonly asker?: Asker | undefined
  readonly candidate?: ServerId
  readonly from: number
  /** Absent: it begins at `from` or not at all. */
  readonly until?: number
}

/** One without a window may begin this much late: the manager was restarted, another operation ran. */
export const LATE_MS = MINUTE
/** Its plan is logged so long before it begins. */
export const ANNOUNCED_MS = 5 * MINUTE
/** While it is refused it is tried again after so long. */
export const RETRY_MS = 10 * SECOND
/** No further ahead: nobody remembers it. */
const FARTHEST_MS = 90 * DAY

/** Failures: `bad-request` (a moment that makes no sense), `operation-running` (one is scheduled already). */
export function makeAppointment(
  wish: AppointmentWish,
  { known, now }: { readonly known: Appointment | undefined; readonly now: number },
): Result<Appointment> {
  const { user, asker, candidate, from, until = from + LATE_MS } = wish
  if (isOpen(known))
    return fail(
      'operation-running',
      `${known.id} by ${known.owner} is ${known.phase}, from ${isoTime(known.from)}: cancel it first`,
    )
  // Where no end was given, the moment that was.
  const given = wish.until ?? from
  if (until <= now) return fail('bad-request', `${isoTime(given)} has passed; it is ${isoTime(now)}`)
  if (until < from)
    return fail('bad-request', `the window ends (${isoTime(until)}) before it begins (${isoTime(from)})`)
  if (from - now > FARTHEST_MS)
    return fail('bad-request', `${isoTime(from)} is more than ${FARTHEST_MS / DAY} days ahead`)
  return ok({
    id: `scheduled-switchover-${isoTime(now).replace(/[-:.Z]/g, '')}`,
    ...{ owner: user, askedAt: now, from, until, phase: 'waiting' },
    ...(asker ? { asker } : {}),
    ...(candidate === undefined ? {} : { candidate }),
  })
}

/** What is to be done about it now. */
export type Due = 'nothing' | 'announce' | 'begin' | 'miss'

export function judgeAppointment({ phase, from, until, announced }: Appointment, now: number): Due {
  if (phase !== 'waiting') return 'nothing'
  if (now > until) return 'miss'
  if (now >= from) return 'begin'
  return !announced && now >= from - ANNOUNCED_MS ? 'announce' : 'nothing'
}

/** When it is to be judged next; undefined when it has ended. */
export function nextLook(appointment: Appointment, now: number): number | undefined {
  const { phase, from, until, announced } = appointment
  if (phase !== 'waiting') return undefined
  if (now >= from) return Math.min(now + RETRY_MS, Math.max(until, now) + 1)
  return announced || now >= from - ANNOUNCED_MS ? from : from - ANNOUNCED_MS
}

/** A plan in a few lines, for the log. */
export function planText({ possible, unchecked, refusal, steps, risks, expectedBlockedMs }: Preview): string {
  if (!possible && unchecked === undefined) return `it would be refused now: ${refusal ?? 'no reason given'}`
  const blocked =
    expectedBlockedMs === undefined ? [] : [`writes blocked for about ${Math.round(expectedBlockedMs)} ms`]
  return [
    ...steps.map(({ text }, index) => `${index + 1}. ${text}`),
    ...blocked,
    ...(unchecked === undefined ? [] : [`not checked: ${unchecked}`]),
    ...risks.map((risk) => `risk: ${risk}`),
  ].join('; ')
}

/** One that a manager was killed under: the journal has finished or undone the operation, and the primary shows which. */
export const settleAppointment = (
  appointment: Appointment,
  { primary, now }: { readonly primary: ServerId | undefined; readonly now: number },
): Appointment =>
  appointment.primary !== undefined && primary !== appointment.primary
    ? { ...appointment, phase: 'succeeded', endedAt: now, message: 'finished after a restart of the manager' }
    : {
        ...appointment,
        phase: 'failed',
        endedAt: now,
        message: 'the manager was restarted while it ran, and it was undone',
      }
