// What can be done with one server: maintenance, rating, replication, read-only state, promotion.
import * as z from 'zod'
import type { ManagerFace } from '../../../../actors/protocol/manager/face.js'
import type { Grant } from '../../../../lib/access/grants.js'
import type { FailureCode } from '../../../../lib/base/failures.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import type { Work } from '../../../../lib/model/operation/preview.js'
import type { Rating, ServerId } from '../../../../lib/model/server/server.js'
import { exampleOperation } from '../../kit/examples.js'
import { flag, stateOf, stateParams, wantedOf } from '../../kit/input.js'
import { findMember } from '../../kit/member.js'
import { planChange } from '../../kit/plan/foreseen.js'
import { listed, planWork } from '../../kit/plan/planned.js'
import { asked, serverNotFound, statementCodes, usual } from '../../kit/refusals.js'
import { type Context, route } from '../../kit/route.js'
import { ticketSchema } from '../../schemas/operation.js'
import {
  ended,
  OPERATION_WAIT,
  operationFailures,
  planSwitchover,
  requestOf,
  switchOver,
} from '../cluster/operations.js'

type ServerPath = '/api/clusters/:cluster/servers/:server/actions'

interface Action {
  /** Last words of the path: the canonical one first. */
  readonly words: readonly [string, ...string[]]
  readonly summary: string
  readonly grant: Grant
  readonly failures?: readonly FailureCode[]
  /** What it would do. */
  readonly work?: (server: ServerId) => Work
  readonly ask: (
    cluster: Context<unknown, unknown, unknown>['cluster'],
    target: { readonly user: string; readonly server: ServerId },
  ) => Promise<Result<unknown>>
}

/** The row that ranks a server in elections: a setting changes, so it shows there and survives restarts. */
const rate = (words: readonly [string, ...string[]], rating: Rating, summary: string) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`${base}/${words[0]}` as ServerPath, ...words.slice(1).map((word) => `${base}/${word}` as ServerPath)],
    summary,
    grant: 'cluster-failover',
    reply: { status: 200, type: 'empty' },
    failures: { ...serverNotFound, ...asked, ...usual('wrong-value', 'file-unwritable') },
    plan: ({ manager, params, server, caller }) =>
      planChange(manager, 'rate-server', (changes) =>
        changes.rateServer({ cluster: params.cluster, server: server.id, user: caller.user }, rating),
      ),
    answer: ({ manager, params, server, caller }) =>
      manager.rateServer({ cluster: params.cluster, server: server.id, user: caller.user }, rating),
  })

const base = '/api/clusters/:cluster/servers/:server/actions'

/** The row of an action without a body: one message, an empty answer. */
const action = ({ words: [first, ...others], summary, grant, failures = [], work, ask }: Action) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`${base}/${first}` as ServerPath, ...others.map((word) => `${base}/${word}` as ServerPath)],
    summary,
    grant,
    reply: { status: 200, type: 'empty' },
    failures: { ...serverNotFound, ...asked, ...usual(...failures) },
    ...(work ? { plan: ({ cluster, server }) => planWork(cluster, work(server.id)) } : {}),
    answer: ({ cluster, server, caller }) => ask(cluster, { user: caller.user, server: server.id }),
  })

/** A member by id, name or address. */
function findSource(manager: ManagerFace, cluster: string, name: string): Result<ServerId> {
  const view = manager.members(cluster)
  const member = view && findMember(view, name)
  return member ? ok(member.id) : fail('unknown-server', `${name} is not a server of ${cluster}`)
}

const sqlFailures = [...statementCodes, 'operation-running'] as const

export const serverActionRoutes = {
  'server.maintenance': route({
    cli: 'server maintenance',
    methods: ['GET', 'POST'],
    paths: [`${base}/maintenance`, `${base}/maintenance/:state`],
    summary:
      'Put the server into maintenance (`on`) or end it (`off`): it is left out of decisions. Without a state: toggle.',
    grant: 'db-maintenance',
    params: stateParams,
    reply: { status: 200, type: 'empty' },
    failures: { ...serverNotFound, ...asked },
    plan: ({ cluster, server, params }) =>
      planWork(cluster, { type: 'maintenance', server: server.id, ...wantedOf(params.state) }),
    answer: ({ cluster, server, params, caller }) => {
      const on = stateOf(params.state)
      const mode = on === undefined ? 'toggle' : on ? 'on' : 'off'
      return cluster.ask('set-maintenance', { user: caller.user, server: server.id, mode })
    },
  }),
  'server.set-maintenance': action({
    words: ['set-maintenance'],
    summary: 'Put the server into maintenance.',
    grant: 'db-maintenance',
    work: (server) => ({ type: 'maintenance', server, on: true }),
    ask: (cluster, target) => cluster.ask('set-maintenance', { ...target, mode: 'on' }),
  }),
  'server.del-maintenance': action({
    words: ['del-maintenance'],
    summary: 'End the maintenance of the server.',
    grant: 'db-maintenance',
    work: (server) => ({ type: 'maintenance', server, on: false }),
    ask: (cluster, target) => cluster.ask('set-maintenance', { ...target, mode: 'off' }),
  }),
  'server.set-prefered': rate(['set-prefered', 'set-preferred'], 'preferred', 'Prefer the server in elections.'),
  'server.set-ignored': rate(['set-ignored'], 'ignored', 'Never elect the server.'),
  'server.set-unrated': rate(['set-unrated'], 'unrated', 'Neither prefer nor ignore the server in elections.'),
  'server.start-slave': action({
    words: ['start-slave'],
    summary: 'Start replication on the server.',
    grant: 'db-replication',
    failures: [...sqlFailures, 'not-replicating'],
    work: (server) => ({ type: 'replication', server, run: true }),
    ask: (cluster, target) => cluster.ask('start-replication', target),
  }),
  'server.stop-slave': action({
    words: ['stop-slave'],
    summary: 'Stop replication on the server.',
    grant: 'db-replication',
    failures: [...sqlFailures, 'not-replicating'],
    work: (server) => ({ type: 'replication', server, run: false }),
    ask: (cluster, target) => cluster.ask('stop-replication', target),
  }),
  'server.toogle-read-only': route({
    cli: 'server set-read-only',
    methods: ['GET', 'POST'],
    paths: [`${base}/toogle-read-only`, `${base}/toogle-read-only/:state`, `${base}/toggle-read-only`],
    summary:
      'Make the server read-only (`on`) or writable (`off`); without a state: toggle. A server that is missing transactions of the cluster is made writable only with `force=true`.',
    grant: 'db-readonly',
    params: stateParams,
    query: z.object({ force: flag().optional() }),
    reply: { status: 200, type: 'empty' },
    failures: { ...serverNotFound, ...asked, ...usual(...sqlFailures, 'is-primary', 'wrong-state') },
    plan: ({ cluster, server, params }) =>
      planWork(cluster, { type: 'read-only', server: server.id, ...wantedOf(params.state) }),
    answer: ({ cluster, server, params, query, caller }) => {
      const target = { user: caller.user, server: server.id, ...wantedOf(params.state) }
      return cluster.ask('toggle-read-only', { ...target, force: query.force === true })
    },
  }),
  'server.accept-public-key': route({
    methods: ['GET', 'POST'],
    paths: [`${base}/accept-public-key/:fingerprint`],
    summary:
      'Seal passwords for the RSA key of this fingerprint (SHA-256, 64 hexadecimal digits) on logins to this MySQL server without TLS: its keys were made again. The finding ERR00183 names the key that it shows; compare it on the host of the server first. Where the account of the databases is given by files, it takes a grant for the whole service.',
    // Who may name servers to the manager has its account sent to them.
    grant: 'cluster-create-monitor',
    params: z.looseObject({
      fingerprint: z.string().regex(/^[0-9A-Fa-f]{64}$/, 'not a fingerprint: 64 hexadecimal digits of SHA-256'),
    }),
    reply: { status: 200, type: 'empty' },
    failures: {
      ...serverNotFound,
      ...usual('bad-request', 'setting-grant', 'wrong-value', 'wrong-state', 'file-unwritable'),
    },
    plan: ({ server, params }) =>
      listed('accept-public-key', ok(undefined), [
        `Seal passwords for ${server.name} for the RSA key ${params.fingerprint}, and for no other one`,
      ]),
    answer: ({ manager, server, params, caller }) =>
      manager.acceptPublicKey({
        ...{ cluster: params.cluster, server: server.id, user: caller.user, may: caller.may },
        fingerprint: params.fingerprint.toLowerCase(),
      }),
  }),
  'server.relocate': route({
    methods: ['GET', 'POST'],
    paths: [`${base}/relocate/:source`],
    summary:
      'Give a slave another source (id, name or host:port): the master, or a slave of it where intermediate slaves are allowed (replication-multi-tier-slave). It applies what it received first; when it fails it follows its old source again.',
    grant: 'db-replication',
    query: z.object({ wait: flag().optional() }),
    reply: { status: 200, type: 'json', schema: ticketSchema },
    failures: { ...operationFailures, ...serverNotFound, ...usual('is-primary') },
    example: { reply: { operation: { ...exampleOperation, kind: 'repair' } } },
    plan: ({ manager, cluster, server, params }) => {
      const source = findSource(manager, params.cluster, params.source)
      return source.ok ? planWork(cluster, { type: 'relocate', server: server.id, source: source.value }) : source
    },
    answer: async ({ manager, cluster, server, params, query, caller, confirmed }) => {
      const source = findSource(manager, params.cluster, params.source)
      if (!source.ok) return source
      const request = { ...requestOf({ caller, query, confirmed }), server: server.id, source: source.value }
      return ended(await cluster.ask('relocate', request, { deadlineMs: OPERATION_WAIT }))
    },
  }),
  'server.switchover': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/servers/:server/actions/switchover'],
    summary: 'Switch over to this server; `plan=true` only returns the plan.',
    grant: 'cluster-switchover',
    query: z.object({ wait: flag().optional() }),
    reply: { status: 200, type: 'json', schema: ticketSchema },
    failures: {
      ...operationFailures,
      ...serverNotFound,
      'primary-failed': [500, 'Master failed, cannot initiate switchover'],
      'is-primary': [409],
    },
    example: { reply: { operation: exampleOperation } },
    plan: ({ cluster, server }) => planSwitchover(cluster, server.id),
    answer: ({ cluster, server, query, caller, confirmed }) =>
      switchOver({ cluster, caller, query, confirmed, candidate: server.id }),
  }),
}
