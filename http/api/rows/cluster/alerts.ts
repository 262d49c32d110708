// Alerts of a cluster, and of the manager itself: what is open, who takes care of it, what is silenced, and tests.
import { z } from 'zod'
import { ok, type Result } from '../../../../lib/base/result.js'
import { now } from '../../../../lib/base/time.js'
import { type AlertSilence, alertChannels } from '../../../../lib/model/alert.js'
import { noCluster, usual } from '../../kit/refusals.js'
import { globalGrants, route } from '../../kit/route.js'
import {
  exampleSilence,
  openAlertSchema,
  readSilence,
  silenceForm,
  silenceSchema,
  testedSchema,
  viewAlert,
  viewSilence,
} from '../../views/cluster/alert-forms.js'

const reason = z.string().regex(/\S/, 'must not be blank').max(500).trim()

const chosen = {
  code: z.string().max(20).default('').describe('only alerts of this code; empty: every open alert'),
  server: z.string().max(256).default('').describe('only alerts of the server of this name'),
}

const viewed = (result: Result<AlertSilence>) => (result.ok ? ok(viewSilence(result.value, now())) : result)

const changeFailures = { ...usual('bad-request', 'file-unwritable'), 'wrong-value': [422] } as const
const acknowledgedSchema = z.object({ acknowledged: z.number() })
const testFailures = { 'no-channel': [400], 'alert-failed': [502] } as const

const exampleAlert = {
  ...{ code: 'ERR00012', severity: 'error', text: 'No primary was found.', hint: 'Check the servers.' },
  ...{ since: '2026-11-23T07:40:12.000Z', notifiedAt: '2026-11-23T07:40:16.000Z' },
  acknowledged: { owner: 'ann', reason: 'on it', at: '2026-11-23T07:45:00.000Z' },
} as const

export const alertRoutes = {
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
    answer: ({ manager, params, body, caller }) =>
      manager.alerts.unacknowledge({ ...body, cluster: params.cluster, owner: caller.user }),
  }),

  'alerts.test': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/alerts/test', '/api/clusters/:cluster/alerts/test/:channel'],
    summary:
      'Send a test by one channel of alerts, or by all that are configured; succeeds when every receiver accepted it.',
    grant: 'cluster-alert',
    params: z.looseObject({ channel: z.enum(alertChannels).optional() }),
    reply: { status: 200, type: 'json', schema: z.array(testedSchema) },
    slow: true,
    failures: { ...noCluster, ...usual('bad-request', 'mailbox-full'), ...testFailures },
    example: { reply: [{ channel: 'mail', receiver: 'ops@example.com by mail.example.com:25' }] },
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
    failures: { ...noCluster, ...changeFailures },
    example: { request: { reason: 'rack move', for: '2h' }, reply: exampleSilence },
    answer: async ({ manager, params, body, caller }) => {
      const request = readSilence(body, { cluster: params.cluster, owner: caller.user, now: now() })
      return request.ok ? viewed(await manager.alerts.silence(request.value)) : request
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
    failures: changeFailures,
    example: { request: { reason: 'network maintenance', for: '1h' }, reply: { ...exampleSilence, cluster: '' } },
    answer: async ({ manager, body, caller }) => {
      const request = readSilence(body, { cluster: '', owner: caller.user, now: now() })
      return request.ok ? viewed(await manager.alerts.silence(request.value)) : request
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
    answer: async ({ manager, params, caller }) =>
      viewed(await manager.alerts.endSilence({ cluster: '', id: params.silence, user: caller.user })),
  }),
}
