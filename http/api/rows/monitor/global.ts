// What concerns the manager beyond any cluster: all alerts, its host, its texts and its dashboards.
import * as z from 'zod'
import type { Caller, ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { createFairShares, holderOf, sharedBounds } from '../../../../lib/access/bound/index.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import { MINUTE, sleep } from '../../../../lib/base/time.js'
import { usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { alertSchema, aliveSchema, hostSchema } from '../../schemas/shapes.js'
import { renderFinding } from '../../views/cluster/alerts.js'

/** How long the test of clients' own timeouts takes. */
const LONG_MS = 20 * MINUTE
const waiting = createFairShares(sharedBounds.lateAnswers)

const clusterAlertSchema = alertSchema.and(z.object({ cluster: z.string() }))
const allAlertsSchema = z
  .object({ errors: z.array(clusterAlertSchema), warnings: z.array(clusterAlertSchema) })
  .meta({ id: 'AllAlerts' })
const listedAlerts = z.object({ errors: z.array(z.looseObject({})), warnings: z.array(z.looseObject({})) })

export const globalRoutes = {
  'global.alerts': route({
    methods: ['GET'],
    paths: ['/api/global/alerts'],
    summary: 'Open errors and warnings of every cluster that the caller may see, and of the manager itself.',
    grant: 'global-admin-show',
    reply: { status: 200, type: 'json', schema: allAlertsSchema },
    failures: {},
    example: {
      reply: {
        errors: [{ cluster: 'demo', number: 'ERR00012', desc: 'No primary was found.', from: 'TOPO' }],
        warnings: [],
      },
    },
    answer: async ({ manager, caller }) =>
      ok(
        await allAlerts(
          manager,
          manager.clusters().filter((name) => caller.sees(name)),
        ),
      ),
  }),

  'global.metrics': route({
    methods: ['GET'],
    paths: ['/api/global/metrics'],
    summary: 'Load, memory and disk of the manager’s host, and what the manager takes of them.',
    grant: 'global-admin-show',
    reply: { status: 200, type: 'json', schema: hostSchema },
    failures: {},
    example: {
      reply: {
        host: {
          ...{ hostname: 'monitor1', cpuCores: 4, cpuPercent: 3.5, memoryTotalBytes: 8_000_000_000 },
          ...{ memoryUsedBytes: 2_000_000_000, memoryUsedPercent: 25, diskPath: '/var/lib/manager' },
          ...{ diskTotalBytes: 100_000_000_000, diskUsedBytes: 20_000_000_000, diskUsedPercent: 20 },
        },
        process: {
          ...{ pid: 4711, rssBytes: 120_000_000, heapAllocBytes: 40_000_000, heapSysBytes: 60_000_000 },
          ...{ goroutines: 12, uptimeSeconds: 86_400 },
        },
      },
    },
    answer: async ({ manager }) => ok(await manager.hostFigures()),
  }),

  'global.terms': route({
    methods: ['GET'],
    paths: ['/api/terms'],
    summary: 'The terms of use, as Markdown.',
    grant: 'none',
    reply: { status: 200, type: 'text' },
    failures: usual('file-unreadable'),
    example: { reply: '# Terms of use\n' },
    answer: ({ manager }) => manager.terms(),
  }),

  'global.dashboards': route({
    methods: ['GET'],
    paths: ['/api/configs/grafana'],
    summary: 'File names of the Grafana dashboards that come with the manager.',
    grant: 'none',
    reply: { status: 200, type: 'json', schema: z.array(z.string()) },
    failures: usual('file-unreadable'),
    example: { reply: ['clusters.json', 'servers.json'] },
    answer: ({ manager }) => manager.dashboards(),
  }),

  'global.timeout': route({
    methods: ['GET'],
    paths: ['/api/timeout'],
    summary:
      'Answers after 1200 seconds: for tests of timeouts on the way. At most 100 may wait at once, 10 of one client.',
    grant: 'none',
    slow: true,
    reply: { status: 200, type: 'json', schema: aliveSchema },
    failures: usual('mailbox-full'),
    example: { reply: { alive: 'running' } },
    answer: answerLate,
  }),
}

interface LateRequest {
  readonly manager: ManagerFace
  readonly caller: Caller
  readonly signal: AbortSignal
}

async function answerLate({ manager, caller, signal }: LateRequest): Promise<Result<unknown>> {
  const share = waiting.take(holderOf(caller, undefined, () => manager.clusters()))
  if (!share.ok) return share
  await sleep(LONG_MS, signal).finally(share.value)
  return ok({ alive: manager.alive() })
}

/** A cluster that does not answer has no alerts to show; that it is stopped is a finding of the manager. */
async function allAlerts(manager: ManagerFace, clusters: readonly string[]) {
  const views = await Promise.all(
    clusters.map(async (cluster) => {
      const view = await manager.view(cluster, 'alerts')
      if (!view.ok) return { errors: [], warnings: [] }
      const { errors, warnings } = listedAlerts.parse(JSON.parse(view.value.bytes.toString()))
      const ofCluster = (alert: object) => ({ cluster, ...alert })
      return { errors: errors.map(ofCluster), warnings: warnings.map(ofCluster) }
    }),
  )
  const own = manager.findings().map(renderFinding)
  const ofManager = (severity: 'error' | 'warning') =>
    own
      .filter((finding) => finding.severity === severity)
      .map(({ severity: _, ...alert }) => ({ cluster: '', ...alert }))
  return {
    errors: [...ofManager('error'), ...views.flatMap(({ errors }) => errors)],
    warnings: [...ofManager('warning'), ...views.flatMap(({ warnings }) => warnings)],
  }
}
