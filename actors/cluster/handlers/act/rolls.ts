// Handlers of rolling work: started, stepped, cancelled, reported. Pure; `services/rolling.ts` carries it out.
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { isoTime } from '../../../../lib/base/time.js'
import { cancelRoll, noteRefusal, noteTurn, planRoll, stepRoll } from '../../../../lib/decide/upkeep/rolling.js'
import {
  isRolling,
  maintainedBy,
  type Roll,
  type RollServer,
  rollTitles,
} from '../../../../lib/model/operation/roll.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import { maintain } from '../../state/maintained.js'
import type { ClusterState } from '../../state/state.js'
import type { EventDraft } from '../../state/step/changes.js'
import { emit } from '../../state/step/emit.js'
import { judge, situationOf } from '../../state/step/evaluate.js'
import { answer, defer, type Handlers, type Outcome, refuse } from '../../state/step/outcome.js'

export const rollHandlers = {
  'begin-roll': (state, request, arrival) => defer(state, arrival, { type: 'begin-roll', ...request }),

  'cancel-roll': (state, request, arrival) => defer(state, arrival, { type: 'cancel-roll', ...request }),

  'open-roll': (state, { user, asker, kind, only, force = false }, { now }) => {
    const running = refuseWhileRolling(state)
    if (running) return refuse(state, running)
    if (!state.ready) return refuse(state, fail('wrong-state', `${state.name}: its servers were not all probed yet`))
    const id = `rolling-${kind}-${isoTime(now).replace(/[-:.Z]/g, '')}`
    // What is brought back or repaired just now does not keep it from beginning: it waits for that itself.
    const planned = planRoll(situationOf(state, now), {
      id,
      user,
      asker,
      kind,
      force,
      ...(only === undefined ? {} : { only }),
    })
    if (planned.ok) return changed(state, planned.value, { reply: planned.value, now })
    const text = `Refused a ${rollTitles[kind]} to ${user}: ${planned.failure.message}`
    return { ...emit(state, [{ kind: 'log', level: 'WARN', text }], now), reply: planned }
  },

  'end-roll': (state, { user, kind, revoked }, { now }) => {
    const { roll } = state
    if (isRolling(roll) && roll.kind !== kind)
      return refuse(state, fail('wrong-state', `a ${rollTitles[roll.kind]} is running, and no ${rollTitles[kind]}`))
    if (!roll || roll.kind !== kind) return answer(state, undefined)
    // One that stopped is dismissed: its finding ends.
    const next: Roll = roll.phase === 'stopped' ? { ...roll, phase: 'cancelled' } : cancelRoll(roll, user, revoked)
    return changed(state, next, { reply: next, now })
  },

  roll: (state) => answer(state, state.roll),

  'step-roll': (state, _, { now }) => {
    const { roll } = state
    if (!roll || !state.ready) return answer(state, undefined)
    // A minor operation is waited for as well: it repairs what the run depends on.
    const situation = { ...situationOf(state, now), snapshot: state.snapshot }
    const { roll: next, command } = stepRoll(roll, situation)
    return changed(state, next, { reply: command, now })
  },

  'rolled-server': (state, turn, { now }) =>
    changed(state, state.roll && noteTurn(state.roll, turn, now), { reply: undefined, now }),

  'roll-refused': (state, { reason }, { now }) =>
    changed(state, state.roll && noteRefusal(state.roll, reason, now), { reply: undefined, now }),
} as const satisfies Partial<Handlers>

/** Nothing else may interfere while servers are taken down and the role moves. */
export const refuseWhileRolling = ({ roll }: Pick<ClusterState, 'roll'>): Result<never> | undefined =>
  isRolling(roll)
    ? fail('operation-running', `the ${rollTitles[roll.kind]} of ${roll.owner} is running: cancel it first`)
    : undefined

/** The state with the run as it is now, the maintenance it wants, and its events. */
function changed<T>(
  state: ClusterState,
  roll: Roll | undefined,
  { reply, now }: { readonly reply: T; readonly now: number },
): Outcome<T> {
  if (roll === undefined || roll === state.roll) return { state, commands: [], reply: ok(reply) }
  const isAligned = String(maintainedBy(state.roll)) === String(maintainedBy(roll))
  const judged = judge(isAligned ? { ...state, roll } : maintain({ ...state, roll }), now)
  const emitted = emit(judged.state, eventsOf(state.roll, roll, judged.state), now)
  return {
    state: emitted.state,
    commands: [...judged.commands, ...emitted.commands, ...(isAligned ? [] : ([{ type: 'align-proxies' }] as const))],
    reply: ok(reply),
  }
}

function eventsOf(before: Roll | undefined, after: Roll, state: ClusterState): readonly EventDraft[] {
  const known = before?.id === after.id ? before : undefined
  const title = `${rollTitles[after.kind].charAt(0).toUpperCase()}${rollTitles[after.kind].slice(1)}`
  const turns = after.servers.flatMap((each): EventDraft[] => {
    const was = known?.servers.find(({ server }) => server === each.server)?.state
    if (known === undefined || was === each.state || after.phase !== 'running') return []
    return [{ ...draft(after, each.state === 'failed', `${title}: ${turnText(each, state)}`), server: each.server }]
  })
  const started = known ? [] : [draft(after, false, `${title} started, requested by ${after.owner}`)]
  const cancelled =
    after.cancelledBy !== undefined && known?.cancelledBy === undefined
      ? [draft(after, false, `${title} is to end, ${after.revoked ?? `asked by ${after.cancelledBy}`}`)]
      : []
  const hasEnded = after.phase !== 'running' && known?.phase === 'running'
  const why = after.message === undefined ? '' : `: ${after.message}`
  return [
    ...started,
    ...cancelled,
    ...turns,
    ...(hasEnded ? [draft(after, after.phase === 'stopped', `${title} ${after.phase}${why}`)] : []),
  ]
}

const draft = (roll: Roll, isBad: boolean, text: string): EventDraft => ({
  kind: 'rolling',
  level: isBad ? 'ERROR' : 'INFO',
  text,
  data: {
    id: roll.id,
    kind: roll.kind,
    phase: roll.phase,
    owner: roll.owner,
    done: roll.servers.filter(({ state }) => state === 'done').length,
    total: roll.servers.length,
    message: roll.message ?? null,
  },
})

const turnTexts: Readonly<Record<RollServer['state'], string>> = {
  waiting: 'waits for its turn',
  acting: 'has its turn',
  returning: 'is up again and catches up',
  done: 'is done',
  skipped: 'is passed by',
  failed: 'failed',
}

function turnText({ server, state: turn, message }: RollServer, { snapshot }: ClusterState): string {
  const name = findServer(snapshot, server)?.name ?? server
  return `${name} ${turnTexts[turn]}${message === undefined ? '' : `: ${message}`}`
}
