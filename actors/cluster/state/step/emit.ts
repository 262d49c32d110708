// Events of the actor: numbered, logged and handed to the streams; what handlers give back. Pure.
import { SECOND } from '../../../../lib/base/time.js'
import type { ClusterEvent, LogLevel } from '../../../../lib/model/event.js'
import { type Operation, type Plan, resultOf } from '../../../../lib/model/operation/operation.js'
import { appendLog } from '../log.js'
import type { ActorCommand } from '../message/command.js'
import type { ClusterState } from '../state.js'
import type { EventDraft } from './changes.js'

export interface Step {
  readonly state: ClusterState
  readonly commands: readonly ActorCommand[]
}

/** Appends events to the log and sends them to the streams. */
export function emit(state: ClusterState, drafts: readonly EventDraft[], now: number): Step {
  if (drafts.length === 0) return { state, commands: [] }
  const events: ClusterEvent[] = drafts.map((draft, index) => ({
    ...draft,
    id: state.lastEvent + index + 1,
    at: Math.round(now),
    cluster: state.name,
  }))
  return {
    state: { ...state, lastEvent: state.lastEvent + events.length, log: appendLog(state.log, events) },
    commands: [{ type: 'emit', events }],
  }
}

/** Sends an event to the streams only: the lines of a job have a separate log. */
export function announceOnly(state: ClusterState, draft: EventDraft, now: number): Step {
  const event: ClusterEvent = { ...draft, id: state.lastEvent + 1, at: Math.round(now), cluster: state.name }
  return { state: { ...state, lastEvent: event.id }, commands: [{ type: 'emit', events: [event] }] }
}

/** Failovers are automatic, so that their begin and end are logged as alerts. */
function levelOf({ kind, phase, losses }: Operation): LogLevel {
  if (phase === 'failed' || phase === 'rolled-back' || losses !== undefined) return 'ERROR'
  if (kind !== 'failover') return 'INFO'
  return phase === 'running' ? 'ALERT' : 'ALERTOK'
}

/** The operation as the world sees it. */
export const operationEvent = (operation: Operation, text: string): EventDraft => ({
  kind: 'operation',
  level: levelOf(operation),
  text,
  data: {
    id: operation.id,
    kind: operation.kind,
    phase: operation.phase,
    result: resultOf(operation),
    losses: operation.losses ?? [],
    owner: operation.owner,
    oldPrimary: operation.oldPrimary ?? null,
    newPrimary: operation.newPrimary ?? null,
    message: operation.message ?? null,
    report: reportOf(operation),
    ...(operation.continues === undefined ? {} : { continues: operation.continues }),
  },
})

/** What the operation reported of itself: of a failover, what was lost. Null while there is nothing. */
function reportOf({ steps }: Operation): string | null {
  const texts = steps.flatMap(({ command, state, message }) =>
    command.type === 'report' && state === 'done' && message !== undefined ? [message] : [],
  )
  return texts.length === 0 ? null : texts.join(' ')
}

/** What a minor plan is for: after a failure the same is not tried again at once. */
export const restKey = ({ kind, commands }: Pick<Plan, 'kind' | 'commands'>): string =>
  [kind, ...commands.map((command) => `${command.type}:${'server' in command ? command.server : ''}`)].join(' ')

/** How long a failed rejoin or repair rests before it is tried again. */
export const REST_MS = 5 * SECOND
