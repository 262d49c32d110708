// What is known, and said, of the replication account's login where replicas are to log in.
import type { AddressProof, SourceLogin } from '../../../model/server/reading.js'
import { addressText, type ServerSpec } from '../../../model/server/server.js'
import { findServer, mainChannel, type ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable } from '../channel.js'
import type { Situation } from '../situation.js'

/** No full stop: the caller ends the sentence. */
export const deniedLogin = ({ message, repair = '' }: SourceLogin): string =>
  `${message}. No replica could follow it. On the primary: ${repair} Or correct replication-credential`

/** The same of a login that shows nothing: an account for other addresses, or one that requires more than the manager has. */
export const unjudgedLogin = ({ user, message, elsewhere, requires, repair }: SourceLogin): string => {
  const said = `whether replicas could log in as ${user} cannot be judged from here: ${message}`
  if (elsewhere) return `${said}. Its account is not for the address of the manager`
  if (requires)
    return `${said}. No replica runs that shows it. If replicas do not have it: ${repair}; else set switchover-unjudged-login on`
  return `${said}. Let ${user} log in with the TLS that the manager uses, or set switchover-unjudged-login on`
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

/**
 * A login that the manager cannot try, judged by a replica that runs: its source has equal accounts, and it shows what they require.
 * Not judged so: the server's own side of TLS, which replicas check where they are configured to.
 */
export interface ShownLogin {
  /** `SourceLogin.accounts` of the source. */
  readonly accounts: string
  /** `db3, which follows db1`. */
  readonly by: string
}

/** The logins that replicas show at present, in the order of the servers. A replica that will get other files shows nothing. */
export function shownLogins({
  snapshot,
  settings,
}: Situation): readonly (ShownLogin & Pick<SourceLogin, 'requires'>)[] {
  return snapshot.servers.flatMap((replica) => {
    const channel = isReachable(replica) ? mainChannel(replica, settings['replication-source-name']) : undefined
    const source = findServer(snapshot, replica.sourceId)
    const { accounts, requires, user, outdated = false } = source?.login ?? {}
    if (!source || !channel || channel.io !== 'running' || !accounts || !requires || outdated) return []
    const { tls, tlsFiles: files, user: own } = channel.source
    if (own !== user || !tls || (requires === 'certificate' && files?.cert === undefined)) return []
    const given = (['ca', 'cert'] as const).every((one) => {
      const wanted = settings[`replication-ssl-${one}`]
      return wanted === '' || wanted === files?.[one]
    })
    return given ? [{ accounts, requires, by: `${replica.name}, which follows ${source.name}` }] : []
  })
}

/** What shows that replicas can log in there, although the manager cannot try; undefined where it can, or nothing does. */
export const shownFor = ({ login }: Pick<ServerSnapshot, 'login'>, situation: Situation): ShownLogin | undefined =>
  login?.requires === undefined
    ? undefined
    : shownLogins(situation).find(
        ({ accounts, requires }) => accounts === login.accounts && requires === login.requires,
      )

/**
 * Why a login that was found there last is no yes; undefined where it is one, or nothing was found, or it is a risk to take: an account
 * for other addresses only, or where the settings say so.
 */
export function refusedLogin(server: ServerSnapshot, situation: Situation): string | undefined {
  const { login } = server
  if (!login || login.outdated || login.unreached || login.state === 'accepted') return undefined
  if (login.state === 'denied') return deniedLogin(login)
  if (login.elsewhere || situation.settings['switchover-unjudged-login'] || shownFor(server, situation))
    return undefined
  return `${server.name}: ${unjudgedLogin(login)}`
}
