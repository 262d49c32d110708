// Handlers of the scheduled switchover: asked for, cancelled, changed. Pure; `services/appointments.ts` carries it out.
import { fail, ok } from '../../../../lib/base/result.js'
import { isoTime } from '../../../../lib/base/time.js'
import { planText } from '../../../../lib/decide/upkeep/appointment.js'
import { type Appointment, isOpen } from '../../../../lib/model/operation/appointment.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import type { ClusterState } from '../../state/state.js'
import type { EventDraft } from '../../state/step/changes.js'
import { emit } from '../../state/step/emit.js'
import { judge } from '../../state/step/evaluate.js'
import { answer, defer, type Handlers, refuse } from '../../state/step/outcome.js'

export const appointmentHandlers = {
  'schedule-switchover': (state, request, arrival) => {
    const { candidate } = request
    if (candidate !== undefined && !findServer(state.snapshot, candidate))
      return refuse(state, fail('unknown-server', `${state.name} has no server ${candidate}`))
    return defer(state, arrival, { type: 'schedule-switchover', ...request })
  },

  'cancel-switchover': (state, request, arrival) => {
    const { appointment } = state
    if (appointment?.phase === 'running')
      return refuse(state, fail('operation-running', `${appointment.id} is running already`))
    return defer(state, arrival, { type: 'cancel-switchover', ...request })
  },

  appointment: (state) => answer(state, state.appointment),

  'keep-appointment': (state, { appointment }, { now }) => {
    const judged = judge({ ...state, appointment }, now)
    const emitted = emit(judged.state, eventsOf(state.appointment, appointment, state), now)
    return {
      state: emitted.state,
      commands: [...judged.commands, ...emitted.commands, { type: 'publish' }],
      reply: ok(undefined),
    }
  },
} as const satisfies Partial<Handlers>

function eventsOf(known: Appointment | undefined, next: Appointment, state: ClusterState): readonly EventDraft[] {
  const before = known?.id === next.id ? known : undefined
  const to = findServer(state.snapshot, next.candidate)?.name
  const title = `Scheduled switchover${to === undefined ? '' : ` to ${to}`}`
  const plan = next.plan ? `; plan: ${planText(next.plan)}` : ''
  if (!before)
    return [
      draft(
        next,
        'INFO',
        `${title}: asked by ${next.owner}, begins at ${isoTime(next.from)}, no later than ${isoTime(next.until)}${plan}`,
      ),
    ]
  if (before.phase === 'waiting' && next.phase === 'running') return [draft(next, 'INFO', `${title} begins${plan}`)]
  if (isOpen(before) && !isOpen(next)) return [draft(next, levels[next.phase], `${title} ${endText(next)}`)]
  if (!before.announced && next.announced)
    return [draft(next, 'INFO', `${title} begins at ${isoTime(next.from)}${plan}`)]
  if (next.message !== undefined && next.message !== before.message)
    return [draft(next, 'WARN', `${title} is refused and tried again until ${isoTime(next.until)}: ${next.message}`)]
  return []
}

const levels: Readonly<Record<Appointment['phase'], 'INFO' | 'WARN' | 'ERROR'>> = {
  waiting: 'INFO',
  running: 'INFO',
  succeeded: 'INFO',
  failed: 'ERROR',
  missed: 'ERROR',
  cancelled: 'WARN',
}

function endText({ phase, message, cancelledBy }: Appointment): string {
  const why = message === undefined ? '' : `: ${message}`
  if (phase !== 'cancelled') return `${phase}${why}`
  return cancelledBy === undefined ? `was cancelled by the manager${why}` : `was cancelled by ${cancelledBy}`
}

const draft = (appointment: Appointment, level: EventDraft['level'], text: string): EventDraft => ({
  kind: 'scheduled',
  level,
  text,
  data: {
    id: appointment.id,
    phase: appointment.phase,
    owner: appointment.owner,
    from: Math.round(appointment.from),
    until: Math.round(appointment.until),
    message: appointment.message ?? null,
  },
})
