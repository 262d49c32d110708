// Scripts of the operator on this machine that replace actions of an orchestrator.
import { done, type Result } from '../base/result.js'
import { MINUTE } from '../base/time.js'
import { runProgram } from '../connect/shell/program.js'
import type { ServiceAction, ServiceSpec } from '../model/operation/services.js'
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

/** The orchestrator with the actions replaced for which there is a script: `host port user password cluster`. */
export function withOwnScripts(orchestrator: Orchestrator, services: ScriptedServices): Orchestrator {
  const all = Object.values(services.scripts).flatMap((scripts) => Object.values(scripts))
  if (all.every((file) => file === '')) return orchestrator
  const acts = Object.fromEntries(
    scripted.map((action) => [action, scriptOr(action, orchestrator[action], services)]),
  ) as Record<Scripted, Act>
  // Servers that are created, stopped and started by scripts are neither formed, nor emptied and filled.
  const { forms, renewal, ...others } = orchestrator
  const isOwn = Object.values(services.scripts.database).every((file) => file === '')
  const mayForm = forms && services.scripts.database.start === '' ? { forms } : {}
  const mayReprovision = renewal && isOwn ? { renewal } : {}
  return { ...others, ...acts, ...mayForm, ...mayReprovision, restart: stopThenStart(acts) }
}

function scriptOr(action: Scripted, otherwise: Act, { cluster, scripts, logins, timeoutMs }: ScriptedServices): Act {
  return async (service, run): Promise<Result<void>> => {
    const file = scripts[service.kind][action]
    if (file === '') return otherwise(service, run)
    run.log(`running ${file}`)
    const { user, password } = logins[service.kind]
    const ended = await runProgram({
      file,
      args: [service.host, `${service.port}`, user, password, cluster],
      timeoutMs: timeoutMs ?? 15 * MINUTE,
      signal: run.signal,
      onLine: run.log,
    })
    return ended.ok ? done : ended
  }
}
