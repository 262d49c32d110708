// The TLS certificates that the manager makes for a cluster and delivers to its servers.
import * as z from 'zod'
import type { CertificateView } from '../../../../actors/protocol/manager/certificate-view.js'
import type { ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { MASK } from '../../../../lib/base/secret.js'
import type { PlanChange, Preview } from '../../../../lib/model/operation/preview.js'
import { certificateFacts } from '../../../../lib/tls/index.js'
import { listed } from '../../kit/plan/planned.js'
import { clusterNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const facts = z
  .object({
    subject: z.string(),
    issuer: z.string(),
    notBefore: z.iso.datetime(),
    notAfter: z.iso.datetime(),
    fingerprint: z.string(),
  })
  .meta({ id: 'CertificateFacts' })

const clientCertificate = z
  .object({
    ...{ clientCert: z.string(), clientKey: z.string(), caCert: z.string(), serverCert: z.string() },
    rotating: z.boolean(),
    ...{ client: facts, server: facts, ca: facts },
  })
  .meta({ id: 'ClientCertificate' }) satisfies z.ZodType<CertificateView>

const fleetCertificates = z
  .object({
    listener: facts.extend({ selfSigned: z.boolean() }).nullable().describe('null: the API is served without TLS'),
    clusters: z.array(
      z.object({
        cluster: z.string(),
        rotating: z.boolean().describe('the former authority is still trusted'),
        ...{ client: facts, server: facts, ca: facts },
      }),
    ),
    unread: z.array(z.object({ cluster: z.string(), problem: z.string() })),
  })
  .meta({ id: 'FleetCertificates' })

const rebuilt = z
  .object({ changed: z.boolean(), built: z.number().int(), unchanged: z.number().int() })
  .meta({ id: 'RebuiltArchives' })
const refusals = {
  ...clusterNotFound,
  ...usual('wrong-state', 'archive-failed', 'file-unreadable', 'file-unwritable', 'deadline-passed'),
  'bad-certificate': [500],
} as const

const exampleFacts = {
  ...{ subject: 'CN=client shop', issuer: 'CN=CA 2026-11-21T07:40:12.345Z shop' },
  ...{ notBefore: '2026-11-20T07:40:12.000Z', notAfter: '2036-11-18T07:40:12.000Z', fingerprint: 'AB:CD:…' },
}
const exampleReply = { changed: true, built: 3, unchanged: 0 }

/** Clusters whose files are read at once. */
const AT_ONCE = 16

export const certificateRoutes = {
  'certificates.fleet': route({
    cli: 'certificates fleet',
    methods: ['GET'],
    paths: ['/api/certificates'],
    summary:
      'The certificate of the API, and those that the manager made for each cluster whose certificates the caller may see, with their expiry. A cluster has none before its first archive.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: fleetCertificates },
    failures: usual('not-logged-in'),
    example: {
      reply: {
        listener: { ...exampleFacts, selfSigned: false },
        clusters: [{ cluster: 'demo', rotating: false, client: exampleFacts, server: exampleFacts, ca: exampleFacts }],
        unread: [],
      },
    },
    answer: async ({ manager, caller, listenerCertificate }) => {
      const names = manager.clusters().filter((name) => caller.may('cluster-show-certificates', name))
      return ok({ listener: listenerFacts(listenerCertificate), ...(await readAll(manager, names)) })
    },
  }),

  'certificates.list': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/certificates'],
    summary:
      'The client certificate of the cluster with its authority; its key is masked unless the user may rotate it. Empty before the first archive.',
    grant: 'cluster-show-certificates',
    reply: { status: 200, type: 'json', schema: z.array(clientCertificate), secret: true },
    failures: { ...clusterNotFound, ...usual('file-unreadable') },
    example: {
      reply: [
        {
          ...{ clientCert: '-----BEGIN CERTIFICATE-----…', clientKey: MASK, caCert: '-----BEGIN CERTIFICATE-----…' },
          ...{ serverCert: '-----BEGIN CERTIFICATE-----…', rotating: false },
          ...{ client: exampleFacts, server: exampleFacts, ca: exampleFacts },
        },
      ],
    },
    answer: async ({ manager, params, caller }): Promise<Result<readonly CertificateView[]>> => {
      const found = await manager.certificates(params.cluster)
      if (!found.ok || caller.may('cluster-certificates-rotate', params.cluster)) return found
      return ok(found.value.map((each) => ({ ...each, clientKey: MASK })))
    },
  }),

  'certificates.rotate': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/certificates-rotate'],
    summary:
      'New authority, server and client certificates, and archives that carry them; servers take them over when they fetch and start. The former authority stays trusted until `step=retire`.',
    grant: 'cluster-certificates-rotate',
    query: z.object({ step: z.enum(['rotate', 'retire']).default('rotate') }),
    reply: { status: 200, type: 'json', schema: rebuilt },
    failures: { ...refusals, ...usual('bad-request') },
    example: { reply: exampleReply },
    plan: ({ manager, params, query }) => planCertify(manager, params.cluster, query.step),
    answer: ({ manager, params, query, caller }) =>
      manager.certify({ cluster: params.cluster, action: query.step, user: caller.user }),
  }),

  'certificates.reload': route({
    methods: ['GET', 'POST'],
    paths: [
      '/api/clusters/:cluster/settings/actions/certificates-reload',
      '/api/clusters/:cluster/actions/certificates-reload',
    ],
    summary:
      'Read the certificates from their files again (`db-servers-tls-server-cert` …, or `ssl/` in the cluster’s folder); bad ones are named, and those before stay in force.',
    grant: 'cluster-certificates-reload',
    reply: { status: 200, type: 'json', schema: rebuilt },
    failures: refusals,
    example: { reply: { ...exampleReply, changed: false, built: 0, unchanged: 3 } },
    plan: ({ manager, params }) => planCertify(manager, params.cluster, 'reload'),
    answer: ({ manager, params, caller }) =>
      manager.certify({ cluster: params.cluster, action: 'reload', user: caller.user }),
  }),
}

function listenerFacts(certificate: string | undefined) {
  if (certificate === undefined) return null
  const read = certificateFacts(certificate)
  return { ...read, selfSigned: read.subject === read.issuer }
}

async function readAll(manager: ManagerFace, names: readonly string[]) {
  const clusters: z.output<typeof fleetCertificates>['clusters'] = []
  const unread: z.output<typeof fleetCertificates>['unread'] = []
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const bundle = names.slice(at, at + AT_ONCE)
    for (const [index, found] of (await Promise.all(bundle.map((name) => manager.certificates(name)))).entries()) {
      const cluster = bundle[index] ?? ''
      if (!found.ok) unread.push({ cluster, problem: found.failure.message })
      else
        for (const { rotating, client, server, ca } of found.value)
          clusters.push({ cluster, rotating, client, server, ca })
    }
  }
  return { clusters, unread }
}

type Step = 'rotate' | 'retire' | 'reload'

const stepTexts: Readonly<Record<Step, readonly string[]>> = {
  rotate: [
    'Create a new authority, and server and client certificates of it',
    'Keep the former authority trusted beside the new one',
  ],
  retire: ['Stop trusting the former authority'],
  reload: ['Read the certificates from their files again; bad ones keep those before in force'],
}

/** What is new cannot be named before it is made: the fingerprint that goes can. */
async function planCertify(manager: ManagerFace, cluster: string, step: Step): Promise<Result<Preview>> {
  const found = await manager.certificates(cluster)
  if (!found.ok) return found
  const [now] = found.value
  const judged =
    step === 'retire' && !now?.rotating ? fail('wrong-state', 'no former authority is trusted: rotate first') : ok(now)
  const { servers = [], proxies = [] } = manager.members(cluster) ?? {}
  const names = [...servers, ...proxies].map(({ name }) => name)
  return listed(`certificates-${step}`, judged, {
    texts: [...stepTexts[step], `Build the archives of ${names.join(', ')}`],
    changes: changesOf(now, step),
    follows:
      step === 'reload'
        ? []
        : names.map((name) => `${name} takes the new certificates over when it fetches its archive and starts.`),
  })
}

function changesOf(now: CertificateView | undefined, step: Step): readonly PlanChange[] {
  if (step === 'reload') return []
  if (step === 'retire') return [{ what: 'trusted authorities', before: '2', after: '1' }]
  return (['ca', 'server', 'client'] as const).map((what) => ({
    what: what === 'ca' ? 'authority' : `certificate of the ${what}s`,
    before: now ? `${now[what].fingerprint}, until ${now[what].notAfter}` : null,
    after: 'a new one',
  }))
}
