// Role checks of load balancers: without a token, answered from shared flags. The gateway's fast path answers the plain
// forms before any routing; these rows answer the rest and are the document of both.
import * as z from 'zod'
import type { ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { lagText } from '../../kit/input.js'
import { noCluster } from '../../kit/refusals.js'
import { judgeRole, type RoleQuestion } from '../../kit/role-check.js'
import { route } from '../../kit/route.js'

/** Answers the check; `unknown-server` and `no` have the same answer on purpose: neither takes traffic. */
function check(manager: ManagerFace, question: RoleQuestion): Result<string> {
  const { status, text } = judgeRole(manager, question)
  if (status === 200) return ok(text)
  if (status === 400) return fail('bad-request', text)
  return status === 500 ? fail('unknown-cluster', text) : fail('check-negative', text)
}

const lagQuery = z.object({ lag: lagText().optional().describe('Most seconds behind the master.') })

const queryText = ({ lag }: { readonly lag?: string | undefined }): string =>
  lag === undefined ? '' : new URLSearchParams({ lag }).toString()

export const checkRoutes = {
  'check.is-master': route({
    methods: ['GET'],
    paths: [
      '/api/clusters/:cluster/servers/:server/is-master',
      '/api/clusters/:cluster/servers/:server/:port/is-master',
      '/api/clusters/:cluster/servers/:server/primary',
      '/api/clusters/:cluster/servers/:server/:port/primary',
      '/clusters/:cluster/servers/:server/master-status',
      '/clusters/:cluster/servers/:server/:port/master-status',
    ],
    summary: 'Whether the server is the writable master of an active monitor.',
    grant: 'none',
    reply: { status: 200, type: 'text', text: '200 -Valid Master!' },
    failures: {
      ...noCluster,
      'unknown-server': [503, '503 -Not a Valid Master!'],
      'check-negative': [503, '503 -Not a Valid Master!'],
    },
    example: { reply: '200 -Valid Master!' },
    answer: ({ manager, params: { cluster, server, port } }) =>
      check(manager, { cluster, server, role: 'primary', query: '', ...(port === undefined ? {} : { port }) }),
  }),

  'check.is-slave': route({
    methods: ['GET'],
    paths: [
      '/api/clusters/:cluster/servers/:server/is-slave',
      '/api/clusters/:cluster/servers/:server/:port/is-slave',
      '/api/clusters/:cluster/servers/:server/replica',
      '/api/clusters/:cluster/servers/:server/:port/replica',
      '/clusters/:cluster/servers/:server/slave-status',
      '/clusters/:cluster/servers/:server/:port/slave-status',
    ],
    summary: 'Whether the server is a slave that may be read from; `lag` bounds how far it may be behind, in seconds.',
    grant: 'none',
    query: lagQuery,
    reply: { status: 200, type: 'text', text: '200 -Valid Slave!' },
    failures: {
      ...noCluster,
      'unknown-server': [503, '503 -Not a Valid Slave!'],
      'check-negative': [503, '503 -Not a Valid Slave!'],
      'bad-request': [400],
    },
    example: { reply: '200 -Valid Slave!' },
    answer: ({ manager, query, params: { cluster, server, port } }) =>
      check(manager, {
        ...{ cluster, server, role: 'replica', query: queryText(query) },
        ...(port === undefined ? {} : { port }),
      }),
  }),

  'check.primary': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/primary'],
    summary: 'Whether the cluster has a writable master.',
    grant: 'none',
    reply: { status: 200, type: 'text', text: '200 -Valid Master!' },
    failures: { ...noCluster, 'check-negative': [503, '503 -Not a Valid Master!'] },
    example: { reply: '200 -Valid Master!' },
    answer: ({ manager, params }) => check(manager, { cluster: params.cluster, role: 'primary', query: '' }),
  }),

  'check.replica': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/replica'],
    summary: 'Whether the cluster has a slave that may be read from, at most `lag` seconds behind.',
    grant: 'none',
    query: lagQuery,
    reply: { status: 200, type: 'text', text: '200 -Valid Slave!' },
    failures: { ...noCluster, 'check-negative': [503, '503 -Not a Valid Slave!'], 'bad-request': [400] },
    example: { reply: '200 -Valid Slave!' },
    answer: ({ manager, query, params }) =>
      check(manager, { cluster: params.cluster, role: 'replica', query: queryText(query) }),
  }),

  'check.health': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/health'],
    summary: 'The servers for writes and reads; 503 while no server accepts writes.',
    grant: 'none',
    reply: { status: 200, type: 'json', schema: z.object({ master: z.string(), slaves: z.array(z.string()) }) },
    failures: { ...noCluster, 'check-negative': [503, '503 -Not a Valid Master!'] },
    example: { reply: { master: 'db1', slaves: ['db2', 'db3'] } },
    answer: ({ manager, params: { cluster } }) => {
      const [master] = judgeRole(manager, { cluster, role: 'primary', query: '' }).members
      if (!master) return fail('check-negative', `${cluster} has no server that takes writes`)
      const { members } = judgeRole(manager, { cluster, role: 'replica', query: '' })
      return ok({ master: master.name, slaves: members.map(({ name }) => name).filter((name) => name !== master.name) })
    },
  }),
}
