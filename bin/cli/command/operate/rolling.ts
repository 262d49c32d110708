// `rolling`: starts a rolling operation and follows it, shows its progress, cancels it.
import { Argument, type Command } from 'commander'
import type { Rolling } from '../../../../http/client/api/generated.js'
import type { Session } from '../../../../http/client/session.js'
import { HOUR, isoTime, SECOND } from '../../../../lib/base/time.js'
import { type RollKind, rollKinds, rollTitles } from '../../../../lib/model/operation/roll.js'
import { confirm } from '../../kit/confirm.js'
import { type Act, call, chooseCluster, run } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { gravityOf, yesFlag } from '../../kit/gravity.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print } from '../../output/output.js'
import { type Column, renderTable } from '../../output/table.js'
import { withProgress } from './operation.js'
import { confirmFlag, type PlanOptions, planFlag, showPlan } from './preview.js'

type Turn = Rolling['servers'][number]

interface RollOptions extends PlanOptions {
  readonly wait: boolean
  readonly force: boolean
}

interface BeginOptions extends RollOptions {
  readonly yes: boolean
}

/** What starts each kind. */
const addresses = {
  restart: 'POST /api/clusters/:cluster/actions/rolling',
  reprov: 'POST /api/clusters/:cluster/actions/rolling-reprov',
  optimize: 'POST /api/clusters/:cluster/actions/optimize',
} as const

/** As long as the manager waits for a rolling operation. */
const PATIENCE_MS = 12 * HOUR

export function addRolling(program: Command, context: Context): void {
  canWatch(program.command('rolling'), ([what]) => what === 'status')
    .description(
      'restart, reprovision or optimize one server after the other, replicas first, without downtime of the cluster',
    )
    .addArgument(
      new Argument('<what>', 'operation to start; or status or cancel of the started one').choices([
        ...rollKinds,
        'status',
        'cancel',
      ]),
    )
    .option('--no-wait', 'return once it has started; it continues on the manager')
    .option('--force', 'reprov: even if the primary is temporarily the only server with the data', false)
    .option(...planFlag)
    .option(...confirmFlag)
    .option(...yesFlag)
    .action(async (what: RollKind | 'status' | 'cancel', { yes, ...options }: BeginOptions) => {
      if (what === 'status') return showRun(context)
      if (what === 'cancel') return cancelRun(context)
      await confirm(
        options.plan || options.confirm !== undefined ? 'none' : gravityOf(what),
        `${rollTitles[what]} of ${context.flags().cluster ?? 'the cluster'}: one server after the other.`,
        { yes },
      )
      return beginRun(what, options, context)
    })
}

async function beginRun(kind: RollKind, options: RollOptions, context: Context): Promise<void> {
  const { wait, force, plan, confirm: id } = options
  const { flags, session } = context
  const cluster = await chooseCluster(session(), flags())
  const wish: Act = {
    address: addresses[kind],
    params: { cluster },
    query: { ...(wait ? { wait } : {}), ...(force ? { force } : {}) },
  }
  if (plan) return showPlan(context, wish)
  const before = (await readRun(session(), cluster))?.id
  try {
    await withProgress(session(), cluster, () => run(wish, id, { session: session(), timeoutMs: PATIENCE_MS }))
  } finally {
    const begun = await readRun(session(), cluster).catch(() => null)
    if (begun && begun.id !== before) print(await format(flags(), begun, renderRun))
  }
}

async function showRun({ flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  return present(flags(), { read: () => readRun(session(), cluster), render: renderRun })
}

async function cancelRun({ flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const started = await readRun(session(), cluster)
  if (!started) throw new Exit(EXIT.refused, `${cluster}: no rolling operation was ever started`)
  const address = `POST /api/clusters/:cluster/actions/cancel-rolling-${started.kind}` as const
  print(await format(flags(), await call(session(), address, { params: { cluster } }), renderRun))
}

const readRun = (session: Session, cluster: string): Promise<Rolling | null> =>
  call(session, 'GET /api/clusters/:cluster/rolling', { params: { cluster } })

const columns: readonly Column<Turn>[] = [
  { title: 'server', text: ({ name }) => name },
  {
    title: 'state',
    text: ({ state }) => state,
    style: ({ state }) => (state === 'failed' ? 'red' : state === 'done' ? 'green' : 'yellow'),
  },
  { title: 'seconds', align: 'right', text: seconds },
  { title: 'why', text: ({ message = '' }) => message },
]

function seconds({ startedAt, endedAt }: Turn): string {
  return startedAt === undefined || endedAt === undefined ? '-' : String(Math.round((endedAt - startedAt) / SECOND))
}

function renderRun(run: Rolling | null): string {
  if (!run) return 'No rolling operation was ever started.'
  const why = run.message === undefined ? '' : `: ${run.message}`
  return [
    `${rollTitles[run.kind]} ${run.phase}${why}; ${run.done} of ${run.total} done, requested by ${run.owner} at ${isoTime(run.startedAt)}`,
    ...(run.doing === undefined ? [] : [`now: ${run.doing}`]),
    `primary ${run.primary}${run.home === run.primary ? '' : `, to end on ${run.home}`}`,
    renderTable(columns, run.servers),
  ].join('\n')
}
