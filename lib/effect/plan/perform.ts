// Performs commands: one effect per type, each within its time, none of them throws.
import { fail, ok, type Result } from '../../base/result.js'
import { MINUTE, SECOND } from '../../base/time.js'
import type { Command, CommandType } from '../../model/operation/command.js'
import type { CommandOf, Effect, EffectContext, Run } from '../kit/context.js'
import { freshNotes } from '../kit/notes.js'
import { endSessions } from '../primary/end-sessions.js'
import { enableEvents, setEvents } from '../primary/events.js'
import { freeze, guardLongWrites, unfreeze } from '../primary/freeze.js'
import { promote } from '../primary/promote.js'
import { applyReceived, catchUp, stopReceiving } from '../primary/receive.js'
import { markPrimary, setSemiSync, setVariables } from '../primary/switches.js'
import { takeBack } from '../primary/take-back.js'
import { fence, makeReadOnly, makeWritable } from '../primary/writable.js'
import { checkLogin } from '../replica/check-login.js'
import { forgetHistory } from '../replica/forget-history.js'
import { recordCrash } from '../replica/record-crash.js'
import { renewLogin } from '../replica/renew-login.js'
import { repoint, startReplication, stopReplication } from '../replica/repoint.js'
import { saveTail } from '../replica/save-tail.js'
import { routeWrites } from '../upkeep/proxies.js'
import { runScript } from '../upkeep/scripts.js'

/** Performs one command within its time limit. Never throws; safe to repeat. Answers a line for people. */
export type Perform = (command: Command, signal: AbortSignal) => Promise<Result<string>>

const reprobe: Effect<'reprobe'> = (command, { context, signal }) => context.reprobe(command, signal)

const report: Effect<'report'> = async ({ text }, { context }) => {
  context.log(text)
  return ok(text)
}

const effects: { readonly [T in CommandType]: Effect<T> } = {
  reprobe,
  'run-script': runScript,
  fence,
  'take-back': takeBack,
  'stop-receiving': stopReceiving,
  'apply-received': applyReceived,
  promote,
  'set-semi-sync': setSemiSync,
  'make-writable': makeWritable,
  'make-read-only': makeReadOnly,
  repoint,
  'renew-login': renewLogin,
  'start-replication': startReplication,
  'stop-replication': stopReplication,
  'forget-history': forgetHistory,
  'route-writes': routeWrites,
  'set-events': setEvents,
  'enable-events': enableEvents,
  'end-sessions': endSessions,
  'set-variables': setVariables,
  'guard-long-writes': guardLongWrites,
  'check-login': checkLogin,
  freeze,
  unfreeze,
  'catch-up': catchUp,
  'mark-primary': markPrimary,
  'record-crash': recordCrash,
  'save-tail': saveTail,
  report,
}

/**
 * Time limits of commands that carry none, milliseconds. A fence is short: when the old primary hangs, every client waits
 * for it. Stopping the receiver of a hung primary takes the server 2 s.
 */
export const defaultLimits: Readonly<Record<CommandType, number>> = {
  reprobe: 3 * SECOND,
  'run-script': 10 * SECOND,
  fence: 300,
  'take-back': 10 * SECOND,
  'stop-receiving': 4 * SECOND,
  'apply-received': MINUTE,
  promote: 5 * SECOND,
  'set-semi-sync': 2 * SECOND,
  'make-writable': 2 * SECOND,
  'make-read-only': 3 * SECOND,
  repoint: 10 * SECOND,
  'renew-login': 20 * SECOND,
  'start-replication': 5 * SECOND,
  'stop-replication': 5 * SECOND,
  'forget-history': 15 * SECOND,
  'route-writes': 2 * SECOND,
  'set-events': 2 * SECOND,
  'enable-events': 5 * SECOND,
  'end-sessions': 5 * SECOND,
  'set-variables': 5 * SECOND,
  'guard-long-writes': 15 * SECOND,
  'check-login': 3 * SECOND,
  freeze: 10 * SECOND,
  unfreeze: 5 * SECOND,
  'catch-up': 10 * SECOND,
  'mark-primary': 2 * SECOND,
  'record-crash': 3 * SECOND,
  'save-tail': 2 * MINUTE,
  report: SECOND,
}

export function createPerform(context: EffectContext): Perform {
  const notes = freshNotes()
  return async (command, signal) => {
    const startedAt = context.now()
    const endsAt = startedAt + (command.timeoutMs ?? defaultLimits[command.type])
    const run: Run = { context, notes, signal, startedAt, remaining: () => Math.max(0, endsAt - context.now()) }
    try {
      return await perform(command.type, command, run)
    } catch (error) {
      return fail('internal', `${command.type}: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
    }
  }
}

/** The table's type says that the effect of a type takes commands of that type; the compiler cannot follow it further. */
function perform<T extends CommandType>(type: T, command: Command, run: Run): Promise<Result<string>> {
  return effects[type](command as CommandOf<T>, run)
}
