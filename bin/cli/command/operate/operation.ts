// `switchover` and `failover`: the plan on request, else the operation with its progress and its end.
import { type Command, Option } from 'commander'
import type { Operation, OperationTicket } from '../../../../http/client/api/generated.js'
import type { Session } from '../../../../http/client/session.js'
import { candidateForm } from '../../../../http/client/wire.js'
import { MINUTE } from '../../../../lib/base/time.js'
import { shortfallText } from '../../../../lib/model/loss/shortfall.js'
import type { SettingName } from '../../../../lib/settings/index.js'
import { confirm } from '../../kit/confirm.js'
import { type Act, chooseCluster, run } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { gravityOf, yesFlag } from '../../kit/gravity.js'
import { momentForms } from '../../kit/moment.js'
import { type IsOwn, ofOperation, showProgress } from '../../kit/progress.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print, talk } from '../../output/output.js'
import { readTopology, renderTopology } from '../read/topology.js'
import { confirmFlag, type PlanOptions, planFlag, showPlan } from './preview.js'
import { cancelScheduled, schedule, showScheduled } from './scheduled.js'

/** Operations have separate deadlines; the manager waits five minutes for one. */
const PATIENCE_MS = 6 * MINUTE

export interface OperationRequest {
  readonly cluster: string
  readonly kind: 'switchover' | 'failover'
  /** Server that is to become the primary, as people name it. */
  readonly candidate: string | undefined
  /** Id of the plan that it must be. */
  readonly confirm?: string
}

interface OperationOptions extends PlanOptions {
  readonly to?: string
  readonly yes?: boolean
  readonly at?: string
  readonly until?: string
  readonly scheduled?: boolean
  readonly cancel?: boolean
}

/** The setting that a long spelling of `--to` is named after. */
const setting: SettingName = 'db-servers-prefered-master'

const candidateOption = new Option(`--${setting}, --to <server>`, 'the new primary: id, name or host:port')

export function addOperations(program: Command, context: Context): void {
  program
    .command('switchover')
    .description('switch over to a replica without data loss')
    .addOption(candidateOption)
    .option(...planFlag)
    .option(...confirmFlag)
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
    .option(...planFlag)
    .option(...confirmFlag)
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
  { plan, to, confirm: id, yes = false }: OperationOptions,
  context: Context,
): Promise<void> {
  const { flags, session } = context
  const cluster = await chooseCluster(session(), flags())
  const request = { cluster, kind, candidate: to, ...(id === undefined ? {} : { confirm: id }) }
  if (plan) return showPlan(context, actOf(request))
  await confirm(
    id === undefined ? gravityOf(kind) : 'none',
    `${kind} of ${cluster}: promotes a replica now; transactions that only the old primary has may be lost.`,
    { yes },
  )
  const operation = await operate(session(), request)
  const report = { operation, ...(await readTopology(session(), cluster)) }
  print(await format(flags(), report, renderTopology))
  endIncomplete(operation, report.servers)
}

/** An exit status of its own, after the topology was shown. */
function endIncomplete({ losses = [] }: Operation, servers: readonly Named[]): void {
  if (losses.length === 0) return
  const nameOf = (id: string): string => {
    const { host, port } = servers.find((server) => server.id === id) ?? {}
    return host === undefined ? id : `${host}:${port}`
  }
  const named = losses.map((loss) => `${shortfallText(loss, nameOf)} (${loss.command}: ${loss.message})`)
  throw new Exit(
    EXIT.losses,
    `The primary role moved, but ${named.join('; ')}. The findings say what the manager repairs, and what it does not.`,
  )
}

interface Named {
  readonly id: string
  readonly host: string
  readonly port: string | number
}

/** Starts the operation, shows its steps on a terminal, and answers when it has ended; a failed one is thrown. */
export async function operate(session: Session, given: OperationRequest): Promise<Operation> {
  const work = async () => {
    const ticket = await run(actOf(given), given.confirm, { session, timeoutMs: PATIENCE_MS })
    return (ticket as OperationTicket).operation
  }
  return withProgress(session, given.cluster, work, ofOperation(given.kind))
}

const actOf = ({ cluster, kind, candidate }: OperationRequest): Act =>
  kind === 'failover'
    ? { address: 'POST /api/clusters/:cluster/actions/failover', params: { cluster } }
    : {
        address: 'POST /api/clusters/:cluster/actions/switchover',
        params: { cluster },
        body: candidateForm(candidate),
      }

/** Runs the work; on a terminal with the cluster's events beside it, those that `isOwn` keeps (all without it). */
export async function withProgress<T>(
  session: Session,
  cluster: string,
  ...[work, isOwn]: readonly [work: () => Promise<T>, isOwn?: IsOwn]
): Promise<T> {
  const progress = process.stderr.isTTY ? await showProgress(session, cluster, isOwn) : undefined
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
