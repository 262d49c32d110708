// Alerts of a cluster, and of the manager itself: what is open, who takes care of it, what is silenced, and tests.
import * as z from 'zod'
import type { AlertsFace, OpenAlert } from '../../../../actors/protocol/manager/alerts.js'
import { holderOf } from '../../../../lib/access/bound/index.js'
import { globalGrants } from '../../../../lib/access/index.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { isoTime, now, SECOND } from '../../../../lib/base/time.js'
import { type AlertSilence, alertChannels } from '../../../../lib/model/alert.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import { listed } from '../../kit/plan/planned.js'
import { noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import {
  alertBoardSchema,
  exampleSilence,
  openAlertSchema,
  readSilence,
  silenceForm,
  silenceSchema,
  testedSchema,
  viewAlert,
  viewReceiver,
  viewSilence,
} from '../../views/cluster/alert-forms.js'

const reason = z.string().regex(/\S/, 'must not be blank').max(500).trim()

const chosen = {
  code: z.string().max(20).default('').describe('only alerts of this code; empty: every open alert'),
  server: z.string().max(256).default('').describe('only alerts of the server of this name'),
}

const viewed = (result: Result<AlertSilence>) => (result.ok ? ok(viewSilence(result.value, now())) : result)

const changeFailures = { ...usual('bad-request', 'file-unwritable'), 'wrong-value': [422] } as const
const addFailures = { ...changeFailures, ...usual('bound-reached') } as const
const acknowledgedSchema = z.object({ acknowledged: z.number() })
const testFailures = { 'no-channel': [400], 'alert-failed': [502] } as const

const exampleAlert = {
  ...{ code: 'ERR00012', severity: 'error', text: 'No primary was found.', hint: 'Check the servers.' },
  ...{ since: '2026-11-23T07:40:12.000Z', notifiedAt: '2026-11-23T07:40:16.000Z' },
  acknowledged: { owner: 'ann', reason: 'on it', at: '2026-11-23T07:45:00.000Z' },
} as const

const exampleBoard = {
  receivers: [
    {
      ...{ channel: 'mail', receiver: 'ops@example.com by mail.example.com:25', clusters: ['demo', 'shop'] },
      ...{ onlyEscalations: false, waiting: 0, sentAt: '2026-11-23T07:40:16.000Z' },
    },
  ],
  escalation: [{ afterSeconds: 900, clusters: ['demo', 'shop'] }],
  answered: [{ cluster: 'demo', ...exampleAlert }],
  silences: [exampleSilence],
} as const

export const alertRoutes = {
  'alerts.fleet': route({
    cli: 'alert fleet',
    methods: ['GET'],
    paths: ['/api/alerts'],
    summary:
      'Alerts of every cluster the caller may see: where they go and what became of the latest message to each receiver, what is escalated after how long, which open alerts are acknowledged, silenced or escalated, and all silences.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: alertBoardSchema },
    failures: usual('not-logged-in'),
    example: { reply: exampleBoard },
    answer: ({ manager, caller }) => {
      const seen = manager.clusters().filter((name) => caller.sees(name))
      const isGlobal = globalGrants.some((grant) => caller.may(grant, ''))
      return ok(boardOf(manager.alerts, isGlobal || caller.may('global-admin-show', '') ? ['', ...seen] : seen))
    },
  }),

  'alerts.list': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/alerts'],
    summary: 'What is open in the cluster and is an alert: since when, who was notified, who takes care of it.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: z.array(openAlertSchema) },
    failures: noCluster,
    example: { reply: [exampleAlert] },
    answer: ({ manager, params }) => ok(manager.alerts.list(params.cluster).map(viewAlert)),
  }),

  'alerts.acknowledge': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/alerts/acknowledge'],
    summary: 'Take care of open alerts: they are not escalated. Ends with each alert.',
    grant: 'cluster-alert',
    body: z.object({ reason, ...chosen }),
    reply: { status: 200, type: 'json', schema: acknowledgedSchema },
    failures: { ...noCluster, ...usual('bad-request'), 'unknown-alert': [404] },
    example: { request: { reason: 'disk is being replaced', code: 'ERR00012' }, reply: { acknowledged: 1 } },
    plan: ({ manager, params, body, caller }) => planTaken(manager.alerts.list(params.cluster), body, caller.user),
    answer: ({ manager, params, body, caller }) =>
      manager.alerts.acknowledge({ ...body, cluster: params.cluster, owner: caller.user }),
  }),

  'alerts.unacknowledge': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/alerts/unacknowledge'],
    summary: 'Take an acknowledgement back: the alerts are escalated in their time.',
    grant: 'cluster-alert',
    body: z.object(chosen),
    reply: { status: 200, type: 'json', schema: acknowledgedSchema },
    failures: { ...noCluster, ...usual('bad-request'), 'unknown-alert': [404] },
    example: { request: { code: 'ERR00012' }, reply: { acknowledged: 1 } },
    plan: ({ manager, params, body }) => planTaken(manager.alerts.list(params.cluster), body, null),
    answer: ({ manager, params, body, caller }) =>
      manager.alerts.unacknowledge({ ...body, cluster: params.cluster, owner: caller.user }),
  }),

  'alerts.test': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/alerts/test', '/api/clusters/:cluster/alerts/test/:channel'],
    summary:
      'Send a test by one channel of alerts, or by all that are configured; succeeds when every receiver accepted it. 400 where the channel, or any, is not configured.',
    grant: 'cluster-alert',
    params: z.looseObject({ channel: z.enum(alertChannels).optional() }),
    reply: { status: 200, type: 'json', schema: z.array(testedSchema) },
    slow: true,
    failures: { ...noCluster, ...usual('bad-request', 'mailbox-full', 'too-often'), ...testFailures },
    example: { reply: [{ channel: 'mail', receiver: 'ops@example.com by mail.example.com:25' }] },
    plan: ({ params }) =>
      listed('test-alerts', ok(undefined), [
        `Send a test message by ${params.channel ?? 'every channel that is configured'}`,
      ]),
    answer: ({ manager, params, caller }) => {
      const channel = alertChannels.find((name) => name === params.channel)
      const request = { cluster: params.cluster, user: caller.user }
      return manager.alerts.test(channel === undefined ? request : { ...request, channel })
    },
  }),

  'silences.list': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/silences'],
    summary: 'Silences of the cluster and of all clusters: running, planned, and ended in the last seven days.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: z.array(silenceSchema) },
    failures: noCluster,
    example: { reply: [exampleSilence] },
    answer: ({ manager, params }) =>
      ok(manager.alerts.silences(params.cluster).map((each) => viewSilence(each, now()))),
  }),

  'silences.add': route({
    methods: ['POST'],
    paths: ['/api/clusters/:cluster/silences'],
    summary:
      'Send no alerts of the cluster for a time, now or in a planned window; what is still open at its end is sent then.',
    grant: 'cluster-alert',
    body: silenceForm,
    reply: { status: 200, type: 'json', schema: silenceSchema },
    failures: { ...noCluster, ...addFailures },
    example: { request: { reason: 'rack move', for: '2h' }, reply: exampleSilence },
    plan: ({ params, body, caller }) => planSilence(body, { cluster: params.cluster, owner: caller.user }),
    answer: async ({ manager, params, body, caller }) => {
      const request = readSilence(body, { cluster: params.cluster, owner: caller.user, now: now() })
      const holder = holderOf(caller, params.cluster, () => manager.clusters())
      return request.ok ? viewed(await manager.alerts.silence(request.value, holder)) : request
    },
  }),

  'silences.drop': route({
    cli: 'silence end',
    methods: ['DELETE'],
    paths: ['/api/clusters/:cluster/silences/:silence'],
    summary: 'End a silence of the cluster now.',
    grant: 'cluster-alert',
    reply: { status: 200, type: 'json', schema: silenceSchema },
    failures: { ...noCluster, ...changeFailures, 'unknown-silence': [404] },
    example: { reply: { ...exampleSilence, state: 'ended' } },
    plan: ({ manager, params }) => planEnd(manager.alerts.silences(params.cluster), params.silence),
    answer: async ({ manager, params, caller }) =>
      viewed(await manager.alerts.endSilence({ cluster: params.cluster, id: params.silence, user: caller.user })),
  }),

  'global.silences': route({
    cli: 'silence list-global',
    methods: ['GET'],
    paths: ['/api/global/silences'],
    summary: 'Silences of all clusters together.',
    grant: 'global-admin-show',
    reply: { status: 200, type: 'json', schema: z.array(silenceSchema) },
    failures: {},
    example: { reply: [{ ...exampleSilence, cluster: '' }] },
    answer: ({ manager }) => ok(manager.alerts.silences('').map((each) => viewSilence(each, now()))),
  }),

  'global.silence': route({
    cli: 'silence add-global',
    methods: ['POST'],
    paths: ['/api/global/silences'],
    summary: 'Send no alerts of any cluster, nor of the manager, for a time.',
    grant: globalGrants,
    body: silenceForm,
    reply: { status: 200, type: 'json', schema: silenceSchema },
    failures: addFailures,
    example: { request: { reason: 'network maintenance', for: '1h' }, reply: { ...exampleSilence, cluster: '' } },
    plan: ({ body, caller }) => planSilence(body, { cluster: '', owner: caller.user }),
    answer: async ({ manager, body, caller }) => {
      const request = readSilence(body, { cluster: '', owner: caller.user, now: now() })
      const holder = holderOf(caller, undefined, () => manager.clusters())
      return request.ok ? viewed(await manager.alerts.silence(request.value, holder)) : request
    },
  }),

  'global.end-silence': route({
    cli: 'silence end-global',
    methods: ['DELETE'],
    paths: ['/api/global/silences/:silence'],
    summary: 'End a silence of all clusters now.',
    grant: globalGrants,
    reply: { status: 200, type: 'json', schema: silenceSchema },
    failures: { ...changeFailures, 'unknown-silence': [404] },
    example: { reply: { ...exampleSilence, cluster: '', state: 'ended' } },
    plan: ({ manager, params }) => planEnd(manager.alerts.silences(''), params.silence),
    answer: async ({ manager, params, caller }) =>
      viewed(await manager.alerts.endSilence({ cluster: '', id: params.silence, user: caller.user })),
  }),
}

/** A silence of all clusters is in the list of each of them, and once in the board. */
function boardOf(alerts: AlertsFace, clusters: readonly string[]) {
  const silences = clusters.flatMap((cluster) => alerts.silences(cluster))
  const answered = clusters.flatMap((cluster) =>
    alerts
      .list(cluster)
      .filter(({ acknowledged, silenced, escalatedAt }) => acknowledged ?? silenced ?? escalatedAt)
      .map((alert) => ({ cluster, ...viewAlert(alert) })),
  )
  return {
    receivers: alerts.receivers(clusters).map(viewReceiver),
    escalation: alerts
      .escalation(clusters)
      .map(({ afterMs, clusters: of }) => ({ afterSeconds: Math.round(afterMs / SECOND), clusters: of })),
    answered,
    silences: [...new Map(silences.map((each) => [each.id, each])).values()].map((each) => viewSilence(each, now())),
  }
}

/** Which open alerts get this owner; null takes it away. */
function planTaken(
  alerts: readonly OpenAlert[],
  { code, server }: { readonly code: string; readonly server: string },
  owner: string | null,
): Result<Preview> {
  const meant = alerts
    .filter((alert) => (code === '' || alert.code === code) && (server === '' || alert.server === server))
    .filter(({ acknowledged }) => owner !== null || acknowledged !== undefined)
  const judged = meant.length === 0 ? fail('unknown-alert', 'no such alert is open') : ok(meant)
  const name = (alert: OpenAlert) => `${alert.code}${alert.server === undefined ? '' : ` of ${alert.server}`}`
  return listed(owner === null ? 'unacknowledge' : 'acknowledge', judged, {
    texts: meant.map((alert) =>
      owner === null ? `Take the acknowledgement of ${name(alert)} back` : `Acknowledge ${name(alert)}`,
    ),
    changes: meant.map((alert) => ({
      what: `owner of ${name(alert)}`,
      before: alert.acknowledged?.owner ?? null,
      after: owner,
    })),
    follows: [
      owner === null ? 'They are escalated in their time.' : 'They are not escalated as long as they are open.',
    ],
  })
}

/** Without a begin or an end that is given, only the length is part of it: the moment it is read in is not. */
function planSilence(
  form: z.output<typeof silenceForm>,
  { cluster, owner }: { readonly cluster: string; readonly owner: string },
): Result<Preview> {
  const request = readSilence(form, { cluster, owner, now: now() })
  if (!request.ok) return request
  const { endsAt, codes, servers } = request.value
  const what = codes.length === 0 ? 'every alert' : codes.join(', ')
  const where = cluster === '' ? 'of every cluster and of the manager' : `of ${cluster}`
  const on = servers.length === 0 ? '' : ` on ${servers.join(', ')}`
  const end = form.until === '' ? `for ${form.for || '1h'}` : `until ${isoTime(endsAt)}`
  return listed('silence', ok(request.value), {
    texts: [`Send ${what} ${where}${on} to nobody ${form.from === '' ? 'from now' : `from ${form.from}`} ${end}`],
    follows: ['What is still open at the end is sent then.'],
  })
}

function planEnd(silences: readonly AlertSilence[], id: string): Result<Preview> {
  const silence = silences.find((each) => each.id === id)
  const judged = silence ? ok(silence) : fail('unknown-silence', `no silence ${id}`)
  return listed('end-silence', judged, {
    texts: [`End the silence ${id} (${silence?.reason ?? ''})`],
    changes: silence ? [{ what: `end of ${id}`, before: isoTime(silence.endsAt), after: 'now' }] : [],
    follows: ['What is open is sent.'],
  })
}
