// For hosts that act on their own: they poll flags (`need-start` and others); what SQL can do is done over SQL.
import { withDeadline } from '../base/deadline.js'
import { done, fail, ok, type Result } from '../base/result.js'
import { MINUTE } from '../base/time.js'
import { forgetKey } from '../connect/sql/known-keys.js'
import type { ServiceAction, ServiceSpec } from '../model/operation/services.js'
import { addressText } from '../model/server/server.js'
import { type Login, shutDown } from './database-login.js'
import type { Act, Orchestrator } from './index.js'

/** Flags that hosts poll, by their names in the API. */
export type HostFlag = 'prov' | 'unprov' | 'reprov' | 'restart' | 'config' | 'waitstart' | 'waitstop'

export interface AgentOptions {
  /** Name of the orchestrator by the settings. */
  readonly kind: string
  /** The monitor's account. */
  readonly login: Login
  readonly raise: (service: ServiceSpec, flag: HostFlag) => Promise<Result<void>>
  /** How long ago the host of the service last asked for its needs, milliseconds; infinity when it never did. */
  readonly sinceAsked: (service: ServiceSpec) => Promise<number>
}

/** What a host asks before it acts. */
const questions: Readonly<Record<ServiceAction, string>> = {
  provision: 'need-prov',
  unprovision: 'need-unprov',
  start: 'need-start',
  stop: 'need-stop',
  restart: 'need-restart',
  apply: 'need-config-change',
}

/** A host that has not asked for its needs for so long does not act on flags. */
const ASKS_WITHIN = 15 * MINUTE

/** Returns when the flag is set: the host acts on it later. A flag that no host asks for is refused: `wrong-state`. */
export function createAgentOrchestrator({ kind, login, raise, sinceAsked }: AgentOptions): Orchestrator {
  const heard = async (service: ServiceSpec): Promise<Result<void>> =>
    (await sinceAsked(service)) <= ASKS_WITHIN
      ? done
      : fail(
          'wrong-state',
          `${service.name}: nothing would act: its host has not asked for its needs (need-start and others, from its own address) within ` +
            `${ASKS_WITHIN / MINUTE} min, and the manager runs no services here (prov-orchestrator = ${kind}); set ` +
            'prov-orchestrator to local, or to onpremise with onpremise-ssh',
        )
  const flag =
    (name: HostFlag): Act =>
    async (service, { log }) => {
      const asks = await heard(service)
      if (!asks.ok) return asks
      log(`the host is to act: flag ${name} is set`)
      return raise(service, name)
    }
  /** A server that is made on its host makes new keys. */
  const remade =
    (act: Act): Act =>
    async (service, run) => {
      const asked = await act(service, run)
      if (asked.ok && service.kind === 'database') forgetKey(login.knownKeys, addressText(service))
      return asked
    }
  const stop: Act = (service, run) =>
    service.kind === 'proxy'
      ? flag('waitstop')(service, run)
      : withDeadline(run.signal, MINUTE, (signal) => shutDown(service, login, { ...run, signal }))
  return {
    ...{ kind, acts: false },
    left: ({ kind: of }, action) =>
      action === 'stop' && of === 'database'
        ? undefined
        : `left to the host: it acts when it asks for ${questions[action]}`,
    able: async (service, action) => (action === 'stop' && service.kind === 'database' ? done : heard(service)),
    provision: remade(flag('prov')),
    unprovision: remade(flag('unprov')),
    start: flag('waitstart'),
    stop,
    restart: flag('restart'),
    apply: flag('config'),
    readTail: (service, { file }) => beyondReach(service, `${file} is a file`),
    readFileSystems: (service) => beyondReach(service, 'its disks are'),
    readOptionFiles: (service) => beyondReach(service, 'its option files are'),
    describe: async ({ name }) =>
      ok(
        `[${name}]\norchestrator = ${kind}\nrun by = its host, which polls need-prov, need-start and the other need checks\n`,
      ),
    close: () => {},
  }
}

/** An orchestrator that this version does not support: every action is refused by name. */
export function createMissingOrchestrator(kind: string): Orchestrator {
  const refuse = async () =>
    fail(
      'unsupported',
      `services of the orchestrator ${kind} cannot be acted on; set prov-orchestrator to local or onpremise`,
    )
  return {
    ...{ kind, acts: false },
    able: refuse,
    ...{ provision: refuse, unprovision: refuse, start: refuse, stop: refuse, restart: refuse, apply: refuse },
    readTail: (service, { file }) => beyondReach(service, `${file} is a file`),
    readFileSystems: (service) => beyondReach(service, 'its disks are'),
    readOptionFiles: (service) => beyondReach(service, 'its option files are'),
    describe: async ({ name }) => ok(`[${name}]\norchestrator = ${kind}\n`),
    close: () => {},
  }
}

/** Files of a host that is not reached. */
const beyondReach = async ({ name }: ServiceSpec, what: string): Promise<Result<never>> =>
  fail(
    'unsupported',
    `${name}: ${what} on its host; set prov-orchestrator to local, or to onpremise with onpremise-ssh`,
  )
