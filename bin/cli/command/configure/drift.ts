// `drift`, `drift accept|preserve|clear`, `apply-dynamic`: differences between running variables and those derived from tags.
import type { Command } from 'commander'
import type { DriftRequest } from '../../../../actors/protocol/manager/configurator.js'
import type { AppliedConfiguration, Drift, Plan } from '../../../../http/client/api/generated.js'
import type { Session } from '../../../../http/client/session.js'
import { MINUTE } from '../../../../lib/base/time.js'
import { call, chooseCluster, planOf } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'
import { format, print } from '../../output/output.js'
import type { Style } from '../../output/paint.js'
import { type Column, renderTable } from '../../output/table.js'

/** Servers are queried and changed one after the other. */
const PATIENCE_MS = 10 * MINUTE

const decisions: readonly (readonly [DriftRequest['decision'], string])[] = [
  ['accept', 'accept the running value until the value derived from the tags changes'],
  ['preserve', 'keep the running value, whatever the tags'],
  ['clear', 'use the value of the tags at the next start'],
]

export function addDrift(program: Command, context: Context): void {
  const drift = canWatch(program.command('drift'))
    .description('running variables that differ from the tags')
    .argument('[server]', 'only this one')
    .action((server: string | undefined) => showDrift(context, server))
  for (const [decision, text] of decisions)
    drift
      .command(`${decision} <server> <variable>`)
      .description(`${text}; \`all\` selects every difference`)
      .option('--everywhere', 'on every server of the cluster (preserve, clear)', false)
      .action((server: string, variable: string, { everywhere }: { readonly everywhere: boolean }) =>
        decide(context, { decision, server, variable, everywhere }),
      )
  program
    .command('apply-dynamic')
    .description('apply the dynamic variables of the configuration to the running servers; the rest requires a restart')
    .option('--plan', 'show what would be done; change nothing', false)
    .action((options: { readonly plan: boolean }) => applyDynamic(context, options))
}

async function showDrift({ flags, session }: Context, server: string | undefined): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const read = async (): Promise<readonly Drift[]> => {
    const names = server === undefined ? await serversOf(session(), cluster) : [server]
    const views: Drift[] = []
    for (const name of names) views.push(await readDrift(session(), cluster, name))
    return views
  }
  await present(flags(), { read, render: renderDrift })
}

const serversOf = async (session: Session, cluster: string): Promise<readonly string[]> =>
  (await call(session, 'GET /api/clusters/:cluster/topology/servers', { params: { cluster } })).map(({ id }) => id)

const readDrift = (session: Session, cluster: string, server: string): Promise<Drift> =>
  call(session, 'GET /api/clusters/:cluster/servers/:server/variables-drift', { params: { cluster, server } })

type Choice = Pick<DriftRequest, 'decision' | 'server' | 'variable' | 'everywhere'>

async function decide({ flags, session }: Context, { decision, server, variable, everywhere }: Choice): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const address = `POST /api/clusters/:cluster/servers/:server/actions/variables-${decision}/:variable` as const
  const decided = await call(session(), address, {
    params: { cluster, server, variable },
    query: everywhere ? { everywhere } : {},
  })
  print(await format(flags(), [decided], renderDrift))
}

async function applyDynamic({ flags, session }: Context, { plan }: { readonly plan: boolean }): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const [address, params] = ['POST /api/clusters/:cluster/settings/actions/apply-dynamic-config', { cluster }] as const
  const timeoutMs = PATIENCE_MS
  // The plan of this action holds what the action answers, beside its steps.
  const done = plan
    ? ((await planOf({ address, params }, { session: session(), timeoutMs })) as Plan & AppliedConfiguration)
    : await call(session(), address, { params, timeoutMs })
  print(await format(flags(), done, renderDynamic))
}

type Difference = Drift['differences'][number]
type Applied = AppliedConfiguration['servers'][number]

type Row = Difference & { readonly server: string }

const styles: Readonly<Record<Difference['state'], Style | undefined>> = {
  undecided: 'yellow',
  pending: 'yellow',
  cleared: 'dim',
  agreed: 'green',
  preserved: 'green',
}

const columns: readonly Column<Row>[] = [
  { title: 'server', text: ({ server }) => server },
  { title: 'variable', text: ({ name }) => name },
  // Of the tags, or what a discovery found in place of them.
  { title: 'expected', text: ({ expected }) => expected },
  { title: 'running', text: ({ running }) => running },
  { title: 'state', text: ({ state }) => state, style: ({ state }) => styles[state] },
  { title: 'running value from', text: ({ origin = '' }) => origin },
]

function renderDrift(views: readonly Drift[]): string {
  const rows = views.flatMap(({ server, differences }) => differences.map((each) => ({ ...each, server })))
  const unwatched = views.filter(({ watched }) => !watched).map(({ server }) => server)
  return [
    rows.length === 0 ? 'No drift: every server runs with the values of its tags.' : renderTable(columns, rows),
    ...(unwatched.length === 0
      ? []
      : [`Not checked (no generated configuration): ${unwatched.join(', ')}; run \`discover\` to adopt them.`]),
  ].join('\n')
}

const renderDynamic = ({ applied, refused, servers }: AppliedConfiguration): string =>
  [
    ...servers.flatMap(({ server, statements, restart, failure }) => [
      `${server}: ${failure ?? (statements.length + restart.length === 0 ? 'nothing to do' : applied ? 'done' : 'would do')}`,
      ...statements.map(statementLine),
      ...restart.map(heldLine),
    ]),
    ...(refused === undefined ? [] : [`It would be refused: ${refused}`]),
  ].join('\n')

const shown = (value: string): string => (value === '' ? "''" : value)

function statementLine({ sql, name, from = '', to = '', refused }: Applied['statements'][number]): string {
  const change = name === undefined ? sql : `${name} ${shown(from)} -> ${shown(to)}`
  return `  ${change}${refused === undefined ? '' : `  refused: ${refused}`}`
}

const heldLine = ({ name, expected, running, held }: Applied['restart'][number]): string =>
  `  ${held === undefined ? 'at the next start' : `never while it runs (${held})`}: ${name} ${shown(running)} -> ${shown(expected)}`
