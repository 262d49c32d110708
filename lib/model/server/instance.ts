// One run of one database server, as it describes itself: the same at whatever address it is reached. Pure.

export interface ServerInstance {
  /** `@@hostname`, `@@port` and `@@datadir`: none of them changes while it runs. */
  readonly hostname: string
  readonly port: number
  readonly datadir: string
  /** `@@server_uuid`; MariaDB has none. */
  readonly uuid?: string
  /**
   * When it was started, milliseconds since the epoch by its own clock: `UNIX_TIMESTAMP() - Uptime`. Both follow that clock, so a clock
   * that is set meanwhile does not change it. Exact to a second.
   */
  readonly startedAt: number
}

/** Code of a reading: what answers is not the member, and nothing of it is used. */
export const ANOTHER_SERVER = 'another-server'

/** What answered at an address, and when it last did: milliseconds since the epoch, by the clock of this machine. */
export interface SeenInstance {
  /** Absent: it does not say which server it is. */
  readonly instance?: ServerInstance | undefined
  readonly at: number
}

/** Time and uptime are read in whole seconds, one after the other. */
const SAME_START_MS = 2_000
/** An uptime that is so much longer than the time since then began before. */
const SINCE_MS = 2_000

/** The same host name, port, data directory and uuid: the same server, perhaps after a restart; or one that was given the same names. */
export const hasSameNames = (one: ServerInstance, other: ServerInstance): boolean =>
  one.hostname === other.hostname &&
  one.port === other.port &&
  one.datadir === other.datadir &&
  (one.uuid === undefined || other.uuid === undefined || one.uuid === other.uuid)

/** The same server, not restarted. */
export const isSameInstance = (one: ServerInstance, other: ServerInstance): boolean =>
  hasSameNames(one, other) && Math.abs(one.startedAt - other.startedAt) <= SAME_START_MS

/** It was started after `at`: the server that ran until then may have been replaced by it, or been restarted. */
export const isStartedSince = (uptimeSeconds: number, at: number, now: number): boolean =>
  uptimeSeconds * 1_000 <= now - at + SINCE_MS

/** What answers now is what was seen, or was started since: a restart, or a server in the place of the other one. */
export function isExpected(
  expected: SeenInstance,
  found: { readonly instance?: ServerInstance | undefined; readonly uptimeSeconds: number },
  now: number,
): boolean {
  if (!expected.instance || !found.instance) return expected.instance === found.instance
  return isSameInstance(expected.instance, found.instance) || isStartedSince(found.uptimeSeconds, expected.at, now)
}

/** For messages: how a server calls itself. */
export const instanceText = (instance: ServerInstance | undefined): string =>
  instance
    ? `${instance.hostname}:${instance.port} (${instance.datadir})`
    : 'a server that does not say which one it is'
