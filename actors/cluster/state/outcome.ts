// What a handler of the cluster actor answers, and the usual ways to say it. Pure.
import { ok, type Result } from '../../../lib/base/result.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { Step } from './emit.js'
import type { ClusterState, RuntimeProtocol } from './state.js'

export interface Outcome<T> extends Step {
  readonly reply: Result<T>
}

export type Handlers = {
  readonly [T in keyof RuntimeProtocol]?: (
    state: ClusterState,
    payload: RuntimeProtocol[T]['in'],
    now: number,
  ) => Outcome<RuntimeProtocol[T]['out']>
}

export const silent = (step: Step): Outcome<void> => ({ ...step, reply: ok(undefined) })

export const answer = <T>(state: ClusterState, value: T): Outcome<T> => ({ state, commands: [], reply: ok(value) })

export const refuse = (state: ClusterState, reply: Result<never>): Outcome<never> => ({ state, commands: [], reply })

/** The state with a flag of a server set or taken away. */
export function flagged(
  state: ClusterState,
  flag: 'maintenance' | 'stoppedOnRequest',
  { server, on }: { readonly server: ServerId; readonly on: boolean },
): ClusterState {
  const others = state.memory[flag].filter((id) => id !== server)
  return {
    ...state,
    memory: { ...state.memory, [flag]: on ? [...others, server] : others },
    servers: state.servers.map((member) => (member.id === server ? { ...member, [flag]: on } : member)),
  }
}
