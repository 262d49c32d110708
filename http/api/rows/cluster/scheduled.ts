// The scheduled switchover of a cluster: asked for, shown, taken back.
import * as z from 'zod'
import { ok, type Result } from '../../../../lib/base/result.js'
import { now } from '../../../../lib/base/time.js'
import { type Appointment, appointmentPhases } from '../../../../lib/model/operation/appointment.js'
import { PLAN_WAIT, planWork } from '../../kit/plan/planned.js'
import { asked, noCluster, usual } from '../../kit/refusals.js'
import { type Context, route } from '../../kit/route.js'
import { previewSchema } from '../../schemas/shapes.js'
import { renderAppointment } from '../../views/cluster/appointment.js'
import { findCandidate, planSwitchover } from './operations.js'

const appointmentSchema = z
  .looseObject({
    id: z.string(),
    owner: z.string(),
    phase: z.enum(appointmentPhases),
    from: z.string(),
    until: z.string(),
    candidate: z.string().optional(),
    message: z.string().optional(),
    cancelledBy: z.string().optional(),
    plan: previewSchema.optional(),
  })
  .meta({ id: 'ScheduledSwitchover' })

const moment = (text: string) => z.iso.datetime({ offset: true }).describe(text)

const scheduleBody = z
  .object({
    at: moment(
      'It does not begin before: a moment with its zone, 2026-11-24T02:30:00Z, at most 90 days ahead, else 400; without one, or in the past: now.',
    ),
    until: moment(
      'While it is refused it is tried again until then; otherwise it has one minute. Still to come, and not before `at`: else 400.',
    ),
    prefmaster: z.string().max(300).describe('The new master: id, name or host:port.'),
  })
  .partial()
  .default({})

const example = {
  ...{ id: 'scheduled-switchover-20261123T143000000', owner: 'admin', phase: 'waiting' },
  ...{ from: '2026-11-24T02:30:00.000Z', until: '2026-11-24T03:30:00.000Z', candidate: 'db2' },
} as const

type InCluster = Pick<Context<{ readonly cluster: string }, unknown, unknown>, 'manager' | 'params'>

const shown = ({ manager, params }: InCluster, kept: Result<Appointment | undefined>) =>
  kept.ok ? ok(kept.value ? renderAppointment(kept.value, manager.members(params.cluster)?.servers ?? []) : null) : kept

export const scheduledRoutes = {
  'scheduled.begin': route({
    cli: 'cluster schedule-switchover',
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/schedule-switchover'],
    summary:
      'Switch over at a moment, or within a window. It survives a restart of the manager; the plan is logged when it is asked for, five minutes ahead and before it begins. WARN0390 is open until it has ended.',
    grant: 'cluster-switchover',
    body: scheduleBody,
    reply: { status: 200, type: 'json', schema: appointmentSchema },
    failures: {
      ...noCluster,
      ...asked,
      ...usual('unknown-server', 'bad-request', 'operation-running', 'file-unwritable'),
    },
    example: { request: { at: example.from, until: example.until, prefmaster: 'db2' }, reply: example },
    plan: async ({ manager, cluster, params, body }) => {
      const candidate = findCandidate(manager, params.cluster, body.prefmaster)
      if (!candidate.ok) return candidate
      return planSwitchover(cluster, candidate.value)
    },
    answer: async (context) => {
      const { manager, cluster, params, body, caller } = context
      const candidate = findCandidate(manager, params.cluster, body.prefmaster)
      if (!candidate.ok) return candidate
      return shown(
        context,
        await cluster.ask(
          'schedule-switchover',
          {
            user: caller.user,
            from: body.at === undefined ? now() : Date.parse(body.at),
            ...(body.until === undefined ? {} : { until: Date.parse(body.until) }),
            ...(candidate.value === undefined ? {} : { candidate: candidate.value }),
          },
          { deadlineMs: PLAN_WAIT },
        ),
      )
    },
  }),

  'scheduled.cancel': route({
    cli: 'cluster cancel-switchover',
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/cancel-switchover'],
    summary: 'Take the scheduled switchover back, or dismiss one that failed or was missed; null when there is none.',
    grant: 'cluster-switchover',
    reply: { status: 200, type: 'json', schema: appointmentSchema.nullable() },
    failures: { ...noCluster, ...asked, ...usual('operation-running', 'file-unwritable') },
    example: { reply: { ...example, phase: 'cancelled' } },
    plan: ({ cluster }) => planWork(cluster, { type: 'cancel-appointment' }),
    answer: async (context) =>
      shown(context, await context.cluster.ask('cancel-switchover', { user: context.caller.user })),
  }),

  'scheduled.show': route({
    cli: 'cluster scheduled-switchover',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/scheduled-switchover'],
    summary:
      'The latest scheduled switchover: when it begins, with its plan, or how it ended; null when there was none.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: appointmentSchema.nullable() },
    failures: { ...noCluster, ...asked },
    example: { reply: example },
    answer: async (context) => shown(context, await context.cluster.ask('appointment', {})),
  }),
}
