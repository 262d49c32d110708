// `reseed`: brings a server back that cannot follow; shows what is wrong with it and every way first.
import type { Command } from 'commander'
import type { WayBack } from '../../../../http/client/api/generated.js'
import type { Input } from '../../../../http/client/api/types.js'
import { DAY, MINUTE } from '../../../../lib/base/time.js'
import { confirm } from '../../kit/confirm.js'
import { call, chooseCluster } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { yesFlag } from '../../kit/gravity.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print } from '../../output/output.js'
import { type Column, renderTable } from '../../output/table.js'

interface ReseedOptions {
  /** The manager refuses other words. */
  readonly method: Input<'POST /api/clusters/:cluster/servers/:server/actions/reseed/:backupMethod'>['params']['backupMethod']
  readonly plan: boolean
  readonly confirm?: string
  readonly wait: boolean
  readonly yes: boolean
}

export function addReseed(program: Command, context: Context): void {
  program
    .command('reseed <server>')
    .description('bring a server back that cannot follow: undo what only it wrote, or replace its data by a copy')
    .option(
      '--method <method>',
      'cheapest, or a way that --plan lists: flashback, rebuild, dump, logical-backup, physical-backup, zfs, script',
      'cheapest',
    )
    .option('--plan', 'show what is wrong, what would be lost and every way with its cost; change nothing', false)
    .option('--confirm <plan>', 'id of the plan that was read: needed where only this server has something')
    .option('--no-wait', 'return once it has started; it continues on the manager')
    .option(...yesFlag)
    .action((server: string, options: ReseedOptions) => reseed(server, options, context))
}

async function reseed(server: string, options: ReseedOptions, { flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const { method, wait } = options
  const params = { cluster, server }
  const plan = await call(session(), 'GET /api/clusters/:cluster/servers/:server/way-back', {
    params,
    query: method === 'cheapest' ? {} : { method },
    timeoutMs: 3 * MINUTE,
  })
  if (options.plan) return print(await format(flags(), plan, renderPlan))
  if (plan.chosen === undefined) throw new Exit(EXIT.refused, renderPlan(plan))
  const isRead = options.confirm === plan.id
  if (options.confirm !== undefined && !isRead)
    throw new Exit(EXIT.refused, `The plan is another one by now.\n${renderPlan(plan)}`)
  if (!isRead) await confirm('loses', `${plan.name} by ${plan.chosen}. ${plan.loss}`, options)
  await call(session(), 'POST /api/clusters/:cluster/servers/:server/actions/reseed/:backupMethod', {
    params: { ...params, backupMethod: method },
    query: { confirm: plan.id, ...(wait ? { wait } : {}) },
    timeoutMs: wait ? 2 * DAY : 3 * MINUTE,
  })
  print(wait ? `${plan.name} replicates again.` : `${plan.name} is being brought back: manager-cli job list`)
}

const columns: readonly Column<WayBack['ways'][number]>[] = [
  { title: 'way', text: ({ method }) => method },
  {
    title: 'possible',
    text: ({ allowed }) => (allowed ? 'yes' : 'no'),
    style: ({ allowed }) => (allowed ? 'green' : 'yellow'),
  },
  {
    title: 'estimate',
    text: ({ estimateMs }) => (estimateMs === undefined ? '' : `${Math.ceil(estimateMs / 1_000)} s`),
  },
  { title: 'bytes', text: ({ bytes }) => (bytes === undefined ? '' : `${bytes}`) },
  { title: 'load', text: ({ load }) => load },
  { title: 'why', text: ({ why }) => why },
]

function renderPlan({ id, name, reason, loss, saved, chosen, ways }: WayBack): string {
  return [
    `${name}: ${reason}.`,
    `Lost: ${loss}`,
    ...(saved === undefined ? [] : [`Saved: ${saved}`]),
    `Way: ${chosen ?? 'none is possible'}`,
    `Plan: ${id}`,
    '',
    renderTable(columns, ways),
  ].join('\n')
}
