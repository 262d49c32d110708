// What can be done with one proxy: made, started, stopped, removed; whether it needs any of it.

import * as z from 'zod'
import type { ManagerFace, Need } from '../../../../actors/protocol/manager/face.js'
import type { Grant } from '../../../../lib/access/grants.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import type { ServiceAction } from '../../../../lib/model/operation/services.js'
import { exampleProxy } from '../../kit/examples.js'
import { findProxy } from '../../kit/member.js'
import { planWork } from '../../kit/plan/planned.js'
import { clusterNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { proxySchema } from '../../schemas/shapes.js'
import { jobFailures, jobLocation, jobQuery, runService } from './services.js'

const base = '/api/clusters/:cluster/proxies/:proxy/actions'
type ProxyPath = '/api/clusters/:cluster/proxies/:proxy/actions'

export const proxyNotFound = { ...clusterNotFound, 'unknown-proxy': [500, 'Server Not Found'] } as const

export const proxyOf = (
  manager: ManagerFace,
  { cluster, proxy }: { readonly cluster: string; readonly proxy: string },
) => {
  const view = manager.members(cluster)
  const found = view && findProxy(view, proxy)
  return found ? ok(found) : fail('unknown-proxy', `${cluster} has no proxy ${proxy}`)
}

interface Action {
  readonly action: ServiceAction
  readonly text: string
  readonly summary: string
  readonly grant: Grant
}

/** The row of `C/proxies/{proxy}/actions/<action>`. */
const proxyAction = ({ action, text, summary, grant }: Action) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`${base}/${action}` as ProxyPath],
    summary,
    grant,
    query: jobQuery,
    reply: { status: 200, type: 'text', text, location: jobLocation, emptyForGet: true },
    failures: { ...proxyNotFound, ...jobFailures, ...usual('proxy-failed') },
    example: { reply: text },
    plan: ({ cluster, manager, params, query }) => {
      const proxy = proxyOf(manager, params)
      const force = query.force ?? false
      return proxy.ok ? planWork(cluster, { type: 'services', action, service: proxy.value.id, force }) : proxy
    },
    answer: async (context): Promise<Result<unknown>> => {
      const proxy = proxyOf(context.manager, context.params)
      return proxy.ok ? runService(context, { service: proxy.value.id, action }) : proxy
    },
  })

interface Check {
  readonly need: Need
  readonly summary: string
  readonly yes: string
  readonly no: string
}

/** The row of `C/proxies/{proxy}/actions/need-<need>`. */
const proxyNeed = ({ need, summary, yes, no }: Check) =>
  route({
    methods: ['GET'],
    paths: [`${base}/need-${need}` as ProxyPath],
    summary,
    grant: 'token',
    reply: { status: 200, type: 'text', text: yes },
    failures: {
      'check-negative': [503, no],
      'unknown-proxy': [503, 'Not a Valid Server!'],
      'unknown-cluster': [500, 'No cluster'],
    },
    example: { reply: yes },
    answer: async ({ manager, params, caller }): Promise<Result<string>> => {
      const proxy = proxyOf(manager, params)
      if (!proxy.ok) return proxy
      const question = { cluster: params.cluster, server: proxy.value.id, need, consume: false, by: caller }
      return (await manager.need(question)) ? ok(yes) : fail('check-negative', `${proxy.value.name} has no such need`)
    },
  })

const listedProxies = z.array(z.looseObject({}))

export const proxyRoutes = {
  'proxy.fleet': route({
    methods: ['GET'],
    paths: ['/api/proxies'],
    summary: 'The proxies of every cluster the caller may see, each with the name of its cluster.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: z.array(proxySchema.and(z.object({ cluster: z.string() }))) },
    failures: usual('not-logged-in'),
    example: { reply: [{ cluster: 'demo', ...exampleProxy }] },
    answer: async ({ manager, caller }) => ok(await allProxies(manager, manager.clusters().filter(caller.sees))),
  }),

  'proxy.provision': proxyAction({
    action: 'provision',
    text: 'Proxy Service Provisioned',
    summary: 'Make the proxy from its configuration and start it.',
    grant: 'prov-proxy-provision',
  }),
  'proxy.unprovision': proxyAction({
    action: 'unprovision',
    text: 'Proxy Service Unprovisioned',
    summary: 'Stop the proxy and remove it.',
    grant: 'prov-proxy-unprovision',
  }),
  'proxy.start': proxyAction({
    action: 'start',
    text: 'Proxy Service Started',
    summary: 'Start the proxy.',
    grant: 'proxy-start',
  }),
  'proxy.stop': proxyAction({
    action: 'stop',
    text: 'Proxy Service Stopped',
    summary: 'Stop the proxy; its sessions end.',
    grant: 'proxy-stop',
  }),
  'proxy.need-restart': proxyNeed({
    need: 'restart',
    summary: 'Whether the proxy is to be restarted.',
    yes: 'Need restart!',
    no: 'No restart needed!',
  }),
  'proxy.need-reprov': proxyNeed({
    need: 'reprov',
    summary: 'Whether the proxy is to be provisioned again.',
    yes: 'Need reprov!',
    no: 'No reprov needed!',
  }),
}

/** A cluster without proxies is not asked; one that does not answer shows none. */
async function allProxies(manager: ManagerFace, clusters: readonly string[]) {
  const found = await Promise.all(
    clusters
      .filter((cluster) => manager.members(cluster)?.proxies.length !== 0)
      .map(async (cluster) => {
        const view = await manager.view(cluster, 'proxies')
        if (!view.ok) return []
        return listedProxies.parse(JSON.parse(view.value.bytes.toString())).map((proxy) => ({ cluster, ...proxy }))
      }),
  )
  return found.flat()
}
