// `backup` and `backups`: makes one, with its plan on request and its progress; lists those that there are.
import { type Command, Option } from 'commander'
import { DAY } from '../../../../lib/base/time.js'
import { renderBackups } from '../../answer/backups.js'
import { type Act, call, chooseCluster, run } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { format, print } from '../../output/output.js'
import { withProgress } from './operation.js'
import { confirmFlag, type PlanOptions, showPlan } from './preview.js'

/** As long as the manager may run a backup. */
const PATIENCE_MS = 24 * DAY

interface BackupOptions extends PlanOptions {
  readonly physical?: boolean
  readonly server?: string
  readonly full: boolean
  readonly wait: boolean
}

export function addBackup(program: Command, context: Context): void {
  program
    .command('backup')
    .description('make a backup: of the best replica, or of one server')
    .addOption(new Option('--logical', 'statements that make the data again (default)').conflicts('physical'))
    .option('--physical', 'the files of the server')
    .option('--server <server>', 'this server: id, name or host:port')
    .option('--full', 'a full one, even where incremental ones are made between', false)
    .option('--plan', 'show the source, the other servers and why they come after it; change nothing', false)
    .option(...confirmFlag)
    .option('--wait', 'return when it is valid, with its progress', false)
    .action((options: BackupOptions) => backUp(options, context))
  program
    .command('backups')
    .description('list the backups that there are')
    .action(() => listBackups(context))
}

async function backUp(options: BackupOptions, context: Context): Promise<void> {
  const { physical = false, server, full, plan, wait } = options
  const { flags, session } = context
  const cluster = await chooseCluster(session(), flags())
  const action = `backup-${physical ? 'physical' : 'logical'}` as const
  const query = { ...(wait ? { wait } : {}), ...(full ? { full } : {}) }
  const act: Act =
    server === undefined
      ? { address: `POST /api/clusters/:cluster/actions/${action}`, params: { cluster }, query }
      : { address: `POST /api/clusters/:cluster/servers/:server/actions/${action}`, params: { cluster, server }, query }
  if (plan) return showPlan(context, act)
  const begin = () => run(act, options.confirm, { session: session(), timeoutMs: PATIENCE_MS })
  if (wait) {
    await withProgress(session(), cluster, begin)
    return listBackups(context)
  }
  await begin()
  print(await format(flags(), { initiated: action }, () => 'Backup initiated; `job list` shows how far it is.'))
}

async function listBackups({ flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const backups = await call(session(), 'GET /api/clusters/:cluster/backups', { params: { cluster } })
  print(await format(flags(), backups, renderBackups))
}
