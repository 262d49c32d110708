// Scripts of the operator on this machine that replace actions of an orchestrator.
import { done, fail, type Result } from '../base/result.js'
import { MINUTE } from '../base/time.js'
import { plainEnvironment, runProgram } from '../connect/shell/program.js'
import { forgetKey } from '../connect/sql/known-keys.js'
import type { ServiceAction, ServiceSpec } from '../model/operation/services.js'
import { addressText } from '../model/server/server.js'
import type { Login } from './database-login.js'
import { type Act, type Orchestrator, stopThenStart } from './index.js'

type Scripted = Extract<ServiceAction, 'provision' | 'unprovision' | 'start' | 'stop'>

/** Files by action; empty for none. */
export type OwnScripts = Readonly<Record<Scripted, string>>

export interface ScriptedServices {
  readonly cluster: string
  readonly scripts: Readonly<Record<ServiceSpec['kind'], OwnScripts>>
  /** The account that scripts of each kind get. */
  readonly logins: Readonly<Record<ServiceSpec['kind'], Login>>
  /** Longest time of one script, milliseconds; 15 minutes when absent. */
  readonly timeoutMs?: number
}

const scripted: readonly Scripted[] = ['provision', 'unprovision', 'start', 'stop']

/** The environment variable that gives a script the password of its account. */
export const PASSWORD_VARIABLE = 'MANAGER_SERVICE_PASSWORD'

/**
 * The orchestrator with the actions replaced for which there is a script. Arguments: host, port, user, nothing, cluster. Every
 * user of the machine can read arguments, so the password, the fourth one in older versions, is in the environment.
 */
export function withOwnScripts(orchestrator: Orchestrator, services: ScriptedServices): Orchestrator {
  const all = Object.values(services.scripts).flatMap((scripts) => Object.values(scripts))
  if (all.every((file) => file === '')) return orchestrator
  const acts = Object.fromEntries(
    scripted.map((action) => [action, scriptOr(action, orchestrator[action], services)]),
  ) as Record<Scripted, Act>
  // Servers that are created, stopped and started by scripts are neither formed, nor emptied and filled.
  const { forms, renewal, able, left, holds, ...others } = orchestrator
  const isOwn = Object.values(services.scripts.database).every((file) => file === '')
  const mayForm = forms && services.scripts.database.start === '' ? { forms } : {}
  const mayReprovision = renewal && isOwn ? { renewal } : {}
  const mayKnow = holds && services.scripts.database.provision === '' ? { holds } : {}
  const mayAct = able ? { able: ableOr(able, services) } : {}
  const mayLeave = left ? { left: leftOr(left, services) } : {}
  return {
    ...others,
    ...acts,
    ...mayAct,
    ...mayLeave,
    ...mayKnow,
    ...mayForm,
    ...mayReprovision,
    restart: stopThenStart(acts),
  }
}

/** What no script does of an action: a restart is a stop and a start. */
function unscripted(service: ServiceSpec, action: ServiceAction, { scripts }: ScriptedServices) {
  const own: Readonly<Partial<Record<ServiceAction, string>>> = scripts[service.kind]
  const needed: readonly ServiceAction[] = action === 'restart' ? ['stop', 'start'] : [action]
  return needed.filter((one) => (own[one] ?? '') === '')
}

/** What a script does is complete. */
const leftOr =
  (left: NonNullable<Orchestrator['left']>, services: ScriptedServices): NonNullable<Orchestrator['left']> =>
  (service, action) =>
    unscripted(service, action, services)
      .map((each) => left(service, each))
      .find((text) => text !== undefined)

/** A script acts whatever the orchestrator can. */
const ableOr =
  (able: NonNullable<Orchestrator['able']>, services: ScriptedServices): NonNullable<Orchestrator['able']> =>
  async (service, action) => {
    for (const each of unscripted(service, action, services)) {
      const judged = await able(service, each)
      if (!judged.ok) return judged
    }
    return done
  }

function scriptOr(action: Scripted, otherwise: Act, { cluster, scripts, logins, timeoutMs }: ScriptedServices): Act {
  return async (service, run): Promise<Result<void>> => {
    const file = scripts[service.kind][action]
    if (file === '') return otherwise(service, run)
    const { user, password, knownKeys } = logins[service.kind]
    const args = [service.host, `${service.port}`, user, '', cluster]
    const option = args.find((argument) => argument.startsWith('-'))
    if (option !== undefined) return fail('script-failed', `${file}: not started, ${option} would read as an option`)
    // The server that it makes has new keys.
    if (action === 'provision') forgetKey(knownKeys, addressText(service))
    run.log(`running ${file}`)
    const ended = await runProgram({
      file,
      args,
      env: { ...plainEnvironment(), [PASSWORD_VARIABLE]: password },
      timeoutMs: timeoutMs ?? 15 * MINUTE,
      signal: run.signal,
      onLine: run.log,
    })
    return ended.ok ? done : ended
  }
}
