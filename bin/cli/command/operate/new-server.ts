// `pitr --new-server` and `restore`: a new server with the data of an earlier point; the cluster is not changed.
import type { Command } from 'commander'
import type { NewServerPlan } from '../../../../http/client/api/generated.js'
import { DAY, isoTime, MINUTE } from '../../../../lib/base/time.js'
import { addressText } from '../../../../lib/model/server/server.js'
import { confirm } from '../../kit/confirm.js'
import { call, chooseCluster } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { yesFlag } from '../../kit/gravity.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print } from '../../output/output.js'
import { withProgress } from './operation.js'
import { type PointOptions, pointOf } from './point.js'

export interface ApartOptions extends PointOptions {
  /** `true` without an address. */
  readonly newServer?: string | true
  readonly plan: boolean
  readonly confirm?: string
  readonly wait: boolean
  readonly yes: boolean
  /** The backup without binary logs. */
  readonly alone?: boolean
}

export const newServerFlag = [
  '--new-server [address]',
  'onto a new server that the orchestrator creates, at host:port or (local) at a free port; the cluster is not changed',
] as const

export function addRestore(program: Command, context: Context): void {
  program
    .command('restore')
    .description('restore a backup alone, without what was written after it, onto a new server')
    .requiredOption(...newServerFlag)
    .option('--backup <id>', 'this backup; else the newest valid one')
    .option('--plan', 'show what would be done; change nothing', false)
    .option('--confirm <plan>', 'id of the plan that was read')
    .option('--no-wait', 'return once it has started; it continues on the manager')
    .option(...yesFlag)
    .action((options: ApartOptions) => recoverApart({ ...options, alone: true }, context))
}

/** Onto a new server. Nothing of the cluster is lost by it, so that a question is enough. */
export async function recoverApart(options: ApartOptions, { flags, session }: Context): Promise<void> {
  const { newServer, alone = false, backup } = options
  const point = alone ? { useBinlog: false, ...(backup === undefined ? {} : { backup }) } : pointOf(options)
  const place = typeof newServer === 'string' ? { address: newServer } : {}
  const cluster = await chooseCluster(session(), flags())
  const params = { cluster }
  const plan = await call(session(), 'GET /api/clusters/:cluster/recovery/new-server', {
    ...{ params, query: { ...point, ...place }, timeoutMs: 40 * MINUTE },
  })
  if (options.plan) return print(await format(flags(), plan, renderNewServer))
  if (options.confirm !== undefined && options.confirm !== plan.id)
    throw new Exit(EXIT.refused, `The plan is another one by now.\n${renderNewServer(plan)}`)
  const address = addressText(plan)
  const question = `A new server of ${cluster} at ${address} from backup ${plan.backup}.`
  if (options.confirm === undefined) await confirm('interrupts', question, options)
  const query = { ...point, address, confirm: plan.id, ...(options.wait ? { wait: true } : {}) }
  const timeoutMs = options.wait ? 24 * DAY : 40 * MINUTE
  const begin = () =>
    call(session(), 'POST /api/clusters/:cluster/actions/pitr-new-server', { params, query, timeoutMs })
  const answer = options.wait ? await withProgress(session(), cluster, begin) : await begin()
  print(
    await format(flags(), answer, ({ result }) =>
      options.wait ? result : 'The new server is being made; `job list` shows how far it is.',
    ),
  )
}

function renderNewServer({ id, steps, risks, last, next, host, port, backup }: NewServerPlan): string {
  return [
    `Server: ${host}:${port}`,
    `Point: ${last ? `after ${last.gtid} of ${isoTime(last.at)}` : `backup ${backup} itself`}`,
    ...(next ? [`Next: ${next.gtid} of ${isoTime(next.at)} is not a part of it`] : []),
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    ...risks.map((risk) => `Risk: ${risk}`),
    `Plan: ${id}`,
    'Nothing was changed.',
  ].join('\n')
}
