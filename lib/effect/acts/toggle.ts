// Enables, disables or toggles an instrument of a server: reads its state, changes it, and reads it back.
import { fail, ok, type Result } from '../../base/result.js'
import { errorNumber } from '../../connect/sql/failures.js'
import type { ToggleReading } from '../../dialect/index.js'
import type { ActAnswer, SlowSettings, ToggleName } from '../../model/server/server-act.js'
import type { ActSession } from './act-session.js'

export interface ToggleWish {
  readonly what: ToggleName
  /** The state it is to have; without one its state is reversed. */
  readonly wanted?: boolean | undefined
  /** What was so before a capture began, when that is remembered. */
  readonly kept?: SlowSettings
  /** Called before the change with the current state. */
  readonly changing: (on: boolean, before: ToggleReading) => void
}

/** Failures: those of SQL; `unsupported` names what the server does not have; `wrong-state`: it had no effect. */
export async function toggle(
  session: ActSession,
  { what, wanted, kept, changing }: ToggleWish,
): Promise<Result<ActAnswer>> {
  const row = session.dialect.toggles[what]
  const before = await session.ask(row.read)
  if (!before.ok) return before
  const reading = row.parse(before.value)
  if (reading.refusal !== undefined) return fail('unsupported', `${session.name}: ${reading.refusal}`)
  const on = wanted ?? !reading.on
  if (on === reading.on) return ok({ on, text: `${session.name}: ${reading.detail}; it was so before` })
  changing(on, reading)
  const changed = await session.run(row.set(on, reading, kept))
  if (!changed.ok) {
    const why = row.refusals?.[errorNumber(changed.failure)]
    return why === undefined ? changed : fail('unsupported', `${session.name}: ${why}`)
  }
  const after = await session.ask(row.read)
  if (!after.ok) return after
  const { on: is, detail } = row.parse(after.value)
  if (is !== on) return fail('wrong-state', `${session.name} should be ${on ? 'on' : 'off'}, but reports ${detail}`)
  return ok({ on, text: `${session.name}: ${detail}` })
}
