// `bootstrap`: sets up replication between servers that do not replicate yet.
import { type Command, Option } from 'commander'
import { MINUTE } from '../../../../lib/base/time.js'
import { formedTopologies } from '../../../../lib/model/wire.js'
import { type Act, chooseCluster, run } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { format, print } from '../../output/output.js'
import { readTopology, renderTopology } from '../read/topology.js'
import { withProgress } from './operation.js'
import { confirmFlag, type PlanOptions, planFlag, showPlan } from './preview.js'

const PATIENCE_MS = 6 * MINUTE

export function addBootstrap(program: Command, context: Context): void {
  const { flags, session } = context
  program
    .command('bootstrap')
    .description(
      'set up replication between servers that do not replicate yet; refused where one has errant transactions',
    )
    .addOption(
      new Option('--topology <name>', 'topology to create').choices(formedTopologies).default(formedTopologies[0]),
    )
    .option(...planFlag)
    .option(...confirmFlag)
    .action(
      async ({ topology, plan, confirm }: PlanOptions & { readonly topology: (typeof formedTopologies)[number] }) => {
        const cluster = await chooseCluster(session(), flags())
        const act: Act = {
          address: 'POST /api/clusters/:cluster/actions/replication/bootstrap/:topology',
          params: { cluster, topology },
        }
        if (plan) return showPlan(context, act)
        await withProgress(session(), cluster, () => run(act, confirm, { session: session(), timeoutMs: PATIENCE_MS }))
        print(await format(flags(), await readTopology(session(), cluster), renderTopology))
      },
    )
}
