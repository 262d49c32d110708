// `rolling`: starts a rolling operation and follows it, shows its progress, cancels it.
import { Argument, type Command } from 'commander'
import type { Session } from '../../../http/client/session.js'
import { clusterPath } from '../../../http/client/wire.js'
import { HOUR, isoTime, SECOND } from '../../../lib/base/time.js'
import { type RollKind, rollKinds, rollTitles } from '../../../lib/model/operation/roll.js'
import { confirm } from '../kit/confirm.js'
import { call, chooseCluster } from '../kit/connect.js'
import type { Context } from '../kit/context.js'
import { gravityOf, yesFlag } from '../kit/gravity.js'
import { present } from '../kit/present.js'
import { canWatch } from '../kit/watchable.js'
import { EXIT, Exit } from '../output/exit.js'
import { format, print } from '../output/output.js'
import { type Column, renderTable } from '../output/table.js'
import { withProgress } from './operation.js'

/** A rolling operation as the API reports it. */
interface Run {
  readonly id: string
  readonly kind: RollKind
  readonly owner: string
  readonly phase: 'running' | 'succeeded' | 'stopped' | 'cancelled'
  readonly startedAt: number
  readonly endedAt?: number
  readonly primary: string
  readonly home: string
  readonly doing?: string
  readonly message?: string
  readonly done: number
  readonly total: number
  readonly servers: readonly Turn[]
}

interface Turn {
  readonly name: string
  readonly state: string
  readonly startedAt?: number
  readonly endedAt?: number
  readonly message?: string
}

interface RollOptions {
  readonly wait: boolean
  readonly force: boolean
}

interface BeginOptions extends RollOptions {
  readonly yes: boolean
}

/** Path segment that starts each kind. */
const words: Readonly<Record<RollKind, string>> = { restart: 'rolling', reprov: 'rolling-reprov', optimize: 'optimize' }

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
    .option(...yesFlag)
    .action(async (what: RollKind | 'status' | 'cancel', { yes, ...options }: BeginOptions) => {
      if (what === 'status') return showRun(context)
      if (what === 'cancel') return cancelRun(context)
      await confirm(
        gravityOf(what),
        `${rollTitles[what]} of ${context.flags().cluster ?? 'the cluster'}: one server after the other.`,
        { yes },
      )
      return beginRun(what, options, context)
    })
}

async function beginRun(kind: RollKind, { wait, force }: RollOptions, { flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const query = new URLSearchParams({ ...(wait ? { wait: 'true' } : {}), ...(force ? { force: 'true' } : {}) })
  const request = `POST ${clusterPath(cluster, 'actions', words[kind])}?${query}` as const
  const before = (await readRun(session(), cluster))?.id
  try {
    await withProgress(session(), cluster, () => call(session(), request, { timeoutMs: PATIENCE_MS }))
  } finally {
    const run = await readRun(session(), cluster).catch(() => null)
    if (run && run.id !== before) print(await format(flags(), run, renderRun))
  }
}

async function showRun({ flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  return present(flags(), { read: () => readRun(session(), cluster), render: renderRun })
}

async function cancelRun({ flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const run = await readRun(session(), cluster)
  if (!run) throw new Exit(EXIT.refused, `${cluster}: no rolling operation was ever started`)
  const cancelled = await call(session(), `POST ${clusterPath(cluster, 'actions', `cancel-rolling-${run.kind}`)}`)
  print(await format(flags(), cancelled as Run | null, renderRun))
}

const readRun = async (session: Session, cluster: string): Promise<Run | null> =>
  (await call(session, `GET ${clusterPath(cluster, 'rolling')}`)) as Run | null

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

function renderRun(run: Run | null): string {
  if (!run) return 'No rolling operation was ever started.'
  const why = run.message === undefined ? '' : `: ${run.message}`
  return [
    `${rollTitles[run.kind]} ${run.phase}${why}; ${run.done} of ${run.total} done, requested by ${run.owner} at ${isoTime(run.startedAt)}`,
    ...(run.doing === undefined ? [] : [`now: ${run.doing}`]),
    `primary ${run.primary}${run.home === run.primary ? '' : `, to end on ${run.home}`}`,
    renderTable(columns, run.servers),
  ].join('\n')
}
