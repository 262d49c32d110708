// The past: what happened to a cluster and to the manager, in one order, and how a cluster was at a moment.
import * as z from 'zod'
import { globalGrants } from '../../../../lib/access/grants.js'
import { timelineKinds } from '../../../../lib/model/timeline.js'
import { flag, wholeNumber } from '../../kit/input.js'
import { findMember } from '../../kit/member.js'
import { noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { jsonValue } from '../../schemas/fields.js'

const entrySchema = z
  .object({
    id: z.string(),
    at: z.number(),
    until: z.number().nullable(),
    kind: z.enum(timelineKinds),
    server: z.string().nullable(),
    level: z.string(),
    code: z.string().nullable(),
    text: z.string(),
    user: z.string().nullable(),
    data: z.record(z.string(), jsonValue),
  })
  .meta({ id: 'TimelineEntry' })

const pageSchema = z.object({ entries: z.array(entrySchema), next: z.string().nullable() }).meta({ id: 'TimelinePage' })

const mergedSchema = z
  .object({
    entries: z.array(entrySchema.extend({ cluster: z.string().nullable() })),
    next: z.string().nullable(),
    reach: z.number().optional().describe('entries before this moment were not searched'),
  })
  .meta({ id: 'FleetTimelinePage' })

const serverThen = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.string(),
    state: z.string(),
    sources: z.array(z.string()),
    lag: z.number().nullable(),
    since: z.number(),
  })
  .meta({ id: 'ServerThen' })

const momentSchema = z
  .object({
    time: z.number(),
    topology: z
      .object({
        at: z.number(),
        topology: z.string(),
        primary: z.string().nullable(),
        servers: z.array(serverThen),
      })
      .nullable(),
    until: z.number().nullable(),
    open: z.array(entrySchema),
    down: z.object({ from: z.number(), until: z.number() }).nullable(),
  })
  .meta({ id: 'Moment' })

const USUAL = 100
const MOST = 1_000

const mark = z.string().regex(/^(e\d{1,15}|\d{1,15})$/, 'the id of an entry, or milliseconds since the epoch')
const milliseconds = z.string().regex(/^\d{1,15}$/, 'milliseconds since the epoch')

const limit = wholeNumber({ min: 1, max: MOST }).optional().describe(`How many, ${USUAL} unless given.`)

const kind = z
  .string()
  .regex(new RegExp(`^(${timelineKinds.join('|')})(,(${timelineKinds.join('|')}))*$`), timelineKinds.join(', '))
  .optional()
  .describe('Only these kinds, with commas between them.')

const markOf = (text: string): string | number => (text.startsWith('e') ? text : Number(text))

const exampleEntry = {
  ...{ id: 'e4711', at: 1795246812345, until: 1795246813102, kind: 'operation', server: null, level: 'ALERTOK' },
  ...{ code: 'failover', text: 'Failover succeeded after 757 ms', user: 'manager' },
  data: { id: 'failover-20261121T074012345-1', phase: 'succeeded', steps: [] },
} as const

export const timelineRoutes = {
  'timeline.cluster': route({
    cli: 'cluster timeline',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/timeline'],
    summary:
      'What happened to the cluster, newest first, kept over restarts (`timeline-keep`): findings, operations with their steps and jobs as spans, states, settings with both values, what users asked for. `before` and `after`: the id of an entry, or milliseconds; `next` is the `before` of the next page.',
    grant: 'token',
    query: z.object({
      before: mark.optional(),
      after: mark.optional(),
      limit,
      kind,
      server: z.string().max(300).optional().describe('Id, name or host:port.'),
    }),
    reply: { status: 200, type: 'json', schema: pageSchema },
    failures: { ...noCluster, ...usual('bad-request', 'file-unreadable') },
    example: { reply: { entries: [exampleEntry], next: null } },
    answer: ({ manager, params, query: { before, after, limit: most = USUAL, kind: kinds, server } }) => {
      const member = server === undefined ? undefined : findMemberId(manager.members(params.cluster), server)
      return manager.timeline.page(params.cluster, {
        limit: most,
        ...(before === undefined ? {} : { before: markOf(before) }),
        ...(after === undefined ? {} : { after: markOf(after) }),
        ...(kinds === undefined ? {} : { kinds: kinds.split(',') }),
        ...(member === undefined ? {} : { server: member }),
      })
    },
  }),

  'timeline.moment': route({
    cli: 'cluster at',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/at'],
    summary:
      'How the cluster was at a moment (`time`, milliseconds; now unless given): the topology that was recorded last before it, since when each server was so with the lag of then, what lasted, and whether no manager ran (`down`). Null where nothing so old is kept.',
    grant: 'token',
    query: z.object({ time: milliseconds.optional() }),
    reply: { status: 200, type: 'json', schema: momentSchema },
    failures: { ...noCluster, ...usual('bad-request', 'file-unreadable') },
    example: {
      reply: {
        time: 1795246813000,
        topology: {
          ...{ at: 1795246812345, topology: 'master-slave', primary: 'db1' },
          servers: [
            {
              ...{ id: 'db1', name: 'db1', role: 'primary', state: 'Failed', sources: [], lag: null },
              since: 1795246812345,
            },
          ],
        },
        ...{ until: 1795246813102, open: [exampleEntry], down: null },
      },
    },
    answer: ({ manager, params, query }) =>
      manager.timeline.at(params.cluster, query.time === undefined ? Date.now() : Number(query.time)),
  }),

  'timeline.fleet': route({
    cli: 'manager timeline',
    methods: ['GET'],
    paths: ['/api/timeline'],
    summary:
      'The timelines of every cluster the caller may see as one, newest first; with a grant on the whole service also that of the manager: logins, settings of the server, starts. `cluster` limits it to some, with commas between them; `open=true` to what lasts: what runs and waits, and open findings; `user` and `code` to what one user did, or to one kind of action. A search by those reads a bounded part of what is kept: `reach` says how far back it went where that is not all.',
    grant: 'token',
    query: z.object({
      before: z
        .string()
        .regex(/^\d{1,15}(~[^~]*~e\d{1,15})?$/, '`next` of a page, or milliseconds since the epoch')
        .optional(),
      after: milliseconds.optional(),
      limit,
      kind,
      cluster: z.string().max(10_000).optional(),
      open: flag().optional().describe('Only what lasts.'),
      user: z.string().min(1).max(128).optional().describe('Only what this user asked for or did.'),
      code: z
        .string()
        .min(1)
        .max(128)
        .optional()
        .describe('Only entries whose code contains it: an action, a setting, a finding.'),
    }),
    reply: { status: 200, type: 'json', schema: mergedSchema },
    failures: usual('not-logged-in', 'bad-request', 'file-unreadable'),
    example: { reply: { entries: [{ cluster: 'demo', ...exampleEntry }], next: '1795246812345~demo~e4711' } },
    answer: ({ manager, caller, query: { before, after, limit: most = USUAL, kind: kinds, ...query } }) => {
      const { cluster, open = false, user, code } = query
      const wanted = cluster === undefined || cluster === '' ? undefined : new Set(cluster.split(','))
      const seen = manager.clusters().filter((name) => caller.sees(name) && (wanted?.has(name) ?? true))
      const isGlobal = globalGrants.some((grant) => caller.may(grant, ''))
      return manager.timeline.merged(isGlobal && !wanted ? ['', ...seen] : seen, {
        limit: most,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after: Number(after) }),
        ...(kinds === undefined ? {} : { kinds: kinds.split(',') }),
        ...(open ? { open } : {}),
        ...(user === undefined ? {} : { user }),
        ...(code === undefined ? {} : { code }),
      })
    },
  }),
}

/** A server that has left is named by its id. */
const findMemberId = (view: Parameters<typeof findMember>[0] | undefined, name: string): string =>
  (view && findMember(view, name)?.id) ?? name
