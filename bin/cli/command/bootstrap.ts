// `bootstrap`: sets up replication between servers that do not replicate yet.
import { type Command, Option } from 'commander'
import { clusterPath } from '../../../http/client/wire.js'
import { MINUTE } from '../../../lib/base/time.js'
import { formedTopologies } from '../../../lib/model/wire.js'
import { call, chooseCluster } from '../kit/connect.js'
import type { Context } from '../kit/context.js'
import { format, print } from '../output/output.js'
import { withProgress } from './operation.js'
import { readTopology, renderTopology } from './topology.js'

const PATIENCE_MS = 6 * MINUTE

export function addBootstrap(program: Command, { flags, session }: Context): void {
  program
    .command('bootstrap')
    .description(
      'set up replication between servers that do not replicate yet; refused where one has errant transactions',
    )
    .addOption(
      new Option('--topology <name>', 'topology to create').choices(formedTopologies).default(formedTopologies[0]),
    )
    .action(async ({ topology }: { readonly topology: string }) => {
      const cluster = await chooseCluster(session(), flags())
      const path = clusterPath(cluster, 'actions', 'replication', 'bootstrap', topology)
      await withProgress(session(), cluster, () => call(session(), `POST ${path}`, { timeoutMs: PATIENCE_MS }))
      print(await format(flags(), await readTopology(session(), cluster), renderTopology))
    })
}
