// The services of a cluster: made, started, stopped and removed as jobs; what the jobs did and said.
import * as z from 'zod'
import type { JobsTicket, JobTicket } from '../../../../actors/protocol/cluster.js'
import type { ManagerFace } from '../../../../actors/protocol/manager/face.js'
import type { Grant } from '../../../../lib/access/grants.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { HOUR } from '../../../../lib/base/time.js'
import { type JobTask, jobStates, jobTasks } from '../../../../lib/model/operation/job.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import type { ServiceAction } from '../../../../lib/model/operation/services.js'
import { flag, wholeText } from '../../kit/input.js'
import { listed, planWork } from '../../kit/plan/planned.js'
import { asked, clusterNotFound, noCluster, notStated, serverNotFound, usual } from '../../kit/refusals.js'
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
  ...notStated,
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

const taskSchema = z
  .object({
    id: z.number().int(),
    task: z.string(),
    port: z.number().int(),
    server: z.string(),
    /** `table`: a row of the job table of the database; its number is that of the table. */
    origin: z.enum(['manager', 'table']),
    user: z.string(),
    done: z.number().int(),
    state: z.number().int(),
    /** `queued`, `running`, `done`, `failed` or `cancelled`. */
    phase: z.enum(jobStates),
    lines: z.number().int(),
    /** What a queued job waits for. */
    waits: z.string().optional(),
    /** Bytes, bytes per second, and seconds. */
    progress: z
      .object({
        bytes: z.number().int(),
        totalBytes: z.number().int().optional(),
        rate: z.number().int(),
        secondsLeft: z.number().int().optional(),
      })
      .optional(),
    /** Seconds since the epoch: then it is ended. */
    deadline: z.number().int().optional(),
    result: z.string().optional(),
    start: z.number().int(),
    end: z.number().int().optional(),
  })
  .meta({ id: 'Job' })

/** A row of the job table of a database has no user, no lines and no progress. */
const listedSchema = taskSchema.partial({ user: true, lines: true }).meta({ id: 'ListedJob' })

const exampleTask = {
  ...{ id: 7, task: 'provision', port: 3306, server: 'db1:3306', user: 'admin', done: 1, state: 4, lines: 12 },
  phase: 'done' as const,
  origin: 'manager' as const,
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
    paths: [
      '/api/clusters/:cluster/servers/:server/service-orchestrator',
      '/api/clusters/:cluster/servers/:server/service-opensvc',
    ],
    summary: 'How the orchestrator runs the server, as text.',
    grant: 'prov-db-provision',
    reply: { status: 200, type: 'json', schema: z.string() },
    failures: { ...serverNotFound, ...asked, ...usual('unsupported') },
    example: { reply: '[db1]\norchestrator = local\nstate = running as process 4711\n' },
    answer: ({ cluster, server }) => cluster.ask('describe-service', { service: server.id }),
  }),

  'job.list': route({
    cli: 'job list',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/jobs'],
    summary: 'The last jobs of every service with how they ended, and the rows of the job tables of the databases.',
    grant: jobReaders,
    ofOwner: true,
    reply: {
      status: 200,
      type: 'view',
      schema: z.object({
        header: z.record(z.string(), z.boolean()),
        servers: z.record(z.string(), z.object({ serverUrl: z.string(), tasks: z.array(listedSchema) })),
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
  'job.show': route({
    cli: 'job show',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/jobs/:job'],
    summary: 'One job with the lines of its log, those of a running one so far.',
    grant: jobReaders,
    ofOwner: true,
    params: z.object({ cluster: z.string(), job: wholeText({ min: 1, max: Number.MAX_SAFE_INTEGER }) }),
    reply: { status: 200, type: 'json', schema: taskSchema.extend({ log: z.array(z.string()) }) },
    failures: { ...clusterNotFound, ...asked, ...usual('unknown-job', 'file-unreadable', 'bad-request') },
    example: { reply: { ...exampleTask, log: ['2026-11-21T07:40:12.345Z unpacking config.tar.gz'] } },
    answer: async ({ cluster, params }) => {
      const report = await cluster.ask('job', { id: Number(params.job) })
      return report.ok ? ok({ ...renderJob(report.value.job), log: report.value.log }) : report
    },
  }),

  'job.cancel': route({
    cli: 'job cancel',
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/jobs/:job/actions/cancel'],
    summary: 'End a job that waits or runs; what it has begun is taken back.',
    grant: 'cluster-process',
    params: z.object({ cluster: z.string(), job: wholeText({ min: 1, max: Number.MAX_SAFE_INTEGER }) }),
    reply: { status: 200, type: 'json', schema: z.array(taskSchema) },
    failures: { ...clusterNotFound, ...asked, ...usual('unknown-job', 'bad-request') },
    example: { reply: [exampleTask] },
    plan: ({ manager, params }) => planCancel(manager, params.cluster, ({ id }) => id === Number(params.job)),
    answer: async ({ cluster, params, caller }) => {
      const ended = await cluster.ask('cancel-job', { user: caller.user, job: Number(params.job) })
      return ended.ok ? ok(ended.value.map(renderJob)) : ended
    },
  }),
  'server.cancel-job': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/servers/:server/actions/job-cancel/:task'],
    summary: 'End the jobs of one task on the server that wait or run.',
    grant: 'cluster-process',
    params: z.object({ cluster: z.string(), server: z.string(), task: z.enum(jobTasks) }),
    reply: { status: 200, type: 'json', schema: z.array(taskSchema) },
    failures: { ...serverNotFound, ...asked, ...usual('unknown-job', 'bad-request') },
    example: { reply: [exampleTask] },
    plan: ({ manager, params, server }) =>
      planCancel(manager, params.cluster, ({ task, service }) => task === params.task && service === server.id),
    answer: async ({ cluster, params, server, caller }) => {
      const ended = await cluster.ask('cancel-job', {
        user: caller.user,
        task: params.task as JobTask,
        server: server.id,
      })
      return ended.ok ? ok(ended.value.map(renderJob)) : ended
    },
  }),
}

const jobsView = z.object({
  servers: z.record(
    z.string(),
    z.object({
      tasks: z.array(
        z.object({
          ...{ id: z.number(), task: z.string(), server: z.string() },
          ...{ origin: z.string().optional(), done: z.number(), phase: z.string().optional() },
        }),
      ),
    }),
  ),
})

interface OpenJob {
  readonly id: number
  readonly task: string
  readonly service: string
}

/** The jobs that would be ended: those of the manager that wait or run. */
async function planCancel(
  manager: ManagerFace,
  cluster: string,
  isMeant: (job: OpenJob) => boolean,
): Promise<Result<Preview>> {
  const view = await manager.view(cluster, 'jobs')
  if (!view.ok) return view
  const { servers } = jobsView.parse(JSON.parse(view.value.bytes.toString()))
  const jobs = Object.entries(servers)
    .flatMap(([service, { tasks }]) => tasks.map((each) => ({ ...each, service })))
    .filter((each) => each.origin === 'manager' && each.done === 0 && isMeant(each))
  const judged = jobs.length === 0 ? fail('unknown-job', 'no such job waits or runs') : ok(jobs)
  return listed('cancel-job', judged, {
    texts: jobs.map(({ id, task, server }) => `End job ${id}, ${task} of ${server}`),
    changes: jobs.map(({ id, phase = '' }) => ({ what: `job ${id}`, before: phase, after: 'cancelled' })),
    follows: ['What it has begun is taken back.'],
  })
}
