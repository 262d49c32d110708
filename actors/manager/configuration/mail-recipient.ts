// Who may have an account mailed, and to which address: never to one that the asking user chose for another user.
import { listUsers } from '../../../lib/access/index.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { reveal } from '../../../lib/base/secret.js'
import {
  accessLists,
  type Configuration,
  isAddress,
  isAllowed,
  isGiven,
  type Settings,
  sameValue,
} from '../../../lib/settings/index.js'
import type { CredentialsRequest } from '../../protocol/manager/users.js'
import { findPair } from './find-pair.js'

/** The address for an account. Failures: `unknown-cluster`, `unknown-user`, `no-grant`, `wrong-state`, `mail-failed`. */
export function judgeSending(configuration: Configuration, request: CredentialsRequest): Result<string> {
  const { cluster, username, kind } = request
  const settings = configuration.clusters.get(cluster)?.settings
  if (!settings) return fail('unknown-cluster', `no cluster ${cluster}`)
  const pair = findPair(settings, username)
  if (pair === undefined) return fail('unknown-user', `${username} is not a user of ${cluster}`)
  const permitted =
    kind === 'db'
      ? permitDatabases(configuration, request)
      : permitAccount(configuration, { ...request, pair, settings })
  return permitted.ok ? recipientOf(configuration, request) : permitted
}

/** The receivers of `mail-to`, as long as no change at run time gave them. `wrong-state`; `disabled` when it is empty. */
export function givenReceivers(configuration: Configuration, cluster: string): Result<string> {
  const to = configuration.clusters.get(cluster)?.settings['mail-to'] ?? ''
  if (to === '') return fail('disabled', 'mail-to is empty: there is no recipient')
  return isGiven(configuration, cluster, 'mail-to')
    ? ok(to)
    : fail(
        'wrong-state',
        `mail-to of ${cluster} was set at run time: secrets go to addresses of the configuration files`,
      )
}

function recipientOf(configuration: Configuration, { cluster, username }: CredentialsRequest): Result<string> {
  if (!isAddress(username)) {
    const given = givenReceivers(configuration, cluster)
    if (given.ok) return given
    const { code, message } = given.failure
    return fail(code === 'disabled' ? 'mail-failed' : code, `${username} is not a mail address, and ${message}`)
  }
  const server = configuration.server.settings
  return isAllowed(server, username) || isNamedInFiles(configuration, cluster, username)
    ? ok(username)
    : fail('wrong-state', `${username}: not of mail-allowed-domains (${server['mail-allowed-domains'].join(', ')})`)
}

const isNamedInFiles = (configuration: Configuration, cluster: string, username: string): boolean =>
  isGiven(configuration, cluster, 'api-credentials') &&
  isOwnPair(configuration.clusters.get(cluster)?.settings, username)

/** Whether the user is in the list that only the configuration gives. */
const isOwnPair = (settings: Settings | undefined, username: string): boolean =>
  settings !== undefined &&
  reveal(settings['api-credentials'])
    .split(',')
    .some((pair) => pair.trim().startsWith(`${username}:`))

interface AccountRequest extends CredentialsRequest {
  readonly settings: Settings
  readonly pair: string
}

/** What is mailed sets its password: the requester holds all that the user holds, everywhere. */
function permitAccount(
  configuration: Configuration,
  { cluster, username, may, pair, settings }: AccountRequest,
): Result<void> {
  const scopes = [[cluster, settings] as const, ...otherScopes(configuration, cluster)]
  for (const [name, each] of scopes) {
    const held = listUsers(accessLists(each), name).find(({ user }) => user === username)?.grants ?? {}
    const missing = Object.entries(held).find(([grant, isHeld]) => isHeld && !may(grant, name))
    const where = name === cluster ? cluster : name === '' ? 'the whole service' : 'another cluster'
    if (missing) return fail('no-grant', `${username} holds ${missing[0]} on ${where} and you do not hold it yourself`)
  }
  return pair !== '' && isOwnPair(settings, username)
    ? fail('wrong-state', `${username} is a user of api-credentials: its password is set there, not by mail`)
    : done
}

function* otherScopes({ server, clusters }: Configuration, cluster: string): Generator<readonly [string, Settings]> {
  yield ['', server.settings]
  for (const [name, { settings }] of clusters) if (name !== cluster) yield [name, settings]
}

/** The account may be that of other clusters, too: given in `[Default]`, or the same by choice. */
function permitDatabases({ clusters }: Configuration, { cluster, may }: CredentialsRequest): Result<void> {
  const name = 'db-servers-credential'
  const own = clusters.get(cluster)?.settings[name]
  const isForeign = [...clusters].some(
    ([other, { settings }]) =>
      other !== cluster && own && sameValue(name, own, settings[name]) && !may('cluster-grant', other),
  )
  return isForeign
    ? fail('no-grant', `${name} of ${cluster} is also that of other clusters, where you do not hold cluster-grant`)
    : done
}
