// The whole fleet: a row for each cluster, and the stream of what changes in them.
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { LONGEST_FILTER, parseFilter } from '../../../../lib/model/fleet/filter.js'
import { parseOrder, sortKeys } from '../../../../lib/model/fleet/order.js'
import type { FleetRow } from '../../../../lib/model/fleet/row.js'
import { wholeNumber } from '../../kit/input.js'
import { usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { fleetRowSchema } from '../../schemas/shapes.js'

const exampleRow: FleetRow = {
  ...{ name: 'demo', state: 'healthy', primary: 'db1', topology: 'master-slave', mode: 'automatic', flags: [] },
  ...{ up: 3, of: 3, lag: 0, semi: 'on', loss: 0, errors: 0, warnings: 1, worst: 'WARN0048', op: null },
  ...{ at: 1_795_440_000_000, wps: 120, tags: ['prod'] },
}

const fleetQuery = z.object({
  filter: z.string().max(LONGEST_FILTER).optional().meta({
    description:
      'Terms that must all hold: a word of the name, the primary or a tag, state:down, tag:prod, has:op, code:WARN0060, lag>5, -state:healthy (share/doc/fleet.md).',
  }),
  sort: z
    .string()
    .max(200)
    .optional()
    .meta({ description: `Keys separated by commas, with - downwards: ${sortKeys.join(', ')}.` }),
  offset: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .meta({ description: 'Leave out so many clusters first.' }),
  limit: wholeNumber({ min: 0, max: 10_000 }).optional().meta({ description: 'So many clusters at most.' }),
})

type FleetQuery = z.output<typeof fleetQuery>

export const fleetRoutes = {
  'clusters.fleet': route({
    cli: 'cluster fleet',
    methods: ['GET'],
    paths: ['/api/fleet'],
    summary: 'Every cluster the caller holds any grant on in one short row: its state, worst finding, primary, lag.',
    grant: 'token',
    query: fleetQuery,
    reply: { status: 200, type: 'view', schema: z.array(fleetRowSchema) },
    failures: usual('not-logged-in', 'bad-request'),
    example: { reply: [exampleRow] },
    answer: async ({ manager, caller, query }) => {
      const selection = parseSelection(query)
      if (!selection.ok) return selection
      const { rows, etag } = await manager.fleet.list(caller.sees)
      return ok(publish(rows, etag, selection.value))
    },
  }),

  'clusters.fleet-events': route({
    cli: 'cluster fleet-events',
    methods: ['GET'],
    paths: ['/api/fleet/events'],
    summary:
      'The fleet as server-sent events: a snapshot of all rows, then deltas (the keys of a row that changed; null: the cluster is gone) and notes (findings and operations that begin and end). Last-Event-ID resumes.',
    grant: 'token',
    query: z.object({
      since: z.string().max(100).optional().meta({ description: 'Resume after the event of this id.' }),
    }),
    reply: { status: 200, type: 'events' },
    failures: usual('not-logged-in'),
    example: { reply: 'id: mho1x2k-17\nevent: delta\ndata: {"c":"demo","k":{"lag":3}}\n\n' },
    answer: ({ manager, caller }) =>
      ok({
        follow: (since, reader, signal) => manager.fleet.follow({ since, sees: caller.sees, signal }, reader),
      }),
  }),
}

interface Selection {
  readonly query: FleetQuery
  readonly matches: ((row: FleetRow) => boolean) | undefined
  readonly compare: ((one: FleetRow, other: FleetRow) => number) | undefined
}

function parseSelection(query: FleetQuery): Result<Selection> {
  const filter = query.filter === undefined ? undefined : parseFilter(query.filter)
  if (filter?.ok === false)
    return fail('bad-request', `filter: ${filter.fault.message} (at character ${filter.fault.at + 1})`)
  const compare = query.sort === undefined ? undefined : parseOrder(query.sort)
  if (query.sort !== undefined && !compare)
    return fail('bad-request', `sort: unknown: ${query.sort}; known: ${sortKeys.join(', ')}`)
  return ok({ query, matches: filter?.matches, compare })
}

function publish(all: readonly FleetRow[], etag: string, { query, matches, compare }: Selection) {
  if (Object.values(query).every((value) => value === undefined)) return { bytes: bytesOf(all), etag, at: 0 }
  const kept = matches ? all.filter(matches) : all
  const sorted = compare ? kept.toSorted(compare) : kept
  const { offset = 0, limit = sorted.length } = query
  const rows = sorted.slice(offset, offset + limit)
  const next = offset + rows.length
  return {
    bytes: bytesOf(rows),
    etag: `${etag}.${createHash('sha1').update(JSON.stringify(query)).digest('base64url')}`,
    at: 0,
    part: { total: sorted.length, ...(rows.length > 0 && next < sorted.length ? { next } : {}) },
  }
}

/** The rows of a fleet at rest are rendered, and packed, once for all who read them. */
const rendered = new WeakMap<readonly FleetRow[], Buffer>()

function bytesOf(rows: readonly FleetRow[]): Buffer {
  const bytes = rendered.get(rows) ?? Buffer.from(JSON.stringify(rows))
  rendered.set(rows, bytes)
  return bytes
}
