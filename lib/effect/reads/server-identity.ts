// What a server says of itself, at whatever address it is reached: to find one server behind two spellings.
import { ok, type Result } from '../../base/result.js'
import { now, SECOND } from '../../base/time.js'
import type { SqlTarget } from '../../connect/sql/session.js'
import { withSession } from '../kit/own-session.js'

export interface ServerIdentityText {
  /** `@@server_id`. */
  readonly serverNumber: number
  /** Host name, port, data directory and uuid. */
  readonly text: string
  /** When it started, by its own uptime: milliseconds since the epoch, exact to about two seconds. */
  readonly startedAt: number
}

const READ_MS = 3 * SECOND
const names = ['hostname', 'port', 'datadir', 'server_uuid'] as const

/** By the values of its variables; the same for every session with one server. */
export const identityText = (value: (name: string) => string | undefined): string =>
  names.map((name) => value(name) ?? '').join(' ')

/** Failures are those of the login and of the read. */
export function readIdentity(target: SqlTarget): Promise<Result<ServerIdentityText>> {
  return withSession({ target }, async (session) => {
    const variables = await session.run(VARIABLES, [], READ_MS)
    if (!variables.ok) return variables
    const uptime = await session.run("SHOW GLOBAL STATUS LIKE 'Uptime'", [], READ_MS)
    if (!uptime.ok) return uptime
    const values = new Map((variables.value[0] ?? []).map((row) => [row.Variable_name, String(row.Value)]))
    return ok({
      serverNumber: Number(values.get('server_id')),
      text: identityText((name) => values.get(name)),
      startedAt: now() - Number(uptime.value[0]?.[0]?.Value ?? 0) * SECOND,
    })
  })
}

const VARIABLES = `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('${[...names, 'server_id'].join("', '")}')`
