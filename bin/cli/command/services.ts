// `provision`, `unprovision`, `start`, `stop`, `restart`, `apply`: services as jobs; `jobs`: their results and logs.
import type { Command } from 'commander'
import type { Session } from '../../../http/client/session.js'
import { clusterPath } from '../../../http/client/wire.js'
import { HOUR } from '../../../lib/base/time.js'
import type { ServiceAction } from '../../../lib/model/operation/services.js'
import { type Jobs, renderJob, renderJobs, type Task, tasksOf } from '../answer/jobs.js'
import { confirm } from '../kit/confirm.js'
import { call, chooseCluster } from '../kit/connect.js'
import type { Context } from '../kit/context.js'
import { gravityOf, yesFlag } from '../kit/gravity.js'
import { present } from '../kit/present.js'
import { canWatch } from '../kit/watchable.js'
import { EXIT, Exit } from '../output/exit.js'
import { format, print } from '../output/output.js'
import { withProgress } from './operation.js'

interface Verb {
  readonly action: ServiceAction
  readonly text: string
  /** The last word of its path on a server, where it is not the action's own. */
  readonly word?: string
  /** Without a name the action applies to the whole cluster. */
  readonly all: boolean
}

const verbs: readonly Verb[] = [
  {
    action: 'provision',
    all: true,
    text: 'create services from their archives and start them; without a name: all of the cluster',
  },
  { action: 'unprovision', all: true, text: 'remove services with their data; without a name: all of the cluster' },
  {
    action: 'apply',
    word: 'apply-config',
    all: true,
    text: 'deliver the newest configuration without a restart',
  },
  { action: 'start', all: false, text: 'start a service and wait until it is reachable' },
  { action: 'stop', all: false, text: 'stop a service; it is not treated as failed while stopped' },
  { action: 'restart', all: false, text: 'stop a service, start it and wait until it is reachable' },
]

/** Work on hosts has separate deadlines; the manager waits one hour for all of it. */
const PATIENCE_MS = HOUR

interface ActionOptions {
  readonly force: boolean
  readonly yes?: boolean
  readonly proxy?: string
}

export function addServices(program: Command, context: Context): void {
  for (const verb of verbs) {
    const command = program
      .command(`${verb.action} [server]`)
      .description(verb.text)
      .option('--proxy <proxy>', 'a proxy in place of a server')
      .option('--force', 'override the checks that protect data and the writable primary', false)
    if (gravityOf(verb.action) !== 'none') command.option(...yesFlag)
    command.action((server: string | undefined, options: ActionOptions) => act(verb, { ...options, server }, context))
  }
  canWatch(program.command('jobs [number]'))
    .description('list the last jobs of a cluster, or show one with its log')
    .action((number: string | undefined) => showJobs(number, context))
}

async function act(
  verb: Verb,
  { server, proxy, force, yes = false }: ActionOptions & { readonly server: string | undefined },
  { flags, session }: Context,
): Promise<void> {
  if (server === undefined && proxy === undefined && !verb.all)
    throw new Exit(EXIT.usage, `${verb.action}: name a server, or a proxy with --proxy`)
  const cluster = await chooseCluster(session(), flags())
  const whom = proxy ?? server ?? `every service of ${cluster}`
  await confirm(gravityOf(verb.action), `${verb.action} ${whom}: ${verb.text}.`, { yes, force })
  const known = Math.max(0, ...(await readJobs(session(), cluster)).map(({ id }) => id))
  const path = pathOf(verb, cluster, { server, proxy })
  const query = force ? '?force=true' : ''
  try {
    await withProgress(session(), cluster, () => call(session(), `POST ${path}${query}`, { timeoutMs: PATIENCE_MS }))
  } finally {
    const started = (await readJobs(session(), cluster).catch(() => [])).filter(({ id }) => id > known)
    if (started.length > 0) print(await format(flags(), started, renderJobs))
  }
}

function pathOf(
  { action, word = action }: Verb,
  cluster: string,
  { server, proxy }: { readonly server: string | undefined; readonly proxy: string | undefined },
): `/${string}` {
  if (proxy !== undefined) return clusterPath(cluster, 'proxies', proxy, 'actions', action)
  if (server !== undefined) return clusterPath(cluster, 'servers', server, 'actions', word)
  return clusterPath(cluster, 'services', 'actions', action)
}

async function showJobs(number: string | undefined, { flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  if (number === undefined) return present(flags(), { read: () => readJobs(session(), cluster), render: renderJobs })
  const read = async () => (await call(session(), `GET ${clusterPath(cluster, 'jobs', number)}`)) as Task
  return present(flags(), { read, render: renderJob })
}

async function readJobs(session: Session, cluster: string): Promise<readonly Task[]> {
  return tasksOf((await call(session, `GET ${clusterPath(cluster, 'jobs')}`)) as Jobs)
}
