// What is known, and said, of the replication account's login where replicas are to log in.
import type { AddressProof, SourceLogin } from '../../../model/server/reading.js'
import { addressText, type ServerSpec } from '../../../model/server/server.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'

/** No full stop: the caller ends the sentence. */
export const deniedLogin = ({ message, repair = '' }: SourceLogin): string =>
  `${message}. No replica could follow it. On the primary: ${repair} Or correct replication-credential`

/** The same of a login that shows nothing: an account for other addresses, or one that asks for a certificate. */
export const unjudgedLogin = ({ user, message, elsewhere }: SourceLogin): string => {
  const said = `whether replicas could log in as ${user} cannot be judged from here: ${message}`
  return elsewhere
    ? `${said}. Its account is not for the address of the manager`
    : `${said}. Let ${user} log in with the TLS that the manager uses, or set switchover-unjudged-login on`
}

/** The latest login, where it was tried since then and holds for the present account and process. */
export function loginSince(
  { login, restartedAt = 0 }: Pick<ServerSnapshot, 'login' | 'restartedAt'>,
  since: number,
): SourceLogin | undefined {
  return login && !login.outdated && login.at >= Math.max(since, restartedAt) ? login : undefined
}

type Named = Pick<ServerSpec, 'name'>

/** Of an address that leads to another server than `replication-hosts` says. No full stop. */
export const wrongAddress = ({ name }: Named, over: AddressProof): string =>
  `replication-hosts states ${addressText(over)} for ${name}, and ${over.message}`

/** Of one that the manager cannot judge. No full stop. */
export const unprovenAddress = ({ name }: Named, over: AddressProof): string =>
  `whether ${addressText(over)} leads to ${name} was not judged, since the manager has no session there: ${over.message}`
