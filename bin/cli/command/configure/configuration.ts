// `tags`, `tag add`, `tag drop`, `discover`: what configurations are made of, and what running servers show of it.
import type { Command } from 'commander'
import type { Discovery, Plan, Tag, TagsAfter } from '../../../../http/client/api/generated.js'
import { MINUTE } from '../../../../lib/base/time.js'
import { call, chooseCluster, planOf } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'
import { format, print } from '../../output/output.js'
import { type Column, renderTable } from '../../output/table.js'

/** Every server of the cluster is asked before the answer. */
const PATIENCE_MS = MINUTE

export function addConfiguration(program: Command, context: Context): void {
  canWatch(program.command('tags'))
    .description('list the available tags')
    .action(() => showTags(context))
  const tag = program.command('tag').description('add or drop a tag of the configuration of a cluster')
  for (const verb of ['add', 'drop'] as const)
    tag
      .command(`${verb} <tag>`)
      .description(verb === 'add' ? 'add a tag' : 'drop a tag')
      .option('--proxy', 'a tag of the proxies instead of the databases', false)
      .option('--replace', 'drop conflicting tags', false)
      .action((name: string, options: TagOptions) => changeTag(context, { verb, name, ...options }))
  program
    .command('discover')
    .description('derive tags and resources from the running servers and apply them')
    .option('--plan', 'show what was found; change nothing', false)
    .action((options: { readonly plan: boolean }) => discover(context, options))
}

interface TagOptions {
  readonly proxy: boolean
  readonly replace: boolean
}

async function showTags({ flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const read = () => call(session(), 'GET /api/clusters/:cluster/tags', { params: { cluster } })
  await present(flags(), { read, render: (tags) => renderTable(tagColumns, tags) })
}

async function changeTag(
  { flags, session }: Context,
  { verb, name, proxy, replace }: TagOptions & { readonly verb: 'add' | 'drop'; readonly name: string },
): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const kind = proxy ? 'proxy' : 'db'
  const params = { cluster, tag: name }
  const changed = await (verb === 'drop'
    ? call(session(), `POST /api/clusters/:cluster/settings/actions/drop-${kind}-tag/:tag`, { params })
    : call(session(), `POST /api/clusters/:cluster/settings/actions/add-${kind}-tag/:tag`, {
        params,
        query: replace ? { replace } : {},
      }))
  print(await format(flags(), changed, renderChange))
}

async function discover({ flags, session }: Context, { plan }: { readonly plan: boolean }): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const [address, params] = ['POST /api/clusters/:cluster/settings/actions/discover', { cluster }] as const
  const timeoutMs = PATIENCE_MS
  // The plan of this action holds what the action answers, beside its steps.
  const found = plan
    ? ((await planOf({ address, params }, { session: session(), timeoutMs })) as Plan & Discovery)
    : await call(session(), address, { params, timeoutMs })
  print(await format(flags(), found, renderDiscovery))
}

const tagColumns: readonly Column<Tag>[] = [
  { title: 'tag', text: ({ name }) => name },
  { title: 'category', text: ({ category }) => category },
]

const renderChange = ({ tags, added, dropped }: TagsAfter): string =>
  [...added.map((tag) => `+ ${tag}`), ...dropped.map((tag) => `- ${tag}`), `tags: ${tags.join(',')}`].join('\n')

interface FoundRow {
  readonly mark: string
  readonly tag: string
  readonly sign: string
  readonly evidence: string
}

const foundColumns: readonly Column<FoundRow>[] = [
  { title: '', text: ({ mark }) => mark, style: ({ mark }) => (mark === '+' ? 'green' : mark === '-' ? 'red' : 'dim') },
  { title: 'tag', text: ({ tag }) => tag },
  { title: 'sign', text: ({ sign }) => sign },
  { title: 'evidence', text: ({ evidence }) => evidence },
]

function renderDiscovery({ applied, tags, proposals, settings, remarks }: Discovery): string {
  const found = proposals.map(
    ({ tag, sign, evidence }): FoundRow => ({
      ...{ tag, sign, mark: tags.added.includes(tag) ? '+' : tags.tags.includes(tag) ? '=' : '!' },
      evidence: evidence.map(({ server, text }) => `${server}: ${text}`).join('; '),
    }),
  )
  const gone = tags.dropped.map((tag): FoundRow => ({ mark: '-', tag, sign: '', evidence: 'no evidence' }))
  const changes = settings.map(({ name, before, after, evidence, kept }) =>
    kept === undefined ? `${name}: ${before} -> ${after} (${evidence})` : `${name} stays ${before}: ${kept}`,
  )
  return [
    renderTable(foundColumns, [...found, ...gone]),
    ...changes,
    ...remarks,
    applied ? `In force: ${tags.tags.join(',')}` : `Found, not applied: ${tags.tags.join(',')}`,
  ].join('\n')
}
