// Runs database servers on hosts that are reached over SSH: each action is one turn on one host.
import { withDeadline } from '../../base/deadline.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { forgetKey } from '../../connect/sql/known-keys.js'
import type { ServiceSpec } from '../../model/operation/services.js'
import { addressText } from '../../model/server/server.js'
import { shutDown, tryLogin, waitAnswer } from '../database-login.js'
import { DATA_MARK, type HostScriptEnd, type HostScriptRun, type Orchestrator, stopThenStart } from '../index.js'
import { type Environment, Host } from './host.js'
import type { OnPremiseOptions } from './options.js'
import { remoteCommand } from './remote-script.js'
import { renewalOf } from './renewal.js'
import type { InTurn, Turn, Work } from './turn.js'

export function createOnPremiseOrchestrator(options: OnPremiseOptions): Orchestrator {
  const { login, startScript, stopScript, pool, account, open } = options
  const inTurn: InTurn =
    (work, deadlineMs = options.deadlineMs) =>
    async (service, run) => {
      if (service.kind === 'proxy')
        return fail('unsupported', `${service.name}: proxies on hosts need scripts (prov-proxy-*-script)`)
      const reached = await account()
      if (!reached.ok) return reached
      const target = { ...reached.value, host: service.host }
      run.log(`waiting for a turn on ${target.user}@${target.host}:${target.port}`)
      return pool.hold(target, run.signal, async (ask) => {
        const host = new Host({ ...options, deadlineMs }, { service, run, ask })
        const facts = await host.inspect()
        if (!facts.ok) return facts
        const known = facts.value
        return withDeadline(run.signal, { ms: host.remaining, timer: options.timer }, (signal) =>
          work({ host, facts: known, service, run: { ...run, signal } }),
        )
      })
    }

  const answers = ({ service, run }: Turn): Promise<Result<void>> => {
    run.log('waiting until the database answers')
    return waitAnswer(service, login, run.signal)
  }
  const startOn: Work = async (turn) => {
    const started = await deliver(turn)
    return started.ok ? answers(turn) : started
  }
  const deliver: Work = ({ host, facts }) =>
    startScript === '' ? host.builtIn('start', facts) : host.custom(startScript, facts)

  const stopOn: Work = async ({ host, facts, service, run }) => {
    const stopped = stopScript === '' ? await shutDown(service, login, run) : await host.custom(stopScript, facts)
    if (!stopped.ok) return stopped
    const settled = await host.step('settle')
    return settled.ok ? done : settled
  }

  const provisionOn: Work = async (turn) => {
    const { host, facts, service, run } = turn
    const dataDir = options.dataDir(service)
    if (facts.data === 'made' && !run.force) {
      run.log(`${dataDir} holds a server that the manager created: it is started as it is`)
      return startOn(turn)
    }
    if (facts.data !== 'none' && !run.force) return foreign(service, dataDir)
    if (facts.data !== 'none') {
      const stopped = (await tryLogin(service, login)).ok ? await stopOn(turn) : done
      const aside = stopped.ok ? await host.step('aside') : stopped
      if (!aside.ok) return aside
    }
    return makeOn(turn)
  }
  // The user continues with the current data: what a rebuild moved aside is no longer restored.
  const provisionForGood: Work = async (turn) => {
    const provisioned = await provisionOn(turn)
    if (!provisioned.ok || turn.facts.renewal === 'none') return provisioned
    const released = await turn.host.step('release')
    return released.ok ? done : released
  }
  const makeOn = async (turn: Turn, more: Environment = {}): Promise<Result<void>> => {
    forgetKey(login.knownKeys, addressText(turn.service)) // the server makes new keys
    const made = await turn.host.builtIn('bootstrap', turn.facts, more)
    if (!made.ok) return made
    const marked = await turn.host.step('mark')
    return marked.ok ? answers(turn) : marked
  }
  const startAsItIs: Work = async (turn) => {
    const started = await turn.host.builtIn('start', turn.facts, { MANAGER_FETCH: 'false' })
    return started.ok ? answers(turn) : started
  }
  const makeNewest: Work = (turn) => makeOn(turn, { MANAGER_FETCH: 'true' })

  const unprovisionOn: Work = async (turn) => {
    const { host, facts, service, run } = turn
    if (facts.data === 'foreign' && !run.force) return foreign(service, options.dataDir(service))
    const stopped = await stopOn(turn)
    if (!stopped.ok) return stopped
    const removed = await host.step('remove')
    return removed.ok ? done : removed
  }

  // Servers that the operator's scripts stop and start are not emptied and filled.
  const isOwn = startScript === '' && stopScript === ''
  const acts = { stop: inTurn(stopOn), start: inTurn(startOn) }
  return {
    ...{ kind: 'onpremise', acts: true },
    ...acts,
    ...(isOwn ? { renewal: renewalOf(options, { inTurn, makeNewest, stop: stopOn, startAsItIs }) } : {}),
    restart: stopThenStart(acts),
    apply: inTurn(deliver),
    provision: inTurn(provisionForGood),
    unprovision: inTurn(unprovisionOn),
    holds: (service, signal) =>
      ask(options, { service, signal }, async (host) => {
        const facts = await host.inspect()
        return facts.ok ? ok(facts.value.data !== 'none') : facts
      }),
    readTail: (service, request) => ask(options, { service, signal: request.signal }, (host) => host.tail(request)),
    readFileSystems: (service, { directories, signal }) =>
      ask(options, { service, signal }, (host) => host.fileSystems(directories)),
    readOptionFiles: (service, signal) => ask(options, { service, signal }, (host) => host.optionFiles()),
    ...(open ? { runScript: (service, script) => runBeside({ ...options, open }, service, script) } : {}),
    describe: async (service) => ok(await describe(service, options)),
    close: () => pool.close(),
  }
}

/** Waits for the host's turn as every action does, no longer than the reader waits. */
async function ask<T>(
  options: OnPremiseOptions,
  { service, signal }: { readonly service: ServiceSpec; readonly signal: AbortSignal },
  work: (host: Host) => Promise<Result<T>>,
): Promise<Result<T>> {
  const reached = await options.account()
  if (!reached.ok) return reached
  return options.pool.hold({ ...reached.value, host: service.host }, signal, (run) =>
    work(new Host(options, { service, run: { signal, log: () => {}, force: false }, ask: run })),
  )
}

/** On a connection of its own, with the folders and the account of the server. */
async function runBeside(
  options: OnPremiseOptions & Required<Pick<OnPremiseOptions, 'open'>>,
  service: ServiceSpec,
  { text, environment, deadlineMs, signal, onLine }: HostScriptRun,
): Promise<Result<HostScriptEnd>> {
  const reached = await options.account()
  if (!reached.ok) return reached
  const opened = await options.open({ ...reached.value, host: service.host })
  if (!opened.ok) return opened
  const session = opened.value
  try {
    const own = {
      MANAGER_CONF_DIR: options.configDir(service),
      MANAGER_DATADIR: options.dataDir(service),
      MANAGER_BASEDIR: options.baseDir(service),
      MYSQL_ROOT_USER: options.login.user,
      MYSQL_ROOT_PASSWORD: options.login.password,
    }
    const limitSeconds = Math.ceil(deadlineMs / SECOND)
    const remote = remoteCommand({ text, environment: { ...own, ...environment }, sudo: options.sudo, limitSeconds })
    return await session.run({ ...remote, timeoutMs: deadlineMs + LEAVE_MS, signal, onLine })
  } finally {
    session.close()
  }
}

/** The host itself ends a late script: then its connection is given as long. */
const LEAVE_MS = 10 * SECOND

const foreign = ({ name }: ServiceSpec, dataDir: string): Result<never> =>
  fail(
    'data-exists',
    `${name}: ${dataDir} on the host holds data that the manager did not create (no ${DATA_MARK}); move it away, or use force: a new server then keeps it beside its own`,
  )

async function describe(service: ServiceSpec, { account, dataDir, baseDir, pool }: OnPremiseOptions): Promise<string> {
  const reached = await account()
  const lines = {
    orchestrator: 'onpremise',
    host: service.host,
    account: reached.ok ? `${reached.value.user}, port ${reached.value.port}` : reached.failure.message,
    programs: baseDir(service) === '' ? 'packages of the distribution' : 'a separate tarball',
    data: dataDir(service),
    'hosts busy now': `${pool.limit.busy}`,
  }
  return `[${service.name}]\n${Object.entries(lines)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join('')}`
}
