// The sessions of a server, from its process list.
import { type Fields, fieldsOf, listOf, nullable, numberOf, present, textOf, wireOf } from '../wire.js'

export interface Session {
  readonly id: number
  readonly user: string
  readonly host: string
  readonly schema?: string
  readonly command: string
  /** How long it is in this state. */
  readonly ms?: number
  readonly state?: string
  readonly statement?: string
  readonly rowsExamined?: number
  /** Of the server itself or of its replicas: not for a user to end. */
  readonly isOfServer: boolean
}

const serverCommands: ReadonlySet<string> = new Set([
  ...[
    'Binlog Dump',
    'Binlog Dump GTID',
    'Daemon',
    'Connect',
    'Register Slave',
    'Slave_IO',
    'Slave_SQL',
    'Slave_worker',
  ],
])

export const readSessions = (reply: unknown): readonly Session[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/servers/:server/processlist'>(reply)).flatMap((wire) => {
    const id = numberOf(wire.id)
    if (id === undefined) return []
    const command = textOf(wire.command) ?? ''
    const user = textOf(wire.user) ?? ''
    return [
      present<Session>({
        ...{ id, user, command, host: textOf(wire.host) ?? '' },
        schema: nullable(wire.db),
        ms: floatOf(wire.timeMs),
        state: nullable(wire.state) || undefined,
        statement: nullable(wire.info) || undefined,
        rowsExamined: numberOf(wire.rowsExamined) || undefined,
        isOfServer: serverCommands.has(command) || user === 'system user' || user === 'event_scheduler',
      }),
    ]
  })

/** `{ Float64, Valid }`. */
export function floatOf(value: unknown): number | undefined {
  const { Valid, Float64 }: Fields = fieldsOf(value)
  return Valid === true ? numberOf(Float64) : undefined
}
