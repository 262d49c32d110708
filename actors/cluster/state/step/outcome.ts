// What a handler of the cluster actor answers, and the usual ways to say it. Pure.
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { SECOND } from '../../../../lib/base/time.js'
import type { EffectServer } from '../../../../lib/effect/index.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../../lib/model/snapshot.js'
import type { Arrival, Postponed } from '../../../kernel/behaviour.js'
import type { Request } from '../message/command.js'
import type { RuntimeProtocol } from '../message/messages.js'
import { effectServer, notAnswering } from '../message/wires.js'
import { type ClusterState, withServers } from '../state.js'
import type { Step } from './emit.js'

export interface Outcome<T> extends Step {
  readonly reply: Result<T> | 'deferred' | Postponed
}

export type Handlers = {
  readonly [T in keyof RuntimeProtocol]: (
    state: ClusterState,
    payload: RuntimeProtocol[T]['in'],
    arrival: Arrival,
  ) => Outcome<RuntimeProtocol[T]['out']>
}

export const silent = (step: Step): Outcome<void> => ({ ...step, reply: ok(undefined) })

export const answer = <T>(state: ClusterState, value: T): Outcome<T> => ({ state, commands: [], reply: ok(value) })

export const refuse = (state: ClusterState, reply: Result<never>): Outcome<never> => ({ state, commands: [], reply })

/** The command's outcome will be the reply. */
export const defer = (state: ClusterState, { reply }: Arrival, request: Request): Outcome<never> => ({
  state,
  commands: [{ ...request, reply }],
  reply: 'deferred',
})

/** Longest wait for the first probe of a server: it is over by then, one way or the other. */
export const FIRST_PROBE_MS = 3 * SECOND

/** A server for a request; right after a start none is down yet, so that its first probe is waited for. */
export function withProbed<T>(
  state: ClusterState,
  { server: id, arrival: { now, since } }: { readonly server: ServerId; readonly arrival: Arrival },
  handle: (server: ServerSnapshot) => Outcome<T>,
): Outcome<T> {
  const server = findServer(state.snapshot, id)
  if (!server) return refuse(state, fail('unknown-server', `${state.name} has no server ${id}`))
  const until = since + FIRST_PROBE_MS
  return server.observation === 'unseen' && now < until ? { state, commands: [], reply: { until } } : handle(server)
}

/** The same for a request that needs to know what the server is, though it may not answer: failure `sql-refused`. */
export const withReported = <T>(
  state: ClusterState,
  given: { readonly server: ServerId; readonly arrival: Arrival },
  handle: (server: EffectServer) => Outcome<T>,
): Outcome<T> =>
  withProbed(state, given, (member) => {
    const server = effectServer(state, member.id)
    return server ? handle(server) : refuse(state, notAnswering(member))
  })

/** The same for a request that needs its answer: failure `sql-refused`. */
export const withAnswering = <T>(
  state: ClusterState,
  given: { readonly server: ServerId; readonly arrival: Arrival },
  handle: (server: EffectServer, member: ServerSnapshot) => Outcome<T>,
): Outcome<T> =>
  withProbed(state, given, (member) => {
    const server = effectServer(state, member.id)
    return server && member.observation === 'answered' ? handle(server, member) : refuse(state, notAnswering(member))
  })

/** The state with a flag of a server set or taken away. */
export function flagged(
  state: ClusterState,
  flag: 'maintenance' | 'stoppedOnRequest',
  { server, on }: { readonly server: ServerId; readonly on: boolean },
): ClusterState {
  const others = state.memory[flag].filter((id) => id !== server)
  return withServers(
    { ...state, memory: { ...state.memory, [flag]: on ? [...others, server] : others } },
    state.snapshot.servers.map((member) => (member.id === server ? { ...member, [flag]: on } : member)),
  )
}
