// API tokens: a user's own right to act, narrowed to some grants and clusters, for scripts and machines.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { wholeNumber } from '../../kit/input.js'
import { listed } from '../../kit/plan/planned.js'
import { noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { tokenRecordSchema } from '../../views/kit/token.js'

const wishSchema = z.object({
  label: z.string().regex(/\S/, 'must not be blank').max(64).trim(),
  grants: z
    .string()
    .max(4_096)
    .default('')
    .describe(
      'words as in an access list; empty: everything the caller holds; 400 for what is no grant, or none of the caller',
    ),
  clusters: z
    .array(z.string().max(256))
    .max(1_000)
    .default([])
    .describe('empty or "*": every cluster; 400 for one that the caller does not see'),
  expireDays: wholeNumber({ min: -1, max: 36_500 }).default(0).describe('0: as configured; -1: never'),
})

const record = {
  id: '5f1e0c7a9b3d2e4f60718293',
  user: 'admin',
  label: 'nightly report',
  grants: ['db-show'],
  clusters: ['shop'],
  createdAt: '2026-11-21T08:00:00.000Z',
  createdFrom: '127.0.0.1',
  expiresAt: '2027-03-21T08:00:00.000Z',
  lastUsedAt: null,
  lastUsedFrom: '',
  revokedAt: null,
  revokedBy: '',
  expired: false,
  revoked: false,
} as const

const endText = (days: number): string => (days < 0 ? 'never' : days === 0 ? 'as configured' : `in ${days} days`)

export const tokenRoutes = {
  'tokens.list': route({
    methods: ['GET'],
    paths: ['/api/tokens'],
    summary: 'The API tokens of the caller, without their texts.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: z.array(tokenRecordSchema) },
    failures: {},
    example: { reply: [record] },
    answer: ({ sessions, caller }) => ok(sessions.tokens.own(caller)),
  }),

  'tokens.create': route({
    methods: ['POST'],
    paths: ['/api/tokens'],
    summary: 'Create an API token with some grants of the caller; its text is shown only once.',
    grant: 'token',
    body: wishSchema,
    reply: { status: 200, type: 'json', schema: tokenRecordSchema },
    failures: {
      'bad-request': [400],
      'no-grant': [403],
      ...usual('bound-reached', 'file-unwritable', 'store-unreachable'),
    },
    example: {
      request: { label: 'nightly report', grants: 'db-show', clusters: ['shop'], expireDays: 120 },
      reply: { ...record, token: 'mat_…' },
    },
    plan: ({ caller, body }) =>
      listed('create-token', ok(undefined), {
        texts: [`Create the API token ${body.label} of ${caller.user}`],
        changes: [
          { what: 'grants', before: null, after: body.grants || 'everything that you hold' },
          { what: 'clusters', before: null, after: body.clusters.join(', ') || 'every cluster' },
          { what: 'end', before: null, after: endText(body.expireDays) },
        ],
        follows: ['Its text is shown once.'],
      }),
    answer: ({ sessions, caller, body }) => sessions.tokens.issue(caller, body),
  }),

  'tokens.revoke': route({
    methods: ['DELETE'],
    paths: ['/api/tokens/:token'],
    summary: 'Revoke an API token: refused from the next request on.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: tokenRecordSchema },
    failures: { 'no-grant': [403], ...usual('unknown-token', 'file-unwritable', 'store-unreachable') },
    example: { reply: { ...record, revoked: true, revokedAt: '2026-11-22T08:00:00.000Z', revokedBy: 'admin' } },
    plan: ({ sessions, caller, params: { token } }) => {
      const judged = sessions.tokens.revocable(caller, token)
      if (!judged.ok) return listed('revoke-token', judged, [])
      const { label, user, revoked, expired } = judged.value
      return listed('revoke-token', judged, {
        texts: [`Revoke the API token ${label} of ${user}`],
        changes: [{ what: label, before: revoked ? 'revoked' : expired ? 'expired' : 'valid', after: 'revoked' }],
        follows: ['What uses it is refused from its next request on.', 'Its text cannot be used again.'],
      })
    },
    answer: ({ sessions, caller, params }) => sessions.tokens.revoke(caller, params.token),
  }),

  'tokens.of-cluster': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/tokens'],
    summary: 'The API tokens of all users that reach the cluster, without their texts.',
    grant: ['token-manage', 'grant-show'],
    reply: { status: 200, type: 'json', schema: z.array(tokenRecordSchema) },
    failures: { ...noCluster, 'unknown-cluster': [404, 'No cluster'] },
    example: { reply: [record] },
    answer: ({ sessions, params }) => ok(sessions.tokens.on(params.cluster)),
  }),
}
