// Outcomes that are judged at once and saved. Pure.

import type { ClusterState } from '../../state/state.js'
import { emit } from '../../state/step/emit.js'
import { judge } from '../../state/step/evaluate.js'
import { type Outcome, silent } from '../../state/step/outcome.js'

/** Judged again and saved, without a line in the log. */
export function saved(state: ClusterState, now: number): Outcome<void> {
  const judged = judge(state, now)
  return silent({ state: judged.state, commands: [...judged.commands, { type: 'persist' }] })
}

/** The same with a line in the log. */
export function recorded(state: ClusterState, text: string, now: number): Outcome<void> {
  const judged = judge(state, now)
  const emitted = emit(judged.state, [{ kind: 'log', level: 'INFO', text }], now)
  return silent({ state: emitted.state, commands: [...judged.commands, ...emitted.commands, { type: 'persist' }] })
}
