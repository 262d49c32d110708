// Named tests of a cluster: which there are, run as jobs, what they found; also as JUnit XML.
import * as z from 'zod'
import type { TrialTicket } from '../../../../actors/protocol/cluster.js'
import type { ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { DAY, isoTime } from '../../../../lib/base/time.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import { type TrialBook, type TrialEntry, type TrialRun, trialResults } from '../../../../lib/model/trial/trial.js'
import { absentTrials } from '../../../../lib/trial/absent.js'
import { latestRuns, renderJunit } from '../../../../lib/trial/junit.js'
import { describeStep } from '../../../../lib/trial/step.js'
import { findTrial, type Trial, trialNames } from '../../../../lib/trial/table.js'
import { flag } from '../../kit/input.js'
import { listed } from '../../kit/plan/planned.js'
import { asked, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const texts = z.record(z.string(), z.string())

const entrySchema = z.object({
  text: z.string(),
  undo: z.boolean().describe('It takes something back.'),
  startedAt: z.string(),
  endedAt: z.string(),
  outcome: z.enum(['done', 'failed', 'open']),
  detail: z.string(),
})

const runSchema = z
  .object({
    id: z.number().int(),
    name: z.string(),
    result: z
      .enum([...trialResults, 'PENDING'])
      .describe(
        'SKIP: the cluster is none on which this can be tested. PENDING: it waits or runs, or left something changed.',
      ),
    message: z.string(),
    user: z.string(),
    job: z.number().int(),
    startedAt: z.string(),
    endedAt: z.string().describe('Empty while it is open.'),
    'config-init': texts.describe('The settings that it changed, as they are saved.'),
    'config-test': texts.describe('The same as they were while it ran, in the memory of the manager.'),
    timeline: z.array(entrySchema),
  })
  .meta({ id: 'NamedTestRun' })

const testSchema = z
  .object({
    name: z.string(),
    offered: z.boolean(),
    reason: z.string().describe('Why it is not offered.'),
    proves: z.string(),
    steps: z.array(z.string()),
    result: z.string().describe('Of its latest run that is kept; empty: there is none.'),
  })
  .meta({ id: 'NamedTest' })

const exampleRun = {
  ...{ id: 3, name: 'testSwitchoverReadOnlyNoRplCheck', result: 'PASS' as const, message: '', user: 'admin', job: 12 },
  ...{ startedAt: '2026-03-01T10:00:00.000Z', endedAt: '2026-03-01T10:00:04.000Z' },
  'config-init': { 'failover-readonly-state': 'true' },
  'config-test': { 'failover-readonly-state': 'true' },
  timeline: [
    {
      ...{ text: 'Switch over', undo: false, outcome: 'done' as const, detail: '' },
      ...{ startedAt: '2026-03-01T10:00:01.000Z', endedAt: '2026-03-01T10:00:02.000Z' },
    },
  ],
}

const time = (at: number | undefined): string => (at === undefined ? '' : isoTime(at))

const renderEntry = ({ text, undo, outcome, detail = '', ...entry }: TrialEntry) => ({
  ...{ text, undo: undo === true, outcome: outcome ?? ('open' as const), detail },
  ...{ startedAt: time(entry.startedAt), endedAt: time(entry.endedAt) },
})

function renderRun(run: TrialRun): z.input<typeof runSchema> {
  const { id, name, result = 'PENDING', message = '', user, job, startedAt, endedAt, settings = {}, timeline } = run
  const side = (which: 'before' | 'during') =>
    Object.fromEntries(Object.entries(settings).map(([key, values]) => [key, values[which]]))
  return {
    ...{ id, name, result: endedAt === undefined ? 'PENDING' : result, message, user, job },
    ...{ startedAt: time(startedAt), endedAt: time(endedAt) },
    ...{ 'config-init': side('before'), 'config-test': side('during') },
    timeline: timeline.map(renderEntry),
  }
}

/** A test of a job that says nothing of it yet, or no more. */
function renderWaiting(name: string, { job }: TrialTicket): z.input<typeof runSchema> {
  const isOver = job.endedAt !== undefined
  return {
    ...{ id: 0, name, result: isOver ? 'FAIL' : 'PENDING', message: isOver ? (job.result ?? '') : '' },
    ...{ user: job.user, job: job.id, startedAt: time(job.startedAt), endedAt: time(job.endedAt) },
    ...{ 'config-init': {}, 'config-test': {}, timeline: [] },
  }
}

const renderTicket = (names: readonly string[], ticket: TrialTicket) =>
  names.map((name) => {
    const run = ticket.runs.find((one) => one.name === name)
    return run ? renderRun(run) : renderWaiting(name, ticket)
  })

const latestFirst = ({ ended, open }: TrialBook): readonly TrialRun[] =>
  [...ended, ...(open ? [open] : [])].toReversed()

function listTests(book: TrialBook): readonly z.input<typeof testSchema>[] {
  const results = new Map(latestRuns(book.ended).map(({ name, result = '' }) => [name, result]))
  const offered = trialNames.map((name) => {
    const trial: Trial | undefined = findTrial(name)
    return {
      ...{ name, offered: true, reason: '', proves: trial?.proves ?? '' },
      ...{ steps: trial?.steps.map(describeStep) ?? [], result: results.get(name) ?? '' },
    }
  })
  const absent = [...absentTrials].map(([name, reason]) => ({
    ...{ name, offered: false, reason, proves: '', steps: [], result: '' },
  }))
  return [...offered, ...absent]
}

function planOf(manager: ManagerFace, cluster: string, names: readonly string[]): Result<Preview> {
  const permitted = manager.settings(cluster).find(({ name }) => name === 'test')?.value === true
  const unknown = names.find((name) => !findTrial(name))
  const judged =
    unknown !== undefined
      ? fail('unknown-test', `${unknown} is no test that is offered`)
      : permitted
        ? ok(undefined)
        : fail('wrong-state', 'set test to true where nobody depends on the cluster')
  return listed('named-test', judged, [
    ...names.flatMap((name) => findTrial(name)?.steps.map((step) => `${name}: ${describeStep(step)}`) ?? []),
    'Take back whatever it changed, after each test, however it ends',
  ])
}

const runQuery = z.object({ wait: flag().optional().describe('false: answer when the job has been asked for.') })

const runFailures = {
  ...noCluster,
  ...asked,
  ...usual('wrong-state', 'no-primary', 'operation-running', 'observing', 'not-owner', 'unknown-test', 'unsupported'),
  ...usual('other-manager'),
}

const grant = 'cluster-test'

export const namedTestRoutes = {
  'test.list': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/tests'],
    summary:
      'The named tests: what each proves, its steps and its latest result; those that are not offered, with the reason.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: z.array(testSchema), list: { fields: ['offered', 'result'] } },
    failures: { ...noCluster, ...asked },
    example: {
      reply: [
        {
          ...{ name: 'testSwitchoverReadOnlyNoRplCheck', offered: true, reason: '', result: 'PASS' },
          ...{ proves: 'Every server but the new primary is read-only.', steps: ['Switch over'] },
        },
      ],
    },
    answer: async ({ cluster }) => {
      const book = await cluster.ask('read-trials', {})
      return book.ok ? ok(listTests(book.value)) : book
    },
  }),
  'test.runs': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/tests/runs'],
    summary: 'The latest runs of named tests with their timelines, the newest first; the one that is open among them.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: z.array(runSchema), list: { fields: ['name', 'result'] } },
    failures: { ...noCluster, ...asked },
    example: { reply: [exampleRun] },
    answer: async ({ cluster }) => {
      const book = await cluster.ask('read-trials', {})
      return book.ok ? ok(latestFirst(book.value).map(renderRun)) : book
    },
  }),
  'test.junit': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/tests/junit'],
    summary: 'The latest run of each named test as JUnit XML.',
    grant: 'token',
    reply: { status: 200, type: 'text' },
    failures: { ...noCluster, ...asked },
    example: { reply: '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n</testsuites>\n' },
    answer: async ({ cluster, params }) => {
      const book = await cluster.ask('read-trials', {})
      return book.ok ? ok(renderJunit(params.cluster, latestRuns(book.value.ended))) : book
    },
  }),
  'test.run-all': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/tests/actions/run/all'],
    summary:
      'Run all named tests that are offered, one after the other, as one job. Only where the setting `test` permits it; each takes back what it changed.',
    grant,
    query: runQuery,
    slow: true,
    reply: { status: 200, type: 'json', schema: z.array(runSchema) },
    failures: runFailures,
    example: { reply: [exampleRun] },
    plan: ({ manager, params }) => planOf(manager, params.cluster, trialNames),
    answer: async ({ cluster, caller, query: { wait = true } }) => {
      const ticket = await cluster.ask('begin-trials', { user: caller.user, tests: [], wait }, { deadlineMs: DAY })
      return ticket.ok ? ok(renderTicket(trialNames, ticket.value)) : ticket
    },
  }),
  'test.run': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/tests/actions/run/:test'],
    summary:
      'Run one named test as a job. Only where the setting `test` permits it; it takes back what it changed, however it ends.',
    grant,
    query: runQuery,
    slow: true,
    reply: { status: 200, type: 'json', schema: runSchema },
    failures: runFailures,
    example: { reply: exampleRun },
    plan: ({ manager, params }) => planOf(manager, params.cluster, [params.test]),
    answer: async ({ cluster, params, caller, query: { wait = true } }) => {
      const request = { user: caller.user, tests: [params.test], wait }
      const ticket = await cluster.ask('begin-trials', request, { deadlineMs: DAY })
      return ticket.ok ? ok(renderTicket([params.test], ticket.value)[0]) : ticket
    },
  }),
}
