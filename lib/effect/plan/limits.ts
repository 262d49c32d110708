// How long a command of a plan may take: its time nearby, and that of the way to its servers.
import { MINUTE, SECOND } from '../../base/time.js'
import type { Command, CommandType } from '../../model/operation/command.js'
import type { TripMs } from '../kit/context.js'

/** No server is far away. */
export const nearby: TripMs = () => 0

export interface CommandLimit {
  /** Longest time, milliseconds. */
  readonly limitMs: number
  /** What it may take on servers nearby: the time of the way is not for waiting in a server. */
  readonly nearbyMs: number
  /** One round trip to the farthest of its servers. */
  readonly tripMs: number
}

/**
 * Time limits nearby of commands that carry none, milliseconds. A fence is short: when the old primary hangs, every client waits
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
  'check-logs': 5 * SECOND,
  freeze: 10 * SECOND,
  unfreeze: 5 * SECOND,
  'catch-up': 10 * SECOND,
  'mark-primary': 2 * SECOND,
  'record-crash': 3 * SECOND,
  'save-tail': 2 * MINUTE,
  report: SECOND,
}

/** None: it has nothing to do with a database, or its own limits grow. */
const NONE = 0
/** A session that was lost, its login again, and one text. */
const ONE = 12
/** As above, with what is read before and after. */
const SEVERAL = 24

/** Round trips that a command may need beyond its limit nearby, for those that carry none. */
const usualTrips: Readonly<Record<CommandType, number>> = {
  reprobe: 2 * SEVERAL,
  'run-script': NONE,
  fence: ONE,
  'take-back': SEVERAL,
  'stop-receiving': ONE,
  'apply-received': ONE,
  promote: ONE,
  'set-semi-sync': ONE,
  'make-writable': SEVERAL,
  'make-read-only': ONE,
  repoint: SEVERAL,
  'renew-login': SEVERAL,
  'start-replication': SEVERAL,
  'stop-replication': ONE,
  'forget-history': SEVERAL,
  'route-writes': NONE,
  'set-events': SEVERAL,
  'enable-events': SEVERAL,
  'end-sessions': SEVERAL,
  'set-variables': SEVERAL,
  'guard-long-writes': SEVERAL,
  'check-login': SEVERAL,
  'check-logs': 2 * SEVERAL,
  freeze: ONE,
  unfreeze: ONE,
  'catch-up': ONE,
  'mark-primary': ONE,
  'record-crash': SEVERAL,
  'save-tail': SEVERAL,
  report: NONE,
}

export function limitOf(command: Command, wayTo: TripMs): CommandLimit {
  const nearbyMs = command.timeoutMs ?? defaultLimits[command.type]
  const tripMs = tripOf(command, wayTo)
  return { nearbyMs, tripMs, limitMs: nearbyMs + (command.trips ?? usualTrips[command.type]) * tripMs }
}

/** What the way to the servers adds to the deadline of all these commands together, milliseconds. */
export const wayOf = (commands: readonly Command[], wayTo: TripMs): number =>
  commands.map((command) => limitOf(command, wayTo)).reduce((sum, { limitMs, nearbyMs }) => sum + limitMs - nearbyMs, 0)

/** A reprobe asks all servers. */
function tripOf(command: Command, wayTo: TripMs): number {
  if (command.type === 'reprobe') return wayTo()
  const source = 'source' in command && typeof command.source === 'string' ? [command.source] : []
  return Math.max(0, ...('server' in command ? [command.server] : []).map(wayTo), ...source.map(wayTo))
}
