// The handler of work that ended because its user may not have it any more: an event, and a finding for a day. Pure.
import { isoTime } from '../../../../lib/base/time.js'
import { emit } from '../../state/step/emit.js'
import { judge } from '../../state/step/evaluate.js'
import { type Handlers, silent } from '../../state/step/outcome.js'

/** The finding names so many. */
const KEPT = 20

export const revokedHandlers = {
  'note-revoked': (state, { work, reason }, { now }) => {
    const others = (state.memory.revoked ?? []).filter((known) => known.work !== work)
    const revoked = [...others, { work, reason, at: now }].slice(-KEPT)
    const judged = judge({ ...state, memory: { ...state.memory, revoked } }, now)
    const text = `${work} was ended at ${isoTime(now)}: ${reason}`
    const emitted = emit(judged.state, [{ kind: 'log', level: 'WARN', text }], now)
    return silent({
      state: emitted.state,
      commands: [...judged.commands, ...emitted.commands, { type: 'persist' }, { type: 'publish' }],
    })
  },
} as const satisfies Partial<Handlers>
