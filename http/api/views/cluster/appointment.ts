// A scheduled switchover as clients read it: servers by name, moments as ISO texts.
import { isoTime } from '../../../../lib/base/time.js'
import type { Appointment } from '../../../../lib/model/operation/appointment.js'
import type { Named } from './roll.js'

export function renderAppointment(appointment: Appointment, members: readonly Named[]) {
  const { id, owner, phase, askedAt, from, until, candidate, plan, message, cancelledBy, endedAt } = appointment
  const name = members.find((member) => member.id === candidate)?.name ?? candidate
  return {
    ...{ id, owner, phase, askedAt: isoTime(askedAt), from: isoTime(from), until: isoTime(until) },
    ...(name === undefined ? {} : { candidate: name }),
    ...(message === undefined ? {} : { message }),
    ...(cancelledBy === undefined ? {} : { cancelledBy }),
    ...(endedAt === undefined ? {} : { endedAt: isoTime(endedAt) }),
    ...(plan === undefined ? {} : { plan }),
  }
}
