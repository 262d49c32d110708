// Runs the services of a cluster on this machine, each from its configuration archive in a separate folder.

import { withDeadline } from '../../base/deadline.js'
import { createLimit } from '../../base/limit.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { DAY, MINUTE, SECOND } from '../../base/time.js'
import type { ServiceAction, ServiceSpec } from '../../model/operation/services.js'
import { type Act, type Orchestrator, type Reprovision, type Run, stopThenStart } from '../index.js'
import { hasTables } from './database-folder.js'
import { describeHaproxy, haproxySite, haproxySteps } from './haproxy.js'
import { keepOldData } from './kept.js'
import { apply, provision, start, stop, unprovision } from './lifecycle.js'
import { readOptionFiles } from './option-files.js'
import { readFileSystems } from './process/file-systems.js'
import type { LocalOptions } from './process/options.js'
import { findProcess } from './process/process.js'
import { chooseUser } from './process/programs.js'
import { type Site, serverSite } from './process/site.js'
import { readTail } from './process/tail.js'
import * as renewal from './renewal.js'
import { runScript } from './run-script.js'

/** Servers that are created or started on this machine at the same time. */
const MOST_AT_ONCE = 6

type Step = (service: ServiceSpec, run: Run) => Promise<Result<void>>

/** The `local` orchestrator of one cluster. Services keep running when the manager ends; it finds them again. */
export function createLocalOrchestrator(options: LocalOptions): Orchestrator {
  const { startMs = MINUTE, stopMs = 30 * SECOND } = options
  const limit = createLimit(MOST_AT_ONCE)
  /** One action at a time for each service, a few at once on this machine; each ends at its deadline. */
  const inTurn =
    (deadlineMs: number, step: Step): Act =>
    async (service, run) => {
      const timed = (signal: AbortSignal) =>
        step(service, { ...run, signal }).catch((error: unknown) => failed(service, error))
      const taken = await limit.runAlone(service.id, run.signal, () => withDeadline(run.signal, deadlineMs, timed))
      return taken ?? fail('deadline-passed', `${service.name}: stopped while it waited for its turn`)
    }
  const site = (service: ServiceSpec): Site => serverSite(options.workingDir, options.cluster, service)
  const steps = { database: databaseSteps(options, { site, stopMs }), proxy: haproxySteps(options) }
  const act =
    (action: keyof typeof steps.database): Step =>
    (service, run) =>
      steps[service.kind][action](service, run)
  const acts = {
    provision: inTurn(2 * startMs, act('provision')),
    start: inTurn(startMs, act('start')),
    stop: inTurn(2 * stopMs, act('stop')),
    apply: inTurn(startMs, act('apply')),
    unprovision: inTurn(2 * stopMs, act('unprovision')),
  }
  return {
    ...{ kind: 'local', acts: true, forms: () => judgeFiller(options) },
    ...acts,
    restart: stopThenStart(acts),
    renewal: renewalOf(options, { inTurn, site, stopMs, startMs }),
    holds: async (service) => ok(await hasTables(site(service))),
    readTail: ({ name }, request) => readTail(name, request),
    readFileSystems: (_, { directories }) => readFileSystems(directories),
    readOptionFiles: (service) => readOptionFiles(site(service)),
    runScript: (service, script) => runScript(site(service), options.monitor, script),
    describe: async (service) =>
      service.kind === 'proxy'
        ? describeHaproxy(haproxySite(options.workingDir, options.cluster, service))
        : ok(await describe(site(service))),
    close: () => {},
  }
}

interface ReprovisionTurns {
  readonly inTurn: (deadlineMs: number, step: Step) => Act
  readonly site: (service: ServiceSpec) => Site
  readonly startMs: number
  readonly stopMs: number
}

/** Removing a large data folder takes its time. */
const REMOVAL_MS = 15 * MINUTE

function renewalOf(options: LocalOptions, { inTurn, site, startMs, stopMs }: ReprovisionTurns): Reprovision {
  const parts = { options, stopMs }
  const deadlineMs = 2 * (startMs + stopMs)
  return {
    probe: (service) => renewal.probe(site(service)),
    begin: (service, { donor, ...run }) =>
      inTurn(deadlineMs, (_, timed) => renewal.begin(site(service), parts, { ...timed, donor }))(service, run),
    fill: (service, { donor, ...run }) =>
      inTurn((options.fillMs ?? DAY) + deadlineMs, (_, timed) =>
        renewal.fill(site(service), parts, { ...timed, donor }),
      )(service, run),
    finish: inTurn(REMOVAL_MS, (service, run) => renewal.finish(site(service), run)),
    undo: inTurn(deadlineMs + REMOVAL_MS, (service, run) => renewal.undo(site(service), parts, run)),
  }
}

function databaseSteps(
  options: LocalOptions,
  { site, stopMs }: { readonly site: (service: ServiceSpec) => Site; readonly stopMs: number },
): Readonly<Record<Exclude<ServiceAction, 'restart'>, Step>> {
  return {
    provision: async (service, run) => {
      const provisioned = await provision(site(service), options, run)
      return provisioned.ok ? keepOldData(site(service), run) : provisioned
    },
    start: (service, run) => start(site(service), options, run),
    stop: (service, run) => stop(site(service), stopMs, run),
    apply: (service, run) => apply(site(service), run),
    unprovision: (service, run) => unprovision(site(service), stopMs, run),
  }
}

/** The programs that fill a member log in, and write, as the user that runs it: root is refused on both sides. */
function judgeFiller({ user }: LocalOptions): Result<void> {
  const chosen = chooseUser(user)
  if (!chosen.ok) return chosen
  return chosen.value.user === 'root'
    ? fail('wrong-state', 'Galera fills no server that root runs: name another user with prov-local-user')
    : done
}

async function describe(site: Site): Promise<string> {
  const pid = await findProcess(site)
  const lines = {
    orchestrator: 'local',
    state: pid === undefined ? 'not running' : `running as process ${pid}`,
    directory: site.directory,
    configuration: site.configFile,
    data: site.dataDir,
    archive: site.archive,
  }
  return `[${site.name}]\n${Object.entries(lines)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join('')}`
}

const failed = ({ name }: ServiceSpec, error: unknown): Result<never> =>
  fail('orchestrator-failed', `${name}: ${error instanceof Error ? error.message : String(error)}`)
