// `provision`, `unprovision`, `start`, `stop`, `restart`, `apply`: services as jobs; `jobs`: their results and logs.
import type { Command } from 'commander'
import type { Session } from '../../../../http/client/session.js'
import { HOUR } from '../../../../lib/base/time.js'
import { renderJob, renderJobs, type Task, tasksOf } from '../../answer/jobs.js'
import { confirm } from '../../kit/confirm.js'
import { type Act, call, chooseCluster, run } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { gravityOf, yesFlag } from '../../kit/gravity.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print } from '../../output/output.js'
import { withProgress } from './operation.js'
import { confirmFlag, type PlanOptions, planFlag, showPlan } from './preview.js'

interface Verb {
  readonly action: 'provision' | 'unprovision' | 'apply' | 'start' | 'stop' | 'restart'
  readonly text: string
  /** The last word of its path on a server, on a proxy, and for every service of the cluster; absent: there is no such action. */
  readonly server: 'provision' | 'unprovision' | 'apply-config' | 'start' | 'stop' | 'restart'
  readonly proxy?: 'provision' | 'unprovision' | 'start' | 'stop'
  readonly all?: 'provision' | 'unprovision' | 'apply'
}

const verbs: readonly Verb[] = [
  {
    ...{ action: 'provision', server: 'provision', proxy: 'provision', all: 'provision' },
    text: 'create services from their archives and start them; without a name: all of the cluster',
  },
  {
    ...{ action: 'unprovision', server: 'unprovision', proxy: 'unprovision', all: 'unprovision' },
    text: 'remove services with their data; without a name: all of the cluster',
  },
  {
    ...{ action: 'apply', server: 'apply-config', all: 'apply' },
    text: 'deliver the newest configuration without a restart',
  },
  { action: 'start', server: 'start', proxy: 'start', text: 'start a service and wait until it is reachable' },
  {
    ...{ action: 'stop', server: 'stop', proxy: 'stop' },
    text: 'stop a service; it is not treated as failed while stopped',
  },
  { action: 'restart', server: 'restart', text: 'stop a service, start it and wait until it is reachable' },
]

/** Work on hosts has separate deadlines; the manager waits one hour for all of it. */
const PATIENCE_MS = HOUR

interface ActionOptions extends PlanOptions {
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
      .option(...planFlag)
      .option(...confirmFlag)
    if (gravityOf(verb.action) !== 'none') command.option(...yesFlag)
    command.action((server: string | undefined, options: ActionOptions) => act(verb, { ...options, server }, context))
  }
  canWatch(program.command('jobs [number]'))
    .description('list the last jobs of a cluster, or show one with its log')
    .action((number: string | undefined) => showJobs(number, context))
}

async function act(
  verb: Verb,
  options: ActionOptions & { readonly server: string | undefined },
  context: Context,
): Promise<void> {
  const { server, proxy, force, plan, confirm: id, yes = false } = options
  const { flags, session } = context
  const cluster = await chooseCluster(session(), flags())
  const whom = proxy ?? server ?? `every service of ${cluster}`
  const wish = actOf(verb, cluster, options)
  if (plan) return showPlan(context, wish)
  await confirm(id === undefined ? gravityOf(verb.action) : 'none', `${verb.action} ${whom}: ${verb.text}.`, {
    yes,
    force,
  })
  const known = Math.max(0, ...(await readJobs(session(), cluster)).map(({ id }) => id))
  try {
    await withProgress(session(), cluster, () => run(wish, id, { session: session(), timeoutMs: PATIENCE_MS }))
  } finally {
    const started = (await readJobs(session(), cluster).catch(() => [])).filter(({ id }) => id > known)
    if (started.length > 0) print(await format(flags(), started, renderJobs))
  }
}

function actOf(
  verb: Verb,
  cluster: string,
  { server, proxy, force }: Pick<ActionOptions, 'proxy' | 'force'> & { readonly server: string | undefined },
): Act {
  const query = force ? { force } : {}
  if (proxy !== undefined && verb.proxy !== undefined)
    return {
      ...{ address: `POST /api/clusters/:cluster/proxies/:proxy/actions/${verb.proxy}`, query },
      params: { cluster, proxy },
    }
  if (proxy !== undefined) throw new Exit(EXIT.usage, `${verb.action}: not for a proxy; name a server`)
  if (server !== undefined)
    return {
      ...{ address: `POST /api/clusters/:cluster/servers/:server/actions/${verb.server}`, query },
      params: { cluster, server },
    }
  if (verb.all === undefined)
    throw new Exit(EXIT.usage, `${verb.action}: name a server${verb.proxy ? ', or a proxy with --proxy' : ''}`)
  return { ...{ address: `POST /api/clusters/:cluster/services/actions/${verb.all}`, query }, params: { cluster } }
}

async function showJobs(number: string | undefined, { flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  if (number === undefined) return present(flags(), { read: () => readJobs(session(), cluster), render: renderJobs })
  const read = () => call(session(), 'GET /api/clusters/:cluster/jobs/:job', { params: { cluster, job: number } })
  return present(flags(), { read, render: renderJob })
}

const readJobs = async (session: Session, cluster: string): Promise<readonly Task[]> =>
  tasksOf(await call(session, 'GET /api/clusters/:cluster/jobs', { params: { cluster } }))
