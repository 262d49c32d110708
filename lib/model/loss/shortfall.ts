// What an operation that succeeded is short of, in words that name it: no word of lost data, which is reported apart.
import type { CommandType } from '../operation/command.js'
import type { ServerId } from '../server/server.js'
import { consequences } from './consequences.js'

interface Shortfall {
  /** A command's type as the wire has it: of another release it may be an unknown one. */
  readonly command: string
  readonly server?: ServerId | undefined
}

/** `db3 does not follow the new primary as intended`; the step itself where its command has no row. */
export const shortfallText = ({ command, server }: Shortfall, nameOf: (server: ServerId) => string): string =>
  (consequences[command as CommandType]?.short ?? `${command} of {server} failed`).replace(
    '{server}',
    server === undefined ? 'a server' : nameOf(server),
  )
