// `relocate`, `drain`, `pause`, `resume`: what operators do to a replica or a cluster before they work on it.
import { type Command, InvalidArgumentError } from 'commander'
import type { Session } from '../../../../http/client/session.js'
import { addressText, isOfClient, type WireServer } from '../../../../http/client/wire.js'
import { counted } from '../../../../lib/base/counted.js'
import { MINUTE, SECOND, sleep } from '../../../../lib/base/time.js'
import type { SettingName } from '../../../../lib/settings/index.js'
import { renderChange } from '../../answer/setting.js'
import { confirm } from '../../kit/confirm.js'
import { type Act, call, chooseCluster, run } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { yesFlag } from '../../kit/gravity.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print, talk } from '../../output/output.js'
import { readTopology, renderTree } from '../read/topology.js'
import { operate, withProgress } from './operation.js'
import { confirmFlag, type PlanOptions, planFlag, showPlan } from './preview.js'

const PATIENCE_MS = 2 * MINUTE
const POLL_MS = SECOND
const PAUSE: SettingName = 'monitoring-pause'

export function addRelocation(program: Command, context: Context): void {
  program
    .command('relocate <server>')
    .description('give a replica another source: the primary, or one of its replicas')
    .requiredOption('--to <server>', 'the new source: id, name or host:port')
    .option(...planFlag)
    .option(...confirmFlag)
    .action((server: string, options: RelocateOptions) => relocate({ server, ...options }, context))
  program
    .command('drain <server>')
    .description(
      'take a server out of service: switch over if it is the primary, put it into maintenance, wait for its statements',
    )
    .option('--timeout <seconds>', 'wait so long for running statements', secondsOf, 60)
    .option('--end', 'end the maintenance of the server', false)
    .option(...yesFlag)
    .action((server: string, options: DrainOptions) => drain(server, options, context))
  program
    .command('pause')
    .description('take no automatic action on a cluster (monitoring-pause); it is still monitored')
    .action(() => setPause('on', context))
  program
    .command('resume')
    .description('end the pause of a cluster')
    .action(() => setPause('off', context))
}

interface RelocateOptions extends PlanOptions {
  readonly to: string
}

async function relocate(
  { server, to, plan, confirm: id }: RelocateOptions & { readonly server: string },
  context: Context,
): Promise<void> {
  const { flags, session } = context
  const cluster = await chooseCluster(session(), flags())
  const act: Act = {
    address: 'POST /api/clusters/:cluster/servers/:server/actions/relocate/:source',
    params: { cluster, server, source: to },
  }
  if (plan) return showPlan(context, act)
  await withProgress(session(), cluster, () => run(act, id, { session: session(), timeoutMs: PATIENCE_MS }))
  print(await format(flags(), await readTopology(session(), cluster), renderTree))
}

interface DrainOptions {
  readonly timeout: number
  readonly end: boolean
  readonly yes?: boolean
}

function secondsOf(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('Expected a number of seconds.')
  return value
}

/** Each step is complete in itself: an interruption leaves a server in maintenance, which the topology shows. */
async function drain(name: string, { timeout, end, yes = false }: DrainOptions, context: Context): Promise<void> {
  const { flags, session } = context
  const cluster = await chooseCluster(session(), flags())
  const server = await findServer(session(), cluster, name)
  const address = addressText(server)
  const mark = (state: 'on' | 'off') =>
    call(session(), 'POST /api/clusters/:cluster/servers/:server/actions/maintenance/:state', {
      params: { cluster, server: server.id, state },
    })
  if (end) {
    await mark('off')
    return talk(`${address} is in service again.`)
  }
  const isPrimary = server.state === 'Master'
  const what = isPrimary ? 'moves the primary role to another server and then takes' : 'takes'
  await confirm(isPrimary ? 'interrupts' : 'none', `drain ${address}: ${what} it out of service.`, { yes })
  if (isPrimary) await operate(session(), { cluster, kind: 'switchover', candidate: undefined })
  await mark('on')
  talk(`${address} is in maintenance: proxies send it no new sessions, and it is not elected.`)
  const left = await untilIdle(session(), { cluster, server, timeoutMs: timeout * SECOND })
  if (left > 0)
    throw new Exit(
      EXIT.timeout,
      `${counted(left, 'statement')} of clients still running on ${address} after ${timeout} s; \`server processlist ${address}\` lists them. It stays in maintenance; \`drain ${address} --end\` ends that.`,
    )
  talk(
    `${address} is drained: no statement of a client runs on it. \`drain ${address} --end\` takes it into service again.`,
  )
}

async function findServer(session: Session, cluster: string, name: string): Promise<WireServer> {
  const { servers } = await readTopology(session, cluster)
  const found = servers.find((server) => [server.id, server.name, server.host, addressText(server)].includes(name))
  if (!found)
    throw new Exit(EXIT.notFound, `${name} is not a server of ${cluster}: ${servers.map(addressText).join(', ')}`)
  return found
}

interface Wait {
  readonly cluster: string
  readonly server: WireServer
  readonly timeoutMs: number
}

/** How many statements of clients run at last. */
async function untilIdle(session: Session, { cluster, server, timeoutMs }: Wait): Promise<number> {
  const until = Date.now() + timeoutMs
  for (;;) {
    const params = { cluster, server: server.id }
    const list = await call(session, 'GET /api/clusters/:cluster/servers/:server/processlist', { params })
    const left = list.filter(isOfClient).length
    if (left === 0 || Date.now() >= until) return left
    await sleep(POLL_MS)
  }
}

async function setPause(state: 'on' | 'off', { flags, session }: Context): Promise<void> {
  const cluster = await chooseCluster(session(), flags())
  const changed = await call(session(), 'POST /api/clusters/:cluster/settings/actions/switch/:setting/:state', {
    params: { cluster, setting: PAUSE, state },
  })
  const text =
    state === 'on'
      ? `${cluster} is paused: the manager takes no automatic action, a failover included. \`resume\` ends it.`
      : `${cluster} is not paused: the manager acts automatically again.`
  print(await format(flags(), changed, (value) => [text, renderChange(value)].join('\n')))
}
