// A plan after which others replicate from a server says whether the replication account can log in there. Pure.
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import type { Plan } from '../../model/operation/operation.js'
import type { Preview } from '../../model/operation/preview.js'
import type { SourceLogin } from '../../model/server/reading.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import type { Situation } from '../situation/situation.js'
import {
  deniedLogin,
  loginSince,
  type ShownLogin,
  shownFor,
  shownLogins,
  unjudgedLogin,
  unprovenAddress,
  wrongAddress,
} from '../situation/topology/source-login.js'

/** There is a replication account, and its login counts where it was tried since then. */
export interface LoginCheck {
  readonly since: number
}

/** What a plan waits for a login on a server nearby, and how many round trips more on one that is far away. */
const LOGIN_WAIT_MS = 2 * SECOND
const LOGIN_TRIPS = 24
/** No plan waits longer. */
const LONGEST_LOGIN_MS = 15 * SECOND

export const loginWait = ({ probeMs }: Pick<ServerSnapshot, 'probeMs'>): number =>
  Math.min(LOGIN_WAIT_MS + LOGIN_TRIPS * probeMs, LONGEST_LOGIN_MS)

/**
 * Before replicas that run get this source. What cannot be judged is no yes, for a person or the manager, unless the settings say so or replicas that
 * run show it.
 */
export function checkLogin(situation: Situation, { id }: ServerSnapshot): Command {
  const [shown] = shownLogins(situation)
  const lenient = situation.settings['switchover-unjudged-login']
  return {
    ...{ type: 'check-login', server: id },
    ...(lenient ? { lenient: true } : {}),
    ...(shown ? { shown: shown.accounts } : {}),
  }
}

interface Source {
  readonly server: ServerSnapshot
  /** The operation is refused where the login is; a failover is not: there is no primary to go back to. */
  readonly decides: boolean
  readonly lenient: boolean
}

function sourceOf({ kind, commands, newPrimary }: Plan, { snapshot }: Situation): Source | undefined {
  const check = commands.find((command) => command.type === 'check-login')
  const isFailover = kind === 'failover' && snapshot.topology !== 'galera'
  const server = findServer(snapshot, check?.server ?? (isFailover ? newPrimary : undefined))
  return server && { server, decides: check !== undefined, lenient: check?.lenient === true }
}

/** The server on which the login is still to be tried before the plan can be judged. */
export function openLogin(plan: Plan, situation: Situation, { since }: LoginCheck): ServerSnapshot | undefined {
  const source = sourceOf(plan, situation)
  return source && loginSince(source.server, since) === undefined ? source.server : undefined
}

/** The preview with what the login comes to. */
export function withLogin(
  preview: Preview,
  plan: Plan,
  { situation, since }: LoginCheck & { readonly situation: Situation },
): Preview {
  const source = sourceOf(plan, situation)
  if (!source) return preview
  const { server, decides, lenient } = source
  const login = loginSince(server, since)
  if (login === undefined || login.unreached) {
    const unchecked = uncheckedText(server.name, { message: login?.message, decides })
    return { ...preview, unchecked, ...(decides ? { possible: false, refusal: unchecked } : {}) }
  }
  if (decides && login.over?.leads === 'elsewhere')
    return { ...preview, ...refusedBy(wrongAddress(server, login.over)) }
  const judged = withAddress(preview, server, login)
  if (login.state === 'accepted') return judged
  const shown = shownFor(server, situation)
  if (shown) return { ...judged, risks: [...judged.risks, shownText(server.name, login, shown)] }
  const text = login.state === 'denied' ? deniedLogin(login) : `${server.name}: ${unjudgedLogin(login)}`
  if (decides && (login.state === 'denied' || !(lenient || login.elsewhere))) return { ...preview, ...refusedBy(text) }
  return { ...judged, risks: [...judged.risks, `${text}.`] }
}

const refusedBy = (text: string) =>
  ({ possible: false, refusal: `${text}.`, steps: [], risks: [], expectedBlockedMs: 0 }) as const

/** With what the stated address comes to, where that is no yes: replicas that cannot follow there follow at another one. */
function withAddress(preview: Preview, server: ServerSnapshot, { over }: SourceLogin): Preview {
  if (!over || over.leads === 'there') return preview
  const text = over.leads === 'elsewhere' ? wrongAddress(server, over) : unprovenAddress(server, over)
  const then = 'Replicas that cannot follow there follow at the next known address, at last that of the manager'
  return { ...preview, risks: [...preview.risks, `${text[0]?.toUpperCase()}${text.slice(1)}. ${then}.`] }
}

const shownText = (name: string, { user, requires }: SourceLogin, { by }: ShownLogin): string =>
  `Whether replicas can log in on ${name} as ${user} was not tried, since the account requires ${
    requires === 'tls' ? 'TLS' : 'a certificate'
  } that the manager does not have. It is judged by ${by} with it: the accounts are equal on both. How replicas check the certificate of ${name} is not judged.`

const uncheckedText = (
  name: string,
  { message = 'no answer came in time', decides }: { readonly message?: string | undefined; readonly decides: boolean },
): string =>
  `It was not checked whether the replication account can log in on ${name}: ${message}. Ask for the plan again${
    decides ? '; the operation itself checks it before it changes anything, and is refused where it cannot' : ''
  }.`
