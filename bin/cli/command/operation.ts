// `switchover` and `failover`: the plan on request, else the operation with its progress and its end.
import { type Command, Option } from 'commander'
import type { Session } from '../../../http/client/session.js'
import { candidateForm, clusterPath } from '../../../http/client/wire.js'
import { MINUTE } from '../../../lib/base/time.js'
import type { Operation } from '../../../lib/model/operation/operation.js'
import type { Preview } from '../../../lib/model/operation/preview.js'
import type { SettingName } from '../../../lib/settings/index.js'
import { confirm } from '../kit/confirm.js'
import { call, chooseCluster } from '../kit/connect.js'
import type { Context } from '../kit/context.js'
import { gravityOf, yesFlag } from '../kit/gravity.js'
import { momentForms } from '../kit/moment.js'
import { showProgress } from '../kit/progress.js'
import { EXIT, Exit } from '../output/exit.js'
import { format, print, talk } from '../output/output.js'
import { renderPreview } from './preview.js'
import { cancelScheduled, schedule, showScheduled } from './scheduled.js'
import { readTopology, renderTopology } from './topology.js'

/** Operations have separate deadlines; the manager waits five minutes for one. */
const PATIENCE_MS = 6 * MINUTE

export interface OperationRequest {
  readonly cluster: string
  readonly kind: 'switchover' | 'failover'
  /** Server that is to become the primary, as people name it. */
  readonly candidate: string | undefined
}

interface OperationOptions {
  readonly to?: string
  readonly plan: boolean
  readonly yes?: boolean
  readonly at?: string
  readonly until?: string
  readonly scheduled?: boolean
  readonly cancel?: boolean
}

const planOption = new Option(
  '--plan',
  'show the steps, their expected durations and the risks; change nothing',
).default(false)

/** The setting that a long spelling of `--to` is named after. */
const setting: SettingName = 'db-servers-prefered-master'

const candidateOption = new Option(`--${setting}, --to <server>`, 'the new primary: id, name or host:port')

export function addOperations(program: Command, context: Context): void {
  program
    .command('switchover')
    .description('switch over to a replica without data loss')
    .addOption(candidateOption)
    .addOption(planOption)
    .option('--at <time>', `not now: at ${momentForms}`)
    .option(
      '--until <time>',
      'with --at: while it is refused, try again until then; +30m counts from --at (default: one minute)',
    )
    .option('--scheduled', 'show the scheduled switchover with its plan, or how it ended')
    .option('--cancel', 'take the scheduled switchover back')
    .action((options: OperationOptions) => switchOver(options, context))
  program
    .command('failover')
    .description('fail over from a dead primary now')
    .addOption(planOption)
    .option(...yesFlag)
    .action((options: OperationOptions) => act('failover', options, context))
}

async function switchOver(options: OperationOptions, context: Context): Promise<void> {
  const { at, until, to, scheduled, cancel, plan } = options
  if (at === undefined && until !== undefined) throw new Exit(EXIT.usage, '--until needs --at')
  if (!scheduled && !cancel && (at === undefined || plan)) return act('switchover', options, context)
  const cluster = await chooseCluster(context.session(), context.flags())
  if (scheduled) return showScheduled(cluster, context)
  if (cancel) return cancelScheduled(cluster, context)
  return schedule(cluster, { at: at ?? '', until, candidate: to }, context)
}

async function act(
  kind: OperationRequest['kind'],
  { plan, to, yes = false }: OperationOptions,
  { flags, session }: Context,
): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const request = { cluster, kind, candidate: to }
  if (plan) {
    const preview = await readPreview(session(), request)
    print(await format(flags(), preview, renderPreview))
    if (!preview.possible) throw new Exit(EXIT.refused, '')
    return
  }
  await confirm(
    gravityOf(kind),
    `${kind} of ${cluster}: promotes a replica now; transactions that only the old primary has may be lost.`,
    { yes },
  )
  const operation = await operate(session(), request)
  const report = { operation, ...(await readTopology(session(), cluster)) }
  print(await format(flags(), report, renderTopology))
  endWithLosses(operation, report.servers)
}

/** An exit status of its own, after the topology was shown. */
function endWithLosses({ losses = [] }: Operation, servers: readonly Named[]): void {
  if (losses.length === 0) return
  const named = losses.map(({ command, server, message }) => {
    const { host, port } = servers.find(({ id }) => id === server) ?? {}
    return [command, host === undefined ? server : `${host}:${port}`, message].filter(Boolean).join(' ')
  })
  throw new Exit(
    EXIT.losses,
    `The primary role moved, with losses: ${named.join('; ')}. The manager continues to repair it.`,
  )
}

interface Named {
  readonly id: string
  readonly host: string
  readonly port: string | number
}

const readPreview = async (session: Session, { cluster, kind, candidate }: OperationRequest): Promise<Preview> =>
  (await call(session, `POST ${clusterPath(cluster, 'actions', kind)}?plan=true`, {
    body: candidateForm(candidate),
  })) as Preview

/** Starts the operation, shows its steps on a terminal, and answers when it has ended; a failed one is thrown. */
export async function operate(session: Session, { cluster, kind, candidate }: OperationRequest): Promise<Operation> {
  const request = `POST ${clusterPath(cluster, 'actions', kind)}` as const
  return withProgress(session, cluster, async () => {
    const ticket = await call(session, request, { body: candidateForm(candidate), timeoutMs: PATIENCE_MS })
    return (ticket as { readonly operation: Operation }).operation
  })
}

/** Runs the work; on a terminal with the cluster's events beside it. */
export async function withProgress<T>(session: Session, cluster: string, work: () => Promise<T>): Promise<T> {
  const progress = process.stderr.isTTY ? await showProgress(session, cluster) : undefined
  const interrupted = () => talk('Interrupted; the operation continues on the manager.')
  process.prependOnceListener('SIGINT', interrupted)
  let hasBegun = false
  try {
    const value = await work()
    hasBegun = true
    return value
  } finally {
    process.off('SIGINT', interrupted)
    await progress?.end(hasBegun)
  }
}
