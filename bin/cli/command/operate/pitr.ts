// `pitr` and `search-logs`: all servers back at one point, with what that would undo; and the transactions that lead to it.
import type { Command } from 'commander'
import type { ClusterRecoveryPlan, FoundTransactions } from '../../../../http/client/api/generated.js'
import { DAY, isoTime, MINUTE } from '../../../../lib/base/time.js'
import { confirm } from '../../kit/confirm.js'
import { call, chooseCluster } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { yesFlag } from '../../kit/gravity.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print } from '../../output/output.js'
import { type Column, renderTable } from '../../output/table.js'
import { addRestore, newServerFlag, recoverApart } from './new-server.js'
import { withProgress } from './operation.js'
import { type PointOptions, pointOf, secondsOf } from './point.js'

interface PitrOptions extends PointOptions {
  /** `true` without an address. */
  readonly newServer?: string | true
  readonly plan: boolean
  readonly confirm?: string
  readonly wait: boolean
  readonly yes: boolean
}

interface SearchOptions {
  readonly schema?: string
  readonly table?: string
  readonly from?: string
  readonly to?: string
  readonly gtid?: string
  readonly limit?: string
}

export function addPitr(program: Command, context: Context): void {
  program
    .command('pitr')
    .description(
      'bring all servers of the cluster back to one point, or (--new-server) a new one; shows the plan, and asks first',
    )
    .option('--end', 'the end of what is stored: after the loss of all servers')
    .option('--before <gtid>', 'just before this transaction (search-logs finds it)')
    .option('--gtid <gtid>', 'after this transaction')
    .option('--time <time>', 'the last transaction until then: 2026-11-22T15:04:59Z, or Unix seconds')
    .option('--of-file <file>', 'a file of the binary log, with --position')
    .option('--position <bytes>', 'up to this offset of the file')
    .option('--backup <id>', 'begin from this backup; else the newest one before the point')
    .option(...newServerFlag)
    .option('--plan', 'show what would be done and undone; change nothing', false)
    .option('--confirm <plan>', 'id of the plan that was read')
    .option('--no-wait', 'return once it has started; it continues on the manager')
    .option(...yesFlag)
    .action((options: PitrOptions) => (options.newServer ? recoverApart : recover)(options, context))
  addRestore(program, context)
  program
    .command('search-logs')
    .description('find transactions in the stored binary logs, oldest first')
    .option('--schema <schema>', 'that change tables of this schema')
    .option('--table <table>', 'that change this table, or name it in a statement')
    .option('--from <time>', 'not earlier: 2026-11-22T15:00Z, or Unix seconds')
    .option('--to <time>', 'not later')
    .option('--gtid <gtid>', 'this one')
    .option('--limit <number>', 'at most so many (100)')
    .action((options: SearchOptions) => search(options, context))
}

async function recover(options: PitrOptions, { flags, session }: Context): Promise<void> {
  const point = pointOf(options)
  const cluster = await chooseCluster(session(), flags())
  const params = { cluster }
  const plan = await call(session(), 'GET /api/clusters/:cluster/recovery', {
    params,
    query: point,
    timeoutMs: 40 * MINUTE,
  })
  if (options.plan) return print(await format(flags(), plan, renderPlan))
  const isRead = options.confirm === plan.id
  if (options.confirm !== undefined && !isRead)
    throw new Exit(EXIT.refused, `The plan is another one by now.\n${renderPlan(plan)}`)
  if (!isRead) await confirm('loses', `All servers of ${cluster}. ${plan.loss}`, options)
  const query = { ...point, confirm: plan.id, ...(options.wait ? { wait: true } : {}) }
  const timeoutMs = options.wait ? 24 * DAY : 40 * MINUTE
  const begin = () => call(session(), 'POST /api/clusters/:cluster/actions/pitr', { params, query, timeoutMs })
  const answer = options.wait ? await withProgress(session(), cluster, begin) : await begin()
  print(
    await format(flags(), answer, ({ result }) =>
      options.wait
        ? `All servers are back: ${result}`
        : 'The servers are being brought back; `job list` shows how far it is.',
    ),
  )
}

async function search({ from, to, ...rest }: SearchOptions, { flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const found = await call(session(), 'GET /api/clusters/:cluster/stored-transactions', {
    params: { cluster },
    query: {
      ...rest,
      ...(from === undefined ? {} : { from: secondsOf(from, '--from') }),
      ...(to === undefined ? {} : { to: secondsOf(to, '--to') }),
    },
    timeoutMs: 40 * MINUTE,
  })
  print(await format(flags(), found, renderFound))
}

type FoundTransaction = FoundTransactions['transactions'][number]
type TableChanges = FoundTransaction['tables'][number]

const changed = ({ schema, table, inserted, updated, deleted }: TableChanges): string =>
  `${schema}.${table} +${inserted} ~${updated} -${deleted}`

const columns: readonly Column<FoundTransaction>[] = [
  { title: 'time', text: ({ at }) => isoTime(at) },
  { title: 'gtid', text: ({ gtid }) => gtid },
  { title: 'rows', text: ({ tables }) => tables.map(changed).join(', ') },
  { title: 'statements', text: ({ statements }) => statements.join('; ') },
]

function renderFound({ transactions, more, stored }: FoundTransactions): string {
  const range =
    stored.from === undefined || stored.to === undefined
      ? 'No binary logs are stored (backup-binlogs).'
      : `Stored: ${isoTime(stored.from)} to ${isoTime(stored.to)}.`
  if (transactions.length === 0) return `None found. ${range}`
  return [
    renderTable(columns, transactions),
    '',
    ...(more ? ['There are more: --limit, --from.'] : []),
    range,
    'Just before one of them: manager-cli pitr --before <gtid> --plan',
  ].join('\n')
}

function renderPlan({ id, servers, loss, undone, steps, risks, last }: ClusterRecoveryPlan): string {
  return [
    `Point: ${last ? `after ${last.gtid} of ${isoTime(last.at)}` : 'the backup itself'}`,
    `Undone: ${loss}`,
    ...undone.tables.map((table) => `  ${changed(table)}`),
    `Servers: ${servers.map(({ name, by }) => `${name} (${by})`).join(', ')}`,
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    ...risks.map((risk) => `Risk: ${risk}`),
    `Plan: ${id}`,
    'Nothing was changed.',
  ].join('\n')
}
