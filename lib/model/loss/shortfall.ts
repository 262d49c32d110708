// What an operation that succeeded is short of, in words that name it: no word of lost data, which is reported apart.
import type { CommandType } from '../operation/command.js'
import type { ServerId } from '../server/server.js'

/** By a command that falls short when it fails, after `but`: `{server}` stands for the name of the server. Pages load it, too: no more than that. */
export const shortfalls: Readonly<Partial<Record<CommandType, string>>> = {
  'run-script': 'a script was not run',
  repoint: '{server} does not follow the new primary as intended',
  'start-replication': '{server} does not follow its source',
  unfreeze: '{server} may still be locked or open',
  'route-writes': 'a proxy does not send writes to the new primary',
  'set-semi-sync': 'semi-sync is not right on {server}',
  'set-events': 'events do not run on {server}',
  'enable-events': 'events stay disabled on {server}',
  'end-sessions': 'clients stay on {server}',
}

interface Shortfall {
  /** A command's type as the wire has it: of another release it may be an unknown one. */
  readonly command: string
  readonly server?: ServerId | undefined
}

/** `db3 does not follow the new primary as intended`; the step itself where its command has no row. */
export const shortfallText = ({ command, server }: Shortfall, nameOf: (server: ServerId) => string): string =>
  (shortfalls[command as CommandType] ?? `${command} of {server} failed`).replace(
    '{server}',
    server === undefined ? 'a server' : nameOf(server),
  )
