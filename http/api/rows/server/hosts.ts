// What is done on the hosts of databases: runs of the job script, logs fetched, statistics and log tables; and the lines of scripts.
import * as z from 'zod'
import type { HostJob } from '../../../../actors/protocol/cluster/hosts.js'
import type { Grant } from '../../../../lib/access/grants.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { HOUR } from '../../../../lib/base/time.js'
import { hostTaskNames, hostTaskOf } from '../../../../lib/model/operation/host-task.js'
import { flag, wholeNumber } from '../../kit/input.js'
import { listed } from '../../kit/plan/planned.js'
import { asked, notStated, serverNotFound, usual } from '../../kit/refusals.js'
import { type Context, type RequestFacts, route } from '../../kit/route.js'
import { jobLocation } from '../cluster/services.js'

const waitQuery = z.object({ wait: flag().optional() })

interface HostAction {
  readonly words: string
  readonly task: HostJob
  readonly summary: string
  /** What it does, as one step of a plan. */
  readonly step: string
  readonly grant: Grant | readonly Grant[]
}

/** The row of `S/actions/<words>`: a job. `wait=false` answers when it is queued. */
const begin = ({ words, task, summary, step, grant }: HostAction) =>
  route({
    methods: ['GET', 'POST'],
    paths: [
      `/api/clusters/:cluster/servers/:server/actions/${words}` as '/api/clusters/:cluster/servers/:server/actions',
    ],
    summary,
    grant,
    query: waitQuery,
    slow: true,
    reply: { status: 200, type: 'empty', location: jobLocation },
    failures: {
      ...serverNotFound,
      ...asked,
      ...usual('operation-running', 'host-task-failed', 'unsupported', 'script-failed', 'job-cancelled'),
      ...usual('ssh-unreachable', 'ssh-rejected', 'ssh-host-key', 'file-unreadable', 'file-unwritable'),
      ...notStated,
    },
    plan: ({ server }) => listed(task, ok(undefined), [step.replace('{server}', server.name)]),
    answer: async ({ cluster, params, server, query, caller }) => {
      const request = { user: caller.user, server: server.id, task, wait: query.wait ?? true }
      const ticket = await cluster.ask('begin-host-job', request, { deadlineMs: HOUR })
      return ticket.ok ? ok({ cluster: params.cluster, job: ticket.value.job.id }) : ticket
    },
  })

/** A task of the job script, in a path. */
const taskName = z.string().meta({ enum: [...hostTaskNames] })

const taskParams = z.looseObject({ task: taskName })

const logged = 'Message logged'

type HostState = 'processing' | 'waiting' | 'done' | 'error'

export const hostRoutes = {
  'server.run-jobs': begin({
    ...{ words: 'run-jobs', task: 'run-jobs', grant: 'cluster-process' },
    step: 'Run the job script on the host of {server}',
    summary: 'Run the job script on the host of the server now: it works off the rows of the job table.',
  }),
  'server.fetch-logs': begin({
    ...{ words: 'fetch-logs', task: 'logs', grant: ['db-backup', 'db-logs'] },
    step: 'Fetch the logs of {server} from its host, where they go on empty',
    summary: 'Fetch the error log, the slow log, and those of audit and SQL errors from the host; each goes on empty.',
  }),
  'server.backup-error-log': begin({
    ...{ words: 'backup-error-log', task: 'backup-error-log', grant: 'db-backup' },
    step: 'Fetch the error log of {server} from its host, where it goes on empty',
    summary: 'Fetch the error log from the host; it goes on empty there.',
  }),
  'server.backup-slowquery-log': begin({
    ...{ words: 'backup-slowquery-log', task: 'backup-slowquery-log', grant: 'db-backup' },
    step: 'Fetch the slow log of {server} from its host, where it goes on empty',
    summary: 'Fetch the slow log from the host; it goes on empty there.',
  }),
  'server.rotate-log-tables': begin({
    ...{ words: 'rotate-log-tables', task: 'log-tables', grant: 'db-logs' },
    step: 'Set the log tables of {server} aside and drop the oldest',
    summary: 'Set the tables mysql.slow_log and mysql.general_log aside where they hold rows; the oldest are dropped.',
  }),
  'server.analyze-tables': begin({
    ...{ words: 'analyze-tables', task: 'analyze', grant: 'db-maintenance' },
    step: 'Take the statistics of every table of {server} again',
    summary: 'Take the statistics of every table of the server again; nothing of it is replicated.',
  }),
  'need.task': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/servers/:server/:port/needs/:task'],
    summary:
      'Whether the host is to do this task (`scheduler-jobs-mode` api); of `jobs` all tasks that it is to do, a line each.',
    grant: 'none',
    reply: { status: 200, type: 'text' },
    failures: {
      ...asked,
      'unknown-job': [500, '500 -No task needed!'],
      'unknown-server': [500, '500 -No valid server!'],
      'unknown-cluster': [500, '500 -No cluster!'],
    },
    example: { reply: 'mariabackup' },
    answer: ({ cluster, params, server }) =>
      cluster.ask('ask-host-order', { server: server.id, task: params.task, ask: { type: 'wanted' } }),
  }),
  'server.receive-task': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/servers/:server/:port/actions/receive-task/:task'],
    summary: 'The order of a task for the job script of the host, once: `id|task|port|address|words`.',
    params: taskParams,
    grant: 'cluster-process',
    reply: { status: 200, type: 'text' },
    failures: { ...serverNotFound, ...asked, ...usual('unknown-job', 'unregistered-task') },
    plan: ({ server }) =>
      listed('receive-task', ok(undefined), [`Give the order of a task to the host of ${server.name}`]),
    example: { reply: '7|mariabackup|4000|manager|deadline=3600 secret=b7d1 certificate=MIIB…' },
    answer: ({ cluster, params, server }) =>
      cluster.ask('ask-host-order', { server: server.id, task: params.task, ask: { type: 'take' } }),
  }),
  'server.job-state': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/servers/:server/:port/actions/job-state/:task/:state'],
    summary: 'What became of a task: processing, waiting (its listener), done or error (the end of its output).',
    grant: 'cluster-process',
    params: z.object({
      ...{ cluster: z.string(), server: z.string(), port: z.string(), task: taskName },
      state: z.enum(['processing', 'waiting', 'done', 'error']),
    }),
    body: z
      .object({ text: z.string().default(''), bytes: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0) })
      .prefault({}),
    reply: { status: 200, type: 'empty' },
    failures: { ...serverNotFound, ...asked, ...usual('bad-request', 'wrong-state', 'unregistered-task') },
    plan: ({ server }) => listed('job-state', ok(undefined), [`Note the state of a task of ${server.name}`]),
    example: { request: { text: 'completed OK!', bytes: 4096 } },
    answer: ({ cluster, params, server, body }) => {
      const { task, state } = params
      return cluster.ask('ask-host-order', {
        server: server.id,
        task,
        ask: { type: 'report', report: { ...body, state: state as HostState } },
      })
    },
  }),
  'server.write-log': route({
    methods: ['POST'],
    paths: ['/api/clusters/:cluster/servers/:server/:port/write-log/:task'],
    summary:
      'Lines of the job script of a host: `data` sealed with the password of the monitor, or `server` and `log` with the token of the order as bearer: texts, else 400.',
    params: taskParams,
    grant: 'none',
    body: z.looseObject({
      data: z.unknown().optional().describe('Base64 of AES-256-CBC of `{"server":"host:port","log":"line\\nline"}`.'),
      server: z.unknown().optional(),
      log: z.unknown().optional(),
    }),
    reply: { status: 200, type: 'text', text: logged },
    failures: {
      ...asked,
      ...usual('too-large', 'file-unwritable', 'not-logged-in'),
      'unknown-cluster': [500, 'No cluster'],
      'unknown-server': [500, 'No server'],
      'unregistered-task': [400, 'Bad request: Task is not registered'],
      'bad-request': [400, 'Decode reading body'],
      undecodable: [400, 'Decode body'],
      undecryptable: [500, 'Error decrypting data'],
    },
    example: { request: { data: 'U2FsdGVkX1+…' }, reply: logged },
    answer: (context) => takeLines(context),
  }),
}

type LogContext = Pick<
  Context<{ readonly task: string }, unknown, { data?: unknown; server?: unknown; log?: unknown }>,
  'cluster' | 'params' | 'body' | 'server' | 'request'
>

/** Longest text of one message, characters. */
const LONGEST = 512 * 1024

async function takeLines({ cluster, params, body, server, request }: LogContext): Promise<Result<string>> {
  const { task } = params
  if (!hostTaskOf(task)) return fail('unregistered-task', `${task} is no task of the job script`)
  const proof = proofOf(body, request)
  if (!proof) return fail('undecodable', 'the body has neither `data` nor `server` and `log` as text')
  const taken = await cluster.ask('host-log', { server: server.id, task, proof })
  return taken.ok ? ok(logged) : taken
}

function proofOf({ data, server, log }: LogContext['body'], request: RequestFacts) {
  if (typeof data === 'string' && data.length <= LONGEST) return { sealed: data }
  if (data !== undefined || typeof server !== 'string' || typeof log !== 'string' || log.length > LONGEST)
    return undefined
  const token = /^bearer\s+(\S+)$/i.exec(request.headers.authorization?.trim() ?? '')?.[1] ?? ''
  return { token, server, log }
}
