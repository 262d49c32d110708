// Performs commands: one effect per type, each within its time, none of them throws.
import { fail, ok, type Result } from '../../base/result.js'
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
import { checkLogs } from '../replica/check-logs.js'
import { forgetHistory } from '../replica/forget-history.js'
import { recordCrash } from '../replica/record-crash.js'
import { renewLogin } from '../replica/renew-login.js'
import { repoint, startReplication, stopReplication } from '../replica/repoint.js'
import { saveTail } from '../replica/save-tail.js'
import { routeWrites } from '../upkeep/proxies.js'
import { runScript } from '../upkeep/scripts.js'
import { limitOf } from './limits.js'

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
  'check-logs': checkLogs,
  freeze,
  unfreeze,
  'catch-up': catchUp,
  'mark-primary': markPrimary,
  'record-crash': recordCrash,
  'save-tail': saveTail,
  report,
}

export function createPerform(context: EffectContext): Perform {
  const notes = freshNotes()
  return async (command, signal) => {
    const startedAt = context.now()
    const { limitMs, nearbyMs, tripMs } = limitOf(command, context.tripMs)
    const remaining = () => Math.max(0, startedAt + limitMs - context.now())
    const run: Run = { context, notes, signal, startedAt, nearbyMs, tripMs, remaining }
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
