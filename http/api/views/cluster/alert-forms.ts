// Alerts and silences as the wire has them: times as text, the state of a silence, and the form that asks for one.
import * as z from 'zod'
import type { AlertReceiver, OpenAlert, SilenceRequest } from '../../../../actors/protocol/manager/alerts.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { DAY, HOUR, isoTime, MINUTE, parseTime, SECOND } from '../../../../lib/base/time.js'
import { type AlertSilence, alertChannels } from '../../../../lib/model/alert.js'

const time = z.string().describe('ISO 8601')

export const openAlertSchema = z
  .object({
    code: z.string().describe('of a finding, or the state of a server'),
    severity: z.enum(['error', 'warning']),
    server: z.string().optional(),
    text: z.string(),
    hint: z.string().describe('what can be done'),
    since: time,
    notifiedAt: time.optional().describe('absent: no receiver was notified'),
    escalatedAt: time.optional(),
    acknowledged: z.object({ owner: z.string(), reason: z.string(), at: time }).optional(),
    silenced: z.object({ by: z.string(), reason: z.string(), endsAt: time }).optional(),
  })
  .meta({ id: 'OpenAlert' })

export const silenceSchema = z
  .object({
    id: z.string(),
    cluster: z.string().describe('empty: every cluster'),
    codes: z.array(z.string()).describe('codes or their beginnings; empty: all'),
    servers: z.array(z.string()).describe('names; empty: all'),
    owner: z.string(),
    reason: z.string(),
    createdAt: time,
    startsAt: time,
    endsAt: time,
    state: z.enum(['planned', 'running', 'ended']),
  })
  .meta({ id: 'Silence' })

export const testedSchema = z
  .object({
    channel: z.enum(alertChannels),
    receiver: z.string().describe('without secrets'),
  })
  .meta({ id: 'TestedChannel' })

const receiverSchema = z.object({
  channel: z.enum(alertChannels),
  receiver: z.string().describe('without secrets'),
  clusters: z.array(z.string()).describe('empty name: the manager itself'),
  onlyEscalations: z.boolean().describe('it receives what nobody acknowledged in time, and nothing else'),
  waiting: z.number().int().describe('messages that wait'),
  sentAt: time.optional().describe('absent: nothing was sent since the manager started'),
  failedAt: time.optional(),
  problem: z.string().optional().describe('why the latest try failed'),
  retryAt: time.optional(),
})

/** What the callers' clusters have of alerts. */
export const alertBoardSchema = z
  .object({
    receivers: z.array(receiverSchema),
    escalation: z.array(
      z.object({ afterSeconds: z.number().int().describe('0: never'), clusters: z.array(z.string()) }),
    ),
    answered: z
      .array(openAlertSchema.extend({ cluster: z.string() }))
      .describe('open alerts that are acknowledged, silenced or escalated'),
    silences: z.array(silenceSchema),
  })
  .meta({ id: 'AlertBoard' })

const words = z.string().max(2_000).default('')

const moment = z
  .string()
  .regex(
    /^(\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?)?)?$/,
    'must be a time such as 2026-11-23T22:00:00Z',
  )
  .default('')

export const silenceForm = z.object({
  reason: z.string().regex(/\S/, 'must not be blank').max(500).trim(),
  for: z
    .string()
    .regex(/^(\d{1,6}[smhd])?$/, 'must be a number with s, m, h or d')
    .default('')
    .describe('how long, e.g. `2h`; empty, without an end: one hour'),
  until: moment.describe(
    'its end instead, ISO 8601; still to come, not before `from`, and not together with `for`: else 422',
  ),
  from: moment.describe('its begin, ISO 8601; empty: now'),
  codes: words.describe('codes or their beginnings, comma-separated; empty: all'),
  servers: words.describe('names of servers, comma-separated; empty: all'),
})

export const exampleSilence = {
  ...{ id: '5f1e0c7a9b3d', cluster: 'demo', codes: [], servers: [], owner: 'ann', reason: 'rack move' },
  ...{
    createdAt: '2026-11-23T07:00:00.000Z',
    startsAt: '2026-11-23T07:00:00.000Z',
    endsAt: '2026-11-23T09:00:00.000Z',
  },
  state: 'running',
} as const

const units: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY }

interface Requester {
  readonly cluster: string
  readonly owner: string
  readonly now: number
}

/** `wrong-value` names the field that is wrong. */
export function readSilence(
  form: z.output<typeof silenceForm>,
  { cluster, owner, now }: Requester,
): Result<SilenceRequest> {
  const startsAt = form.from === '' ? Math.round(now) : parseTime(form.from)
  if (startsAt === undefined) return fail('wrong-value', 'from: must be a time such as 2026-11-23T22:00:00Z')
  if (form.for !== '' && form.until !== '')
    return fail('wrong-value', 'give its length (for) or its end (until), not both')
  const length = form.for === '' ? HOUR : Number.parseInt(form.for, 10) * (units[form.for.slice(-1)] ?? Number.NaN)
  const endsAt = form.until === '' ? startsAt + length : parseTime(form.until)
  if (endsAt === undefined || !Number.isFinite(endsAt))
    return fail('wrong-value', 'until: must be a time such as 2026-11-23T23:30:00Z')
  const { reason } = form
  return ok({ cluster, owner, reason, startsAt, endsAt, codes: listed(form.codes), servers: listed(form.servers) })
}

const listed = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '')

export const viewReceiver = ({ sentAt, failedAt, retryAt, ...receiver }: AlertReceiver) => ({
  ...receiver,
  ...(sentAt === undefined ? {} : { sentAt: isoTime(sentAt) }),
  ...(failedAt === undefined ? {} : { failedAt: isoTime(failedAt) }),
  ...(retryAt === undefined ? {} : { retryAt: isoTime(retryAt) }),
})

export const viewSilence = ({ countsFor: _, ...silence }: AlertSilence, now: number) => ({
  ...silence,
  createdAt: isoTime(silence.createdAt),
  startsAt: isoTime(silence.startsAt),
  endsAt: isoTime(silence.endsAt),
  state: now >= silence.endsAt ? 'ended' : now < silence.startsAt ? 'planned' : 'running',
})

export const viewAlert = ({ since, notifiedAt, escalatedAt, acknowledged, silenced, ...alert }: OpenAlert) => ({
  ...alert,
  since: isoTime(since),
  ...(notifiedAt === undefined ? {} : { notifiedAt: isoTime(notifiedAt) }),
  ...(escalatedAt === undefined ? {} : { escalatedAt: isoTime(escalatedAt) }),
  ...(acknowledged ? { acknowledged: { ...acknowledged, at: isoTime(acknowledged.at) } } : {}),
  ...(silenced ? { silenced: { ...silenced, endsAt: isoTime(silenced.endsAt) } } : {}),
})
