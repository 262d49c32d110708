// Runs the behaviour over a recording: the same messages at the same times, as recorded or with other settings. Pure.
import { isDeepStrictEqual } from 'node:util'
import { applyPatch } from '../../../lib/base/patch.js'
import type { Result } from '../../../lib/base/result.js'
import { exportSettings, importSettings } from '../../../lib/settings/index.js'
import { type HeadLine, type MessageLine, type RecordingLine, streamOf } from '../../../lib/store/index.js'
import type { Postponed } from '../../kernel/behaviour.js'
import { clusterBehaviour } from '../handlers/behaviour.js'
import type { ActorCommand } from '../state/message/command.js'
import type { ClusterState } from '../state/state.js'
import { decisionsOf } from './decisions.js'

/** Settings in place of the recorded ones, as plain values. */
export type OtherSettings = Readonly<Record<string, unknown>>

/** One message and what came of it. */
export interface ReplayedStep {
  readonly line: MessageLine
  readonly payload: unknown
  readonly before: ClusterState
  readonly state: ClusterState
  readonly commands: readonly ActorCommand[]
  readonly reply: Result<unknown> | 'deferred' | Postponed
  /** By this run; `line.decided` has those that were recorded. */
  readonly decided: readonly string[]
  /** What the handler threw. */
  readonly threw?: string
}

type Handle = (
  state: ClusterState,
  payload: unknown,
  arrival: { readonly now: number; readonly since: number; readonly reply: number },
) => Pick<ReplayedStep, 'state' | 'reply'> & { readonly commands?: readonly ActorCommand[] }

const handlers = clusterBehaviour as unknown as Readonly<Record<string, Handle>>

/** One run: lines in, steps out. */
export class Replay {
  readonly #other: OtherSettings
  #state: ClusterState | undefined
  #part = 0
  #latest = new Map<string, unknown>()

  constructor(other: OtherSettings = {}) {
    this.#other = other
  }

  /** As of the last line. */
  get state(): ClusterState | undefined {
    return this.#state
  }

  /** What the message came to; undefined for a head, and for messages before the first one. Throws on lines that fit no state. */
  feed(line: RecordingLine): ReplayedStep | undefined {
    if (line.type === 'head') return this.#begin(line)
    return this.#state && this.#run(this.#state, line)
  }

  /** A part that follows on the last one changes nothing; any other one begins with its own state. */
  #begin({ part, follows, state, at }: HeadLine): undefined {
    const isNext = follows === 'part' && part === this.#part + 1 && this.#state !== undefined
    this.#part = part
    this.#latest.clear()
    if (!isNext) this.#state = this.#withOther(stateOf(state), at)
    return undefined
  }

  /** As if they had been changed just before. */
  #withOther(state: ClusterState, now: number): ClusterState {
    if (Object.keys(this.#other).length === 0) return state
    const settings = { ...exportSettings(state.settings), ...this.#other }
    return clusterBehaviour.reconfigure(state, { settings }, { now, since: now, reply: 0 }).state
  }

  #run(before: ClusterState, line: MessageLine): ReplayedStep {
    const stream = streamOf(line)
    const recorded = applyPatch(this.#latest.get(stream), line.change)
    this.#latest.set(stream, recorded)
    const payload = line.message === 'reconfigure' ? this.#reconfigured(recorded) : recorded
    const arrival = { now: line.at, since: line.since ?? line.at, reply: line.reply }
    try {
      const { state: after, reply, commands = [] } = handlerOf(line.message)(before, payload, arrival)
      const state = isPostponed(reply) ? before : after
      this.#state = state
      return { line, payload, before, state, commands, reply, decided: decisionsOf(commands) }
    } catch (error) {
      const threw = error instanceof Error ? error.message : String(error)
      return { line, payload, before, state: before, commands: [], reply: 'deferred', decided: [], threw }
    }
  }

  #reconfigured(payload: unknown): unknown {
    const { settings = {}, ...rest } = payload as { readonly settings?: OtherSettings }
    return { ...rest, settings: { ...settings, ...this.#other } }
  }
}

/** Whether a run decided what was recorded. */
export const isAsRecorded = ({ line, decided, threw }: ReplayedStep): boolean =>
  isDeepStrictEqual(line.decided ?? [], decided) && (line.threw === undefined) === (threw === undefined)

/** The state of a head: settings as the actor has them. Throws where it is no state. */
export function stateOf(plain: unknown): ClusterState {
  const { settings, ...state } = plain as Omit<ClusterState, 'settings'> & { readonly settings: OtherSettings }
  return { ...state, settings: importSettings(settings) }
}

function handlerOf(message: string): Handle {
  const handle = Object.hasOwn(handlers, message) ? handlers[message] : undefined
  if (!handle) throw new TypeError(`this version has no message ${message}`)
  return handle
}

const isPostponed = (reply: ReplayedStep['reply']): boolean => typeof reply === 'object' && 'until' in reply
