// The configuration archive of a server: what its host downloads before it starts, and the tokens that open it once.
import * as z from 'zod'
import { judgeDownload } from '../../../../lib/access/download.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { isoTime, MINUTE } from '../../../../lib/base/time.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import { namesTag } from '../../kit/fresh.js'
import { wholeNumber } from '../../kit/input.js'
import { listed } from '../../kit/plan/planned.js'
import { serverNotFound, usual } from '../../kit/refusals.js'
import { type Context, type Download, type RequestFacts, route } from '../../kit/route.js'
import { proxyNotFound, proxyOf } from '../cluster/proxies.js'

const readers = ['db-config-flag', 'proxy-config-flag'] as const

/** Most minutes that a bootstrap token is good for: a week. */
const MOST_MINUTES = 10_080

const tokenSchema = z
  .object({ token: z.string(), server: z.string(), expiresAt: z.iso.datetime() })
  .meta({ id: 'BootstrapToken' })

const tokenBody = z.object({ minutes: wholeNumber({ min: 1, max: MOST_MINUTES }).default(60) }).prefault({})
type Minutes = z.output<typeof tokenBody>

const downloadFailures = {
  'unknown-cluster': [500, 'No cluster'],
  'archive-missing': [404, 'File not found'],
  'not-logged-in': [401, 'Unauthenticated resource'],
  'no-grant': [403, 'No valid ACL'],
  ...usual('archive-failed', 'file-unreadable', 'deadline-passed'),
} as const

export const configArchiveRoutes = {
  'server.config': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/servers/:server/:port/config', '/api/clusters/:cluster/servers/:server/config'],
    summary:
      'The archive of the files the server runs on; `api-credentials-secure-config` demands a login or a bootstrap token as bearer, `api-config-download-tokens` the latter, `api-config-download-addresses` an address.',
    grant: 'none',
    reply: { status: 200, type: 'bytes' },
    failures: { 'unknown-server': [500, 'No server'], ...downloadFailures },
    example: { reply: 'config.tar.gz: a gzip-compressed tar of the server’s init tree' },
    answer: (context) => deliver(context, context.server),
  }),

  'server.bootstrap-token': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/servers/:server/actions/bootstrap-token'],
    summary: 'A token that downloads the archive of this server once: given as bearer where a login would be.',
    grant: 'prov-db-provision',
    body: tokenBody,
    reply: { status: 200, type: 'json', schema: tokenSchema },
    failures: { ...serverNotFound, ...usual('bad-request', 'wrong-state', 'file-unwritable') },
    example: {
      request: { minutes: 30 },
      reply: {
        ...{ token: 'mbt_Zk3…', server: 'db1:3306', expiresAt: '2026-11-21T08:10:12.345Z' },
      },
    },
    plan: ({ server, body }) => planToken(server, body),
    answer: (context) => giveToken(context, context.server),
  }),

  'proxy.config': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/proxies/:proxy/config'],
    summary:
      'The archive of the files the proxy runs on, as `server.config`; one that carries a password needs a login, a token or an address in any case.',
    grant: 'none',
    reply: { status: 200, type: 'bytes' },
    failures: { 'unknown-proxy': [500, 'No server'], ...downloadFailures },
    example: { reply: 'config.tar.gz: a gzip-compressed tar of the proxy’s init tree' },
    answer: async (context): Promise<Result<Opened>> => {
      const proxy = proxyOf(context.manager, context.params)
      return proxy.ok ? deliver(context, proxy.value) : proxy
    },
  }),

  'proxy.bootstrap-token': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/proxies/:proxy/actions/bootstrap-token'],
    summary: 'A token that downloads the archive of this proxy once: given as bearer where a login would be.',
    grant: 'prov-proxy-provision',
    body: tokenBody,
    reply: { status: 200, type: 'json', schema: tokenSchema },
    failures: { ...proxyNotFound, ...usual('unknown-server', 'bad-request', 'wrong-state', 'file-unwritable') },
    example: {
      request: { minutes: 30 },
      reply: { token: 'mbt_Zk3…', server: 'lb1:6032', expiresAt: '2026-11-21T08:10:12.345Z' },
    },
    plan: ({ manager, params, body }) => {
      const proxy = proxyOf(manager, params)
      return proxy.ok ? planToken(proxy.value, body) : proxy
    },
    answer: async (context): Promise<Result<unknown>> => {
      const proxy = proxyOf(context.manager, context.params)
      return proxy.ok ? giveToken(context, proxy.value) : proxy
    },
  }),
}

/** A server or a proxy. */
interface Target {
  readonly id: ServerId
  readonly name: string
}

const planToken = ({ name }: Target, { minutes }: Minutes) =>
  listed('bootstrap-token', ok(undefined), [
    `Create a token that downloads the archive of ${name} once, within ${minutes} minutes`,
  ])

async function giveToken(
  { manager, params, body, caller }: Pick<Asked, 'manager' | 'params' | 'caller'> & { readonly body: Minutes },
  target: Target,
): Promise<Result<unknown>> {
  const made = await manager.makeBootstrapToken({
    ...{ cluster: params.cluster, server: target.id, user: caller.user, lifeMs: body.minutes * MINUTE },
  })
  if (!made.ok) return made
  return ok({ token: made.value.token, server: target.name, expiresAt: isoTime(made.value.expiresAt) })
}

/** Every download is noted with who asked, and every refusal. */
async function deliver(asked: Asked, target: Target): Promise<Result<Opened>> {
  const { manager, params, caller, request } = asked
  const archive = await openArchive(asked, target)
  const { user, address } = caller
  const opened = archive.ok ? { opened: archive.value.opened } : { refused: archive.failure.message }
  manager.noteDownload({
    ...{ cluster: params.cluster, server: target.name, user, address, request: request.id },
    ...opened,
  })
  return archive
}

type Opened = Download & { readonly opened: 'login' | 'token' | 'open' }
type Asked = Pick<Context<{ readonly cluster: string }, unknown, unknown>, 'manager' | 'params' | 'caller' | 'request'>

/** By default anybody may, so that hosts can start without a token. A token is spent by the answer that brings bytes. */
async function openArchive({ manager, params, caller, request }: Asked, server: Target): Promise<Result<Opened>> {
  const { cluster } = params
  const mayRead = readers.some((grant) => caller.may(grant, cluster))
  const opened = judgeDownload(manager.downloadPolicy(cluster, server.id), { ...caller, mayRead })
  if (!opened.ok) return opened
  const token = { cluster, server: server.id, token: bearerOf(request) }
  const refused = fail('not-logged-in', 'neither a login nor an unspent bootstrap token of this server')
  const byToken = opened.value === 'token'
  if (byToken && !(await manager.checkBootstrapToken({ ...token, spend: false }))) return refused
  const archive = await manager.archive(cluster, server.id)
  if (!archive.ok) return archive
  const isSent = request.method !== 'HEAD' && !namesTag(request.headers['if-none-match'], `"${archive.value.etag}"`)
  if (byToken && isSent && !(await manager.checkBootstrapToken({ ...token, spend: true }))) return refused
  return ok({ ...archive.value, name: 'config.tar.gz', opened: opened.value })
}

const bearerOf = ({ headers }: RequestFacts): string =>
  /^bearer\s+(\S+)$/i.exec(headers.authorization?.trim() ?? '')?.[1] ?? ''
