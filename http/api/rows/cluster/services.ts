// The services of a cluster: made, started, stopped and removed as jobs; what the jobs did and said.
import { z } from 'zod'
import type { JobsTicket, JobTicket } from '../../../../actors/protocol/cluster.js'
import type { Grant } from '../../../../lib/access/grants.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import { HOUR } from '../../../../lib/base/time.js'
import type { ServiceAction } from '../../../../lib/model/operation/services.js'
import { flag, wholeText } from '../../kit/input.js'
import { planWork } from '../../kit/planned.js'
import { asked, clusterNotFound, noCluster, serverNotFound, usual } from '../../kit/refusals.js'
import { type Context, route } from '../../kit/route.js'
import { renderJob } from '../../views/cluster/jobs.js'

/** Longest wait for a job; work on hosts has separate deadlines. */
const JOB_WAIT = HOUR

/** `force` overrides the checks that protect data and the writable primary; `wait=false` answers when the job has started. */
export const jobQuery = z.object({ force: flag().optional(), wait: flag().optional() })

export const jobFailures = {
  ...asked,
  ...usual(
    'orchestrator-failed',
    'script-failed',
    'unsupported',
    'operation-running',
    'is-primary',
    'data-exists',
    'wrong-state',
  ),
  ...usual('ssh-unreachable', 'ssh-rejected', 'ssh-host-key', 'archive-missing', 'file-unreadable', 'file-unwritable'),
  ...usual('sql-failed', 'sql-silent', 'sql-unresolved', 'sql-refused', 'sql-rejected'),
}

type JobContext = Pick<
  Context<{ readonly cluster: string }, z.output<typeof jobQuery>, unknown>,
  'cluster' | 'params' | 'query' | 'caller' | 'manager'
>

/** A started job and where it is read: what the rows of actions answer. */
interface Started {
  readonly cluster: string
  readonly job?: number
}

/** The `Location` of a started job, or of the list when there are several. */
export const jobLocation = (value: unknown): string => {
  const { cluster, job } = value as Started
  const jobs = `/api/clusters/${encodeURIComponent(cluster)}/jobs`
  return job === undefined ? jobs : `${jobs}/${job}`
}

/** One action on one service, by its id. */
export async function runService(
  { cluster, params, query, caller, manager }: JobContext,
  { service, action }: { readonly service: string; readonly action: ServiceAction },
): Promise<Result<Started>> {
  const { force = false, wait = true } = query
  const request = { user: caller.user, service, action, force, wait }
  await manager.delivered(params.cluster)
  const ticket: Result<JobTicket> = await cluster.ask('run-service', request, { deadlineMs: JOB_WAIT })
  return ticket.ok ? ok({ cluster: params.cluster, job: ticket.value.job.id }) : ticket
}

interface OnAll {
  readonly action: ServiceAction
  readonly summary: string
  readonly grant: Grant
}

/** The row of `C/services/actions/<action>`. */
const onAll = ({ action, summary, grant }: OnAll) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`/api/clusters/:cluster/services/actions/${action}`, `/api/clusters/:cluster/actions/services/${action}`],
    summary,
    grant,
    query: jobQuery,
    reply: { status: 200, type: 'empty', location: jobLocation },
    failures: { ...noCluster, ...jobFailures },
    plan: ({ cluster, query }) => planWork(cluster, { type: 'services', action, force: query.force ?? false }),
    answer: async ({ cluster, params, query, caller, manager }) => {
      const { force = false, wait = true } = query
      const request = { user: caller.user, action, force, wait }
      await manager.delivered(params.cluster)
      const ticket: Result<JobsTicket> = await cluster.ask('run-services', request, { deadlineMs: JOB_WAIT })
      if (!ticket.ok) return ticket
      const [only, ...others] = ticket.value.jobs
      return ok({ cluster: params.cluster, ...(only && others.length === 0 ? { job: only.id } : {}) })
    },
  })

interface OnServer extends OnAll {
  readonly words: string
}

/** The row of `S/actions/<words>`. */
const onServer = ({ words, action, summary, grant }: OnServer) =>
  route({
    methods: ['GET', 'POST'],
    paths: [`/api/clusters/:cluster/servers/:server/actions/${words}`],
    summary,
    grant,
    query: jobQuery,
    reply: { status: 200, type: 'empty', location: jobLocation },
    failures: { ...serverNotFound, ...jobFailures },
    plan: ({ cluster, query, server }) =>
      planWork(cluster, { type: 'services', action, service: server.id, force: query.force ?? false }),
    answer: (context) => runService(context, { service: context.server.id, action }),
  })

const taskSchema = z.object({
  id: z.number().int(),
  task: z.string(),
  port: z.number().int(),
  server: z.string(),
  user: z.string(),
  done: z.number().int(),
  state: z.number().int(),
  lines: z.number().int(),
  result: z.string().optional(),
  start: z.number().int(),
  end: z.number().int().optional(),
})

const exampleTask = {
  ...{ id: 7, task: 'provision', port: 3306, server: 'db1:3306', user: 'admin', done: 1, state: 4, lines: 12 },
  ...{ result: 'done', start: 1795246812, end: 1795246829 },
}

const jobReaders = ['cluster-process', 'cluster-show-jobs'] as const

export const serviceRoutes = {
  'services.provision': onAll({
    action: 'provision',
    summary: 'Make and start every database, then every proxy, each from its archive.',
    grant: 'prov-cluster-provision',
  }),
  'services.unprovision': onAll({
    action: 'unprovision',
    summary: 'Remove every proxy and database with its data; a primary that is followed needs `force=true`.',
    grant: 'prov-cluster-unprovision',
  }),
  'services.apply': onAll({
    action: 'apply',
    summary: 'Deliver the newest configuration to every service; what runs goes on running.',
    grant: 'prov-cluster',
  }),
  'server.start': onServer({
    ...{ words: 'start', action: 'start', grant: 'db-start' },
    summary: 'Start the server through the orchestrator and wait until it answers.',
  }),
  'server.stop': onServer({
    ...{ words: 'stop', action: 'stop', grant: 'db-stop' },
    summary: 'Stop the server through the orchestrator; it is not treated as failed while stopped.',
  }),
  'server.restart': onServer({
    ...{ words: 'restart', action: 'restart', grant: 'db-start' },
    summary: 'Stop the server, start it and wait until it answers again.',
  }),
  'server.provision': onServer({
    ...{ words: 'provision', action: 'provision', grant: 'prov-db-provision' },
    summary: 'Make the server from its archive and start it; data that is not of the manager’s making is refused.',
  }),
  'server.unprovision': onServer({
    ...{ words: 'unprovision', action: 'unprovision', grant: 'prov-db-unprovision' },
    summary: 'Stop the server and remove it with its data; a primary that is followed needs `force=true`.',
  }),
  'server.apply-config': onServer({
    ...{ words: 'apply-config', action: 'apply', grant: 'prov-db-provision' },
    summary: 'Deliver the newest configuration to the server; what runs goes on running.',
  }),
  'server.service-orchestrator': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/servers/:server/service-orchestrator'],
    summary: 'How the orchestrator runs the server, as text.',
    grant: 'prov-db-provision',
    reply: { status: 200, type: 'json', schema: z.string() },
    failures: { ...serverNotFound, ...asked, ...usual('unsupported') },
    example: { reply: '[db1]\norchestrator = local\nstate = running as process 4711\n' },
    answer: ({ cluster, server }) => cluster.ask('describe-service', { service: server.id }),
  }),

  'cluster.jobs': route({
    cli: 'job list',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/jobs'],
    summary: 'The last jobs of every service with how they ended.',
    grant: jobReaders,
    reply: {
      status: 200,
      type: 'view',
      schema: z.object({
        header: z.record(z.string(), z.boolean()),
        servers: z.record(z.string(), z.object({ serverUrl: z.string(), tasks: z.array(taskSchema) })),
      }),
    },
    failures: { ...noCluster, ...asked },
    example: {
      reply: {
        header: { provision: true },
        servers: { db1234567890: { serverUrl: 'db1:3306', tasks: [exampleTask] } },
      },
    },
    answer: ({ manager, params }) => manager.view(params.cluster, 'jobs'),
  }),
  'cluster.job': route({
    cli: 'job show',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/jobs/:job'],
    summary: 'One job with the lines of its log, those of a running one so far.',
    grant: jobReaders,
    params: z.object({ cluster: z.string(), job: wholeText({ min: 1, max: Number.MAX_SAFE_INTEGER }) }),
    reply: { status: 200, type: 'json', schema: taskSchema.extend({ log: z.array(z.string()) }) },
    failures: { ...clusterNotFound, ...asked, ...usual('unknown-job', 'file-unreadable', 'bad-request') },
    example: { reply: { ...exampleTask, log: ['2026-11-21T07:40:12.345Z unpacking config.tar.gz'] } },
    answer: async ({ cluster, params }) => {
      const report = await cluster.ask('job', { id: Number(params.job) })
      return report.ok ? ok({ ...renderJob(report.value.job), log: report.value.log }) : report
    },
  }),
}
