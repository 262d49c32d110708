// Whether the manager's own account could open another session on a server: acts need fresh ones. Pure.
import type { ServerSnapshot } from '../../model/snapshot.js'
import { isReachable } from './channel.js'

interface Reason {
  readonly errors: readonly number[]
  readonly means: string
}

/** By the number of the error: what it means, and what to do. */
const reasons: readonly Reason[] = [
  {
    errors: [1226, 1203],
    means:
      'the account has a limit of sessions or logins: ALTER USER … WITH MAX_USER_CONNECTIONS 0 MAX_CONNECTIONS_PER_HOUR 0',
  },
  {
    errors: [1045, 1698, 1130, 3118, 4151],
    means: 'its password was changed, or it was locked or dropped: correct db-servers-credential, or the account',
  },
  { errors: [1040], means: 'all connections are taken: raise max_connections, or end sessions' },
  {
    errors: [1820, 1862],
    means: 'its password has expired: ALTER USER … IDENTIFIED BY a new one, and set it in db-servers-credential',
  },
  {
    errors: [1129],
    means:
      'the server blocks the host of the manager after failed connections: FLUSH HOSTS (MySQL: TRUNCATE performance_schema.host_cache)',
  },
  { errors: [3159], means: 'the server requires TLS: set db-servers-tls-ca-cert' },
]

const TOO_MANY_CONNECTIONS = 1040

/** Why another session would be refused there, while the one that is kept goes on; undefined where it would not, or nothing is known. */
export function failedLogin(server: ServerSnapshot): string | undefined {
  const { freshLogin, restartedAt = 0, state, name } = server
  if (freshLogin?.state !== 'failed' || !isReachable(server) || freshLogin.at < restartedAt) return undefined
  const error = errorIn(freshLogin.message)
  // Acts have a port of their own then.
  if (error === TOO_MANY_CONNECTIONS && state?.identity.reserved !== undefined) return undefined
  return `refuses a new session of the account of the manager: ${withMeaning(withoutName(freshLogin.message, name))}`
}

/** The text of a login that was refused, with what its error means and what to do. */
export function withMeaning(message: string): string {
  const reason = reasons.find(({ errors }) => errors.includes(errorIn(message)))
  return reason ? `${message} (${reason.means})` : message
}

const errorIn = (message: string): number => Number(/error (\d+): /.exec(message)?.[1] ?? 0)

const withoutName = (message: string, name: string): string =>
  message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message

/** Why no fresh login is tried there by the clock; undefined where it is. */
export const untriedLogin = ({ freshLogin }: Pick<ServerSnapshot, 'freshLogin'>): string | undefined =>
  freshLogin?.state === 'limited'
    ? `${freshLogin.message}: logins are tried before a switchover only, and each session of an operation counts`
    : undefined
