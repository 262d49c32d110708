// The TLS certificates that the manager makes for a cluster and delivers to its servers.
import { z } from 'zod'
import type { CertificateView } from '../../../../actors/protocol/manager/certificate-view.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import { MASK } from '../../../../lib/base/secret.js'
import { clusterNotFound, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const facts = z.object({
  subject: z.string(),
  issuer: z.string(),
  notBefore: z.iso.datetime(),
  notAfter: z.iso.datetime(),
  fingerprint: z.string(),
})

const clientCertificate = z.object({
  ...{ clientCert: z.string(), clientKey: z.string(), caCert: z.string(), serverCert: z.string() },
  rotating: z.boolean(),
  ...{ client: facts, server: facts, ca: facts },
}) satisfies z.ZodType<CertificateView>

const rebuilt = z.object({ changed: z.boolean(), built: z.number().int(), unchanged: z.number().int() })
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

export const certificateRoutes = {
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
    answer: ({ manager, params, caller }) =>
      manager.certify({ cluster: params.cluster, action: 'reload', user: caller.user }),
  }),
}
