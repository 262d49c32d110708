// The past in numbers: series that the manager keeps of clusters and servers, in its own form and in that of Graphite.
import * as z from 'zod'
import type { ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { createFairShares, holderOf, sharedBounds } from '../../../../lib/access/bound/index.js'
import { createLimit } from '../../../../lib/base/limit.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { HOUR, now, SECOND } from '../../../../lib/base/time.js'
import {
  COARSE_KEPT_MS,
  countPoints,
  evaluateTarget,
  FINE_MS,
  parseMoment,
  parseTarget,
  pathsIn,
  type RenderedTarget,
  type Series,
  type SeriesSpan,
  seriesNames,
  spanOf,
} from '../../../../lib/metrics/series/index.js'
import { wholeNumber } from '../../kit/input.js'
import { findMember } from '../../kit/member.js'
import { asked, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

/** Points of one series in one reply. */
const MOST_POINTS = 2_000
/** Values of all series in one reply. */
const MOST_VALUES = 100_000
const MOST_TARGETS = 20
/** Metrics that the targets of one request may take together. */
const MOST_METRICS = 500
/** Clusters that are asked at the same time, and requests of Graphite that are answered at the same time. */
const CLUSTERS_AT_ONCE = 4
const RENDERS_AT_ONCE = 2

const milliseconds = z.string().regex(/^\d{1,15}$/, 'milliseconds since the epoch')
const value = z.number().nullable()

const seriesSchema = z
  .object({
    name: z.string(),
    unit: z.string(),
    server: z.string().nullable(),
    instance: z.string().nullable(),
    values: z.array(value),
  })
  .meta({ id: 'Series' })

const replySchema = z
  .object({ from: z.number(), to: z.number(), step: z.number(), series: z.array(seriesSchema) })
  .meta({ id: 'SeriesReply' })

const targetSchema = z
  .object({ target: z.string(), datapoints: z.array(z.tuple([value, z.number()])) })
  .meta({ id: 'GraphiteTarget' })

const renders = createLimit(RENDERS_AT_ONCE)
const waiting = createFairShares(sharedBounds.renders)

const anyName = seriesNames.join('|')

/** As `parseMoment` of the series reads it. */
const graphiteMoment = z
  .string()
  .max(20)
  .meta({
    pattern: '^(now|[0-9]{1,12}|(now)?-[0-9]{1,9}(s|sec|seconds?|min|minutes?|h|hours?|d|days?|w|weeks?|mon|y))$',
  })
  .describe(
    '`now`, seconds since the epoch, or before now: `-30min`, `-2h`, `-1d`; `from` is before `until`, and within the two days that are kept: else 400',
  )

export const seriesRoutes = {
  'series.cluster': route({
    cli: 'cluster series',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/series'],
    summary:
      'What the manager measured in the past two days, of the cluster and each server or of one `server`: points every ten seconds in the latest two hours, else every minute, or every `step` seconds; counters as growth a second; null where nobody measured. `names` as in the metrics, with commas.',
    grant: 'token',
    query: z.object({
      names: z
        .string()
        .regex(/^\w{1,80}(,\w{1,80}){0,39}$/, 'names of series, with commas between them')
        .meta({ pattern: `^(${anyName})(,(${anyName})){0,39}$` })
        .optional()
        .describe('All, unless given.'),
      server: z.string().max(300).optional().describe('Id, name or host:port.'),
      from: milliseconds
        .optional()
        .describe('Milliseconds since the epoch; an hour before `to`, unless given. Before `to`, else 400.'),
      last: wholeNumber({ min: 10, max: COARSE_KEPT_MS / SECOND })
        .optional()
        .describe('Seconds before `to`, in place of `from`.'),
      to: milliseconds
        .optional()
        .describe('Milliseconds since the epoch; now, unless given. Within the past two days, else 400.'),
      step: wholeNumber({ min: 1, max: COARSE_KEPT_MS / SECOND })
        .optional()
        .describe('Seconds; made longer to what is kept, and for at most 360 points unless given.'),
    }),
    reply: { status: 200, type: 'json', schema: replySchema },
    failures: { ...noCluster, ...asked, ...usual('bad-request', 'unknown-server', 'file-unreadable') },
    example: {
      reply: {
        ...{ from: 1795246800000, to: 1795246830000, step: 10 },
        series: [
          {
            ...{ name: 'mysql_global_status_queries', unit: 'per-second', server: 'db1', instance: 'db1' },
            values: [118.2, null, 121.4],
          },
        ],
      },
    },
    answer: async ({ manager, params, cluster, query }) => {
      const names = query.names?.split(',') ?? seriesNames
      const unknown = names.find((name) => !seriesNames.includes(name))
      if (unknown !== undefined)
        return fail('bad-request', `no series is called ${unknown}; these are: ${seriesNames.join(', ')}`)
      const members = manager.members(params.cluster)
      const server = query.server === undefined ? undefined : members && findMember(members, query.server)?.id
      if (query.server !== undefined && server === undefined)
        return fail('unknown-server', `${params.cluster} has no server ${query.server}`)
      const span = wantedSpan(query, now())
      if (!span.ok) return span
      const values =
        countPoints(span.value) * names.length * (server === undefined ? (members?.servers.length ?? 0) + 1 : 1)
      if (values > MOST_VALUES)
        return fail(
          'bad-request',
          `${values} values, more than ${MOST_VALUES}: ask for fewer names, one server, or a longer step`,
        )
      const read = await cluster.ask('read-series', {
        names,
        ...(server === undefined ? {} : { server }),
        span: span.value,
      })
      if (!read.ok) return read
      const { from, to, step } = span.value
      return ok({ from, to, step: step / SECOND, series: read.value.series })
    },
  }),

  'series.render': route({
    cli: 'manager render',
    methods: ['GET'],
    paths: ['/graphite/render', '/graphite/render/'],
    summary:
      'What the manager measured, for clients of Graphite, by the names that carbon gets: `mysql.<host>.<metric>` with `*`, `?`, `{a,b}` and `[a-c]`. Counters inside `perSecond`; functions: alias, aliasByNode, perSecond, scale, sumSeries, averageSeries, maxSeries, minSeries. `from` and `until`: `-1h`, `now`, or seconds since the epoch.',
    grant: 'none',
    repeated: ['target'],
    query: z.object({
      target: z
        .array(z.string().min(1).max(2_000))
        .min(1)
        .max(MOST_TARGETS)
        .describe('A name or a function of names, as the summary has it: else 400. Repeated for several.'),
      from: graphiteMoment.default('-24h'),
      until: graphiteMoment.default('now'),
      format: z.enum(['json', 'raw']).default('json'),
      maxDataPoints: wholeNumber({ min: 1, max: 100_000 }).optional(),
    }),
    reply: { status: 200, type: 'json', orText: true, schema: z.array(targetSchema) },
    failures: usual('bad-request', 'file-unreadable', 'mailbox-full', 'deadline-passed'),
    example: {
      request: { target: 'perSecond(mysql.db1.mysql_global_status_queries)' },
      reply: [
        {
          target: 'perSecond(mysql.db1.mysql_global_status_queries)',
          datapoints: [
            [118.2, 1795246800],
            [null, 1795246810],
          ],
        },
      ],
    },
    answer: async ({ manager, query, caller, signal }) => {
      const share = waiting.take(holderOf(caller, undefined, () => manager.clusters()))
      if (!share.ok) return share
      const answer = await renders.runUnless(signal, () => render(manager, query)).finally(share.value)
      return answer ?? fail('bad-request', 'the client has gone')
    },
  }),
}

interface WantedQuery {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly last?: number | undefined
  readonly step?: number | undefined
}

/** By default the latest hour. Failure: `bad-request` for too many points, or none. */
function wantedSpan({ from, to, last, step }: WantedQuery, at: number): Result<SeriesSpan> {
  const end = Math.min(to === undefined ? at : Number(to), at)
  const begin = from === undefined ? end - (last === undefined ? HOUR : last * SECOND) : Number(from)
  return boundedSpan({ from: begin, to: end, ...(step === undefined ? {} : { step: step * SECOND }) }, at)
}

function boundedSpan(wanted: { from: number; to: number; step?: number }, at: number): Result<SeriesSpan> {
  if (wanted.from >= wanted.to) return fail('bad-request', 'from is not before to')
  const oldest = Math.max(wanted.from, at - COARSE_KEPT_MS)
  if (oldest >= wanted.to)
    return fail('bad-request', 'series are kept for two days; older ones are in Prometheus, if it reads them')
  const span = spanOf({ ...wanted, from: oldest }, at)
  const points = countPoints(span)
  return points > MOST_POINTS
    ? fail('bad-request', `${points} points of each series, more than ${MOST_POINTS}: ask for a longer step`)
    : ok(span)
}

interface RenderQuery {
  readonly target: readonly string[]
  readonly from: string
  readonly until: string
  readonly format: 'json' | 'raw'
  readonly maxDataPoints?: number | undefined
}

async function render(manager: ManagerFace, query: RenderQuery): Promise<Result<unknown>> {
  const at = now()
  const [from, until] = [parseMoment(query.from, at), parseMoment(query.until, at)]
  if (!from.ok) return from
  if (!until.ok) return until
  const to = Math.min(until.value, at)
  const span = boundedSpan({ from: from.value, to, ...stepFor(query.maxDataPoints, to - from.value) }, at)
  if (!span.ok) return span
  const lines: RenderedTarget[] = []
  for (const text of query.target) {
    const expression = parseTarget(text)
    if (!expression.ok) return expression
    const series = await readSeries(manager, pathsIn(expression.value), span.value)
    if (!series.ok) return series
    const evaluated = evaluateTarget(expression.value, series.value, span.value)
    if (!evaluated.ok) return evaluated
    lines.push(...evaluated.value)
  }
  return ok(query.format === 'raw' ? rawText(lines, span.value) : lines.map((line) => pointsIn(line, span.value)))
}

/** A step that gives at most so many points. */
const stepFor = (most: number | undefined, lasts: number): { readonly step?: number } =>
  most === undefined ? {} : { step: Math.max(FINE_MS, lasts / Math.max(1, Math.min(most, MOST_POINTS) - 1)) }

/** Without an actor nothing is measured: such a cluster has no series. Any other failure would make a sum too small. */
const hasNone: ReadonlySet<string> = new Set(['actor-gone', 'quarantined', 'unknown-cluster'])

/** Of every cluster whose servers the metrics name. */
async function readSeries(
  manager: ManagerFace,
  paths: ReturnType<typeof pathsIn>,
  span: SeriesSpan,
): Promise<Result<readonly Series[]>> {
  const names = [...new Set(paths.flatMap((path) => [...path.names.keys()]))]
  const hosts = [...new Set(paths.map(({ hostText }) => hostText))]
  if (names.length === 0) return ok([])
  const series: Series[] = []
  const left = [...manager.clusters()]
  let failed: Result<never> | undefined
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined && !failed && series.length <= MOST_METRICS; name = left.shift()) {
      const read = await manager.cluster(name)?.ask('read-series', { names, hosts, span })
      if (read?.ok) series.push(...read.value.series)
      else if (read && !hasNone.has(read.failure.code)) failed = read
    }
  }
  await Promise.all(Array.from({ length: CLUSTERS_AT_ONCE }, work))
  if (failed) return failed
  return series.length > MOST_METRICS
    ? fail('bad-request', `target: more than ${MOST_METRICS} metrics; name fewer hosts, or ask Prometheus`)
    : ok(series)
}

const pointsIn = ({ target, values }: RenderedTarget, { from, step }: SeriesSpan) => ({
  target,
  datapoints: values.map((one, index) => [one, (from + index * step) / SECOND] as const),
})

/** `name,from,until,step|v,v,None`, a line each. */
const rawText = (lines: readonly RenderedTarget[], { from, to, step }: SeriesSpan): string =>
  lines
    .map(({ target, values }) => {
      const times = [from, to, step].map((ms) => ms / SECOND).join(',')
      return `${target},${times}|${values.map((one) => one ?? 'None').join(',')}\n`
    })
    .join('')
